"""What the editor has open: seen as it is typed, so that tests, stubs and marks are those of the text now."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lsprotocol import types as lsp

from untilgreen.lsp.folders import path_of, within
from untilgreen.lsp.server import Server

MOST_AT_ONCE = 50
"""Files that changed on disk and are read one by one."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An open Python file."""

    uri: str
    around: tuple[Path, ...]
    """The workspace folders that hold it, the innermost first."""
    path: str
    """Relative to the innermost."""
    text: str
    version: int | None
    has_tests: bool

    @property
    def root(self) -> Path:
        return self.around[0]

    @property
    def file(self) -> Path:
        return self.root / self.path

    def path_in(self, root: Path) -> str:
        """Relative to one of the folders around it."""
        return self.file.relative_to(root).as_posix()


def seen(ls: Server, uri: str) -> Seen | None:
    """None where we have nothing to offer: not a file, not open, not Python."""
    from untilgreen.lsp.places import is_test_file

    path = path_of(uri)
    document = ls.documents.at(path) if path is not None else None
    if path is None or document is None or path.suffix != ".py":
        return None
    around = tuple(ls.documents.around(path))
    relative = within(around[0], path) or path.name
    has_tests = is_test_file(relative) or any(
        ls.results.has_tests(root, path.relative_to(root).as_posix()) for root in around
    )
    return Seen(uri, around, relative, document.source, document.version, has_tests)


def on_open(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    _hold(ls, params.text_document.uri, params.text_document.text)
    it = seen(ls, params.text_document.uri)
    if it is None:
        return
    # What ran may have been another text.
    _learn(ls, it)
    ls.watches.opened(it.root)
    for root in it.around:
        _forget_what_is_gone(ls, root)
        if ls.discovery.looked_at(root):
            _look_for_undo(ls, root)
        else:
            ls.jobs.spawn(look(ls, root), name="looking for tests")


def on_change(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    it = seen(ls, params.text_document.uri)
    if it is None:
        _hold(ls, params.text_document.uri)
        return
    _hold(ls, it.uri, it.text)
    _learn(ls, it)
    ls.watches.typed(it.root, it.path, it.text)


def on_save(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    """The save itself waits for nothing: in watch mode, tests run a moment later."""
    path = path_of(params.text_document.uri)
    if path is not None:
        root = ls.documents.root_of(path)
        ls.documents.saved(path)
        for one in ls.documents.around(path):
            _forget_what_is_gone(ls, one)
            _look_for_undo(ls, one)
        ls.watches.saved(root, within(root, path) or path.name)


def on_close(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    """What was typed and not saved is gone, and so is what was seen of it."""
    path = path_of(params.text_document.uri)
    if path is None:
        return
    root = ls.documents.root_of(path)
    relative = within(root, path) or path.name
    lost = ls.documents.closed(path)
    ls.watches.closed(root, relative, lost=lost)
    for one in ls.documents.around(path):
        there = within(one, path) or path.name
        if lost:
            ls.publisher.thrown_away(one, there)
            ls.results.thrown_away(one, there)
        _look_at_disk(ls, one, there)
        _forget_what_is_gone(ls, one)
    if lost:
        ls.refresh_lenses()


def on_files(ls: Server, params: lsp.DidChangeWatchedFilesParams) -> None:
    """Code came, went or changed on disk; what is open is seen as it is typed."""
    touched: dict[Path, dict[str, None]] = {}
    for event in params.changes:
        if (path := path_of(event.uri)) is not None:
            ls.documents.changed(path)
            for root in ls.documents.around(path):
                touched.setdefault(root, {})[within(root, path) or path.name] = None
    concerned = {root: _concerned(ls, root, paths) for root, paths in touched.items()}
    if sum(map(len, concerned.values())) > MOST_AT_ONCE:
        # Another branch, perhaps: the editor must not wait for so many.
        for root in concerned:
            ls.jobs.spawn(look(ls, root, again=True), name="looking for tests again")
        return
    for root, paths in concerned.items():
        for name in paths:
            _look_at_disk(ls, root, name)


def on_folders(ls: Server, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
    """A folder that is gone takes its marks along, its jobs and its fixes."""
    for folder in params.event.removed:
        if (root := path_of(folder.uri)) is not None:
            ls.documents.folder_removed(root)
            ls.jobs.stop_in(root)
            ls.publisher.clear(root)
            ls.discovery.forget(root)
            ls.fixes.forget(root)
            ls.telling.forget(root)
            ls.jobs.spawn(ls.watches.forget(root), name="watch off")
    ls.watches.reconsider()
    # Another folder may have settings of its own.
    ls.jobs.spawn(ls.configuration.ask(), name="settings")


async def look(ls: Server, root: Path, *, again: bool = False) -> None:
    """Find the tests of a folder, once unless asked again; who comes while it is looked at waits, too."""
    if root not in ls.looking:
        if ls.discovery.looked_at(root) and not again:
            return
        task = ls.looking[root] = ls.jobs.spawn(_look(ls, root), name="looking into a folder")
        task.add_done_callback(lambda _: ls.looking.pop(root, None))
    await asyncio.shield(ls.looking[root])


async def _look(ls: Server, root: Path) -> None:
    from untilgreen.lsp.discovery import look as look_into

    found = {} if ls.documents.no_project(root) else await asyncio.to_thread(look_into, root)
    is_first = not ls.discovery.looked_at(root)
    if others := ls.discovery.learn(root, found, ls.documents.under(root)):
        ls.tree.tell_files(root)
        _forget_what_is_gone(ls, root, others)
        # At first all of them are new, and whoever shows one asks for it.
        for path in () if is_first else others:
            ls.tree.tell(root, path)
    for path in ls.publisher.paths(root):
        _look_at_disk(ls, root, path)
    await ls.fixes.look_for_undo(root)
    ls.refresh_lenses()


def _hold(ls: Server, uri: str, text: str | None = None) -> None:
    path = path_of(uri)
    document = ls.documents.at(path) if path is not None else None
    if path is not None and document is not None:
        ls.documents.holds(path, document.source if text is None else text)


def _learn(ls: Server, it: Seen) -> None:
    """Each folder around it may know of its tests, and may have marked something in it."""
    for root in it.around:
        path = it.path_in(root)
        if ls.discovery.see(root, path, it.text, has_tests=it.has_tests):
            ls.tree.tell(root, path)
        ls.publisher.typed(root, path, it.text)


def _concerned(ls: Server, root: Path, touched: Collection[str]) -> list[str]:
    """Of these files and folders what we know, and tests that we do not know yet."""
    from untilgreen.lsp.places import is_test_file

    known = {*ls.publisher.paths(root), *ls.discovery.files(root)}
    below = {path for path in known if any(str(folder) in touched for folder in PurePosixPath(path).parents)}
    return [*(path for path in touched if path in known or is_test_file(path)), *sorted(below)]


def _look_for_undo(ls: Server, root: Path) -> None:
    """A fix may have come back with its files, as with a branch; then it can be taken out again."""
    if ls.fixes.undoable([root]) is None:
        ls.jobs.spawn(ls.fixes.look_for_undo(root), name="looking for a fix")


def _forget_what_is_gone(ls: Server, root: Path, also: Iterable[str] = ()) -> None:
    """Not every editor tells of files on disk; what it tells of anyway is a moment to look."""
    for path in {*ls.publisher.paths(root), *also}:
        if ls.documents.at(root / path) is None and not (root / path).exists():
            ls.publisher.gone(root, path)


def _look_at_disk(ls: Server, root: Path, path: str) -> None:
    """The tests and marks of a file that is not open."""
    from untilgreen.lsp.discovery import read_text

    if not path.endswith(".py") or ls.documents.at(root / path) is not None:
        return
    text = read_text(root / path)
    is_new = path not in ls.discovery.files(root)
    if text is None:
        if not (root / path).exists():
            ls.publisher.gone(root, path)
        if ls.discovery.lose(root, path):
            ls.tree.tell_files(root)
        return
    ls.publisher.typed(root, path, text)
    if ls.discovery.see(root, path, text, has_tests=ls.results.has_tests(root, path)):
        if is_new:
            ls.tree.tell_files(root)
        ls.tree.tell(root, path)
