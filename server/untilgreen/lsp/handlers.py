"""The table of contents: what the editor may ask, and who answers. Handlers are short and return at once."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

# These are imported for real: pygls reads the annotations of handlers when it is running.
from untilgreen.lsp import ext
from untilgreen.lsp.actions import KINDS, Spot, code_actions
from untilgreen.lsp.capabilities import resolve
from untilgreen.lsp.folders import path_of, within
from untilgreen.lsp.places import is_test_file
from untilgreen.lsp.progress import job_of
from untilgreen.lsp.server import Server
from untilgreen.model import Goal


def register(server: Server) -> None:
    """Tell pygls who answers what."""
    server.feature(lsp.INITIALIZE)(on_initialize)
    server.feature(lsp.INITIALIZED)(on_initialized)
    server.feature(lsp.SHUTDOWN)(on_shutdown)
    actions = lsp.CodeActionOptions(code_action_kinds=list(KINDS), resolve_provider=False)
    server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, actions)(on_code_action)
    server.feature(lsp.WINDOW_WORK_DONE_PROGRESS_CANCEL)(on_progress_cancel)
    server.command(ext.TEST)(on_test)
    server.command(ext.SOLVE)(on_solve)
    server.command(ext.STOP)(on_stop)
    server.command(ext.UNDO)(on_undo)


def on_initialize(ls: Server, params: lsp.InitializeParams) -> None:
    ls.can = resolve(params.capabilities)


def on_initialized(ls: Server, params: lsp.InitializedParams) -> None:
    for message in (*ls.problems, *ls.engine.recovered):
        ls.say(message, lsp.MessageType.Warning)


async def on_shutdown(ls: Server, params: None) -> None:
    ls.publisher.clear()
    await ls.close()


def on_code_action(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction | lsp.Command]:
    uri = params.text_document.uri
    spot = _spot(ls, uri, params.range)
    if spot is None:
        return []
    actions = code_actions(spot, params.context)
    if ls.can.code_action_literals:
        return [*actions]
    return [action.command for action in actions if action.command is not None]


def on_progress_cancel(ls: Server, params: lsp.WorkDoneProgressCancelParams) -> None:
    if (job := job_of(params.token)) is not None:
        ls.jobs.stop(job)


def on_test(ls: Server, arguments: ext.RunArguments) -> ext.Started:
    return ls.jobs.start("test", Goal(_root(ls, arguments.uri), arguments.tests), cause=ext.TEST)


def on_solve(ls: Server, arguments: ext.SolveArguments) -> ext.Started:
    goal = Goal(_root(ls, arguments.uri), arguments.tests, arguments.note)
    return ls.jobs.start("solve", goal, cause=ext.SOLVE)


def on_stop(ls: Server, arguments: ext.StopArguments) -> bool:
    return ls.jobs.stop(arguments.job)


def on_undo(ls: Server, arguments: ext.UndoArguments) -> None:
    ls.jobs.undo(Goal(_root(ls, arguments.uri)), arguments.job, arguments.force)


def _spot(ls: Server, uri: str, where: lsp.Range) -> Spot | None:
    """None where we have nothing to offer: not a file, not open, not Python."""
    path = path_of(uri)
    document = ls.documents.at(path) if path is not None else None
    if path is None or document is None or path.suffix != ".py":
        return None
    root = ls.documents.root_of(path)
    relative = within(root, path) or path.name
    has_tests = is_test_file(relative) or ls.publisher.is_test_file(root, relative)
    return Spot(uri, relative, document.source, where, has_tests)


def _root(ls: Server, uri: str) -> Path:
    path = path_of(uri)
    if path is None:
        raise JsonRpcInvalidParams(f"{uri} is not a file on this machine")
    return ls.documents.root_of(path)
