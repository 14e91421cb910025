"""The table of contents: what the editor may ask, and who answers. Handlers are short and return at once."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

# Little is imported here: an editor waits for the answer to `initialize`. The server is imported for real, as
# pygls reads the annotations of handlers when it is running.
from untilgreen.errors import UntilgreenError
from untilgreen.lsp import commands, ext, opened
from untilgreen.lsp.capabilities import resolve
from untilgreen.lsp.server import Server


def register(server: Server) -> None:
    """Tell pygls who answers what."""
    feature = server.feature
    feature(lsp.INITIALIZE)(on_initialize)
    feature(lsp.INITIALIZED)(on_initialized)
    feature(lsp.SHUTDOWN)(on_shutdown)
    feature(lsp.TEXT_DOCUMENT_DID_OPEN)(opened.on_open)
    feature(lsp.TEXT_DOCUMENT_DID_CHANGE)(opened.on_change)
    feature(lsp.TEXT_DOCUMENT_DID_SAVE)(opened.on_save)
    feature(lsp.TEXT_DOCUMENT_DID_CLOSE)(opened.on_close)
    feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(opened.on_folders)
    feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)(opened.on_files)
    feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)(on_configuration)
    actions = lsp.CodeActionOptions(code_action_kinds=list(ext.KINDS), resolve_provider=False)
    feature(lsp.TEXT_DOCUMENT_CODE_ACTION, actions)(on_code_action)
    feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions(resolve_provider=False))(on_code_lens)
    feature(lsp.TEXT_DOCUMENT_HOVER)(on_hover)
    feature(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT)(on_virtual_document)
    feature(lsp.WINDOW_WORK_DONE_PROGRESS_CANCEL)(on_progress_cancel)
    feature(ext.STATUS)(on_status)
    feature(ext.DISCOVER_TEST)(on_discover_test)
    feature(ext.RUN_TEST)(on_run_test)
    feature(ext.ABORT_RUN_TEST)(on_abort_run_test)
    commands.register(server)
    server.protocol.without_arguments = partial(commands.without_arguments, server)


def on_initialize(ls: Server, params: lsp.InitializeParams) -> None:
    ls.can = resolve(params.capabilities, params.client_info)
    ls.options = params.initialization_options


def on_initialized(ls: Server, params: lsp.InitializedParams) -> None:
    from untilgreen.lsp.registration import hear_of_all, hear_of_disk

    ls.configuration.introduced(ls.options)
    ls.listening = True
    for message in (*ls.problems, *ls.engine.recovered):
        ls.say(message, lsp.MessageType.Warning)
    ls.jobs.spawn(ls.configuration.ask(), name="settings")
    ls.jobs.spawn(ls.configuration.register(), name="registration")
    ls.jobs.spawn(hear_of_all(ls), name="documents")
    ls.jobs.spawn(hear_of_disk(ls), name="files on disk")
    ls.telling.status()


async def on_shutdown(ls: Server, params: None) -> None:
    ls.publisher.clear()
    await ls.close()


def on_configuration(ls: Server, params: lsp.DidChangeConfigurationParams) -> None:
    if ls.can.configuration:
        ls.jobs.spawn(ls.configuration.ask(), name="settings")
    else:
        ls.configuration.changed(params.settings)


async def on_code_action(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction | lsp.Command]:
    from untilgreen.lsp.actions import code_actions
    from untilgreen.lsp.spots import spot_at

    spot = spot_at(ls, params.text_document.uri, params.range)
    if spot is None:
        return []
    spot = replace(spot, fixes=await ls.fixes.kept.looked_at(spot.fixes))
    actions = code_actions(spot, params.context)
    if ls.can.code_action_literals:
        return [*actions]
    return [action.command for action in actions if action.command is not None]


def on_code_lens(ls: Server, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    from untilgreen.lsp.lenses import lenses_of_fix, lenses_of_stubs, lenses_of_tests
    from untilgreen.lsp.places import places_in
    from untilgreen.lsp.spots import results_of, stubs_of, told_of

    seen = opened.seen(ls, params.text_document.uri)
    if seen is None:
        return []
    places = places_in(seen.text) if seen.has_tests else []
    held, fix = ls.fixes.kept.waiting(seen.around), []
    if held is not None:
        path = seen.path_in(held.job.goal.root)
        fix = lenses_of_fix(path, places, held.verdict, held.job.pristine, held.job.id)
    now = time.time()
    told = lenses_of_tests(places, lambda name: told_of(ls, seen, name), now)
    return fix + told + lenses_of_stubs(stubs_of(ls, seen), partial(results_of, ls), now)


def on_hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    from untilgreen.lsp.lenses import hover_text
    from untilgreen.lsp.places import places_in

    seen = opened.seen(ls, params.text_document.uri)
    if seen is None:
        return None
    line = params.position.line
    told = [
        (root, result)
        for root, mark in ls.publisher.tests_at(seen.file, line, line)
        for result in ls.results.of(root, mark.code)
    ]
    for place in places_in(seen.text) if seen.has_tests else []:
        if place.line == line + 1:
            where, found = ls.results.newest(seen.around, seen.file, place.name)
            told += [(where or seen.root, result) for result in found]
    results = {result.case.id: (root, result) for root, result in told}
    text = hover_text(
        [result for _, result in results.values()],
        lambda test: ls.results.attempts(results[test][0], test),
        time.time(),
        markdown=ls.can.markdown,
    )
    if not text:
        return None
    kind = lsp.MarkupKind.Markdown if ls.can.markdown else lsp.MarkupKind.PlainText
    return lsp.Hover(contents=lsp.MarkupContent(kind=kind, value=text))


def on_virtual_document(ls: Server, params: lsp.TextDocumentContentParams) -> lsp.TextDocumentContentResult:
    try:
        return lsp.TextDocumentContentResult(text=ls.reviews.text(params.uri))
    except UntilgreenError as error:
        raise JsonRpcInvalidParams(str(error)) from error


def on_progress_cancel(ls: Server, params: lsp.WorkDoneProgressCancelParams) -> None:
    from untilgreen.lsp.progress import job_of

    if (job := job_of(params.token)) is not None:
        ls.jobs.stop(job)
        ls.engine.proving.stop(job)


def on_status(ls: Server, params: Any) -> dict[str, Any]:
    return ls.telling.now()


async def on_discover_test(ls: Server, params: Any) -> dict[str, Any]:
    item = getattr(params, "testId", None)
    # Who asks for all of it wants it as it is now.
    for root in ls.documents.roots():
        await opened.look(ls, root, again=item is None)
    return ls.tree.discover(item if isinstance(item, str) else None)


def on_run_test(ls: Server, params: Any) -> None:
    ls.tree.run(_items(params, "include"), _items(params, "exclude"))


def on_abort_run_test(ls: Server, params: Any) -> None:
    ls.tree.abort()


def _items(params: Any, name: str) -> tuple[str, ...] | None:
    given = getattr(params, name, None)
    return tuple(str(item) for item in given) if isinstance(given, (list, tuple)) else None
