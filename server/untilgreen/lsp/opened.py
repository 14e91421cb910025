"""What the editor has open: seen as it is typed, so that tests, stubs and marks are those of the text now."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types as lsp

from untilgreen.lsp.folders import path_of, within
from untilgreen.lsp.server import Server


@dataclass(frozen=True, slots=True)
class Seen:
    """An open Python file."""

    uri: str
    root: Path
    path: str
    """Relative to the root."""
    text: str
    version: int | None
    has_tests: bool


def seen(ls: Server, uri: str) -> Seen | None:
    """None where we have nothing to offer: not a file, not open, not Python."""
    from untilgreen.lsp.places import is_test_file

    path = path_of(uri)
    document = ls.documents.at(path) if path is not None else None
    if path is None or document is None or path.suffix != ".py":
        return None
    root = ls.documents.root_of(path)
    relative = within(root, path) or path.name
    has_tests = is_test_file(relative) or ls.results.has_tests(root, relative)
    return Seen(uri, root, relative, document.source, document.version, has_tests)


def on_open(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    it = seen(ls, params.text_document.uri)
    if it is None:
        return
    _learn(ls, it)
    ls.watches.opened(it.root)
    if not ls.discovery.looked_at(it.root):
        ls.jobs.spawn(look(ls, it.root), name="looking for tests")


def on_change(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    it = seen(ls, params.text_document.uri)
    if it is not None:
        _learn(ls, it)
        ls.publisher.typed(it.root, it.path, it.text)
        ls.watches.typed(it.root, it.path, it.text)


def on_save(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    """The save itself waits for nothing: in watch mode, tests run a moment later."""
    path = path_of(params.text_document.uri)
    if path is not None and (root := ls.documents.root_of(path)) is not None:
        ls.watches.saved(root, within(root, path) or path.name)


def on_close(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    """What was typed and not saved is gone."""
    path = path_of(params.text_document.uri)
    if path is not None and (root := ls.documents.root_of(path)) is not None:
        ls.watches.closed(root, within(root, path) or path.name)


def on_folders(ls: Server, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
    """A folder that is gone takes its marks along, and its jobs."""
    for folder in params.event.removed:
        if (root := path_of(folder.uri)) is not None:
            ls.jobs.stop_in(root)
            ls.publisher.clear(root)
            ls.discovery.forget(root)
            ls.jobs.spawn(ls.watches.forget(root), name="watch off")
    ls.watches.reconsider()


async def look(ls: Server, root: Path) -> None:
    """Find the tests of a folder, once; later ones are seen when they are opened or run."""
    from untilgreen.lsp.discovery import look as look_into

    if ls.discovery.looked_at(root):
        return
    # So that the next one who asks does not begin again.
    ls.discovery.learn(root, {})
    ls.discovery.learn(root, await asyncio.to_thread(look_into, root))
    await ls.fixes.look_for_undo(root)
    ls.refresh_lenses()


def _learn(ls: Server, it: Seen) -> None:
    if ls.discovery.see(it.root, it.path, it.text, has_tests=it.has_tests):
        ls.tree.tell(it.root, it.path)
