"""Puts together all that is known about the place of the cursor. Look-ups only: it is asked on every move."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from lsprotocol import types as lsp

from untilgreen.lsp.actions import Spot, Stub
from untilgreen.lsp.folders import path_of, uri_of
from untilgreen.lsp.lenses import Told
from untilgreen.lsp.opened import Seen, seen
from untilgreen.lsp.places import Place, is_test_file, stubs_in
from untilgreen.lsp.results import Result
from untilgreen.lsp.server import Server
from untilgreen.solve.parts import mixes
from untilgreen.solve.support import folder_of_tests


def spot_at(ls: Server, uri: str, where: lsp.Range) -> Spot | None:
    """None where we have nothing to offer."""
    it = seen(ls, uri)
    if it is None:
        return None
    first, last = where.start.line, where.end.line
    undoable = ls.fixes.undoable(it.around)
    return Spot(
        uri,
        it.path,
        it.text,
        where,
        it.has_tests,
        marks=tuple(ls.publisher.at(it.root / it.path, first, last)),
        stubs=tuple(stub for stub in stubs_of(ls, it, first + 1, last + 1)),
        fixes=ls.fixes.kept.actions(it.around),
        undo=uri_of(undoable) if undoable is not None else "",
        running="" if ls.can.work_done_progress else ls.jobs.running_in(it.around),
        tags=ls.can.action_tags,
        folder=uri_of(it.root),
    )


def told_of(ls: Server, it: Seen, name: str) -> Told:
    """What was said last of a test of this file, in whatever folder around it; else how it would be run."""
    root, results = ls.results.newest(it.around, it.file, name)
    if root is None or root == it.root:
        return Told(it.uri, f"{it.path}::{name}", results)
    return Told(uri_of(root), f"{it.path_in(root)}::{name}", results)


def results_of(ls: Server, stub: Stub) -> list[Result]:
    """What was said last of the tests that reach it, in the folder where they have these names."""
    path = path_of(stub.uri)
    root = ls.documents.root_of(path) if path is not None else Path()
    return [result for test in stub.tests for result in ls.results.of(root, test)]


def stubs_of(ls: Server, it: Seen, first: int = 1, last: int = 1 << 31) -> list[Stub]:
    """Stubs that tests reach, on these 1-based lines."""
    here = [place for place in stubs_in(it.text) if place.first <= last and first <= place.last]
    if not here or _is_of_tests_alone(it):
        return []
    return [stub for place in here if (stub := _stub(ls, it, place)) is not None]


def _stub(ls: Server, it: Seen, place: Place) -> Stub | None:
    """None when no test reaches it; tests of a folder further out count when the inner ones have none."""
    for root in it.around:
        if tests := _reaching(ls, root, it.path_in(root), place):
            return Stub(place, tests, it.uri if root == it.root else uri_of(root))
    return None


def _is_of_tests_alone(it: Seen) -> bool:
    """No fix may change such a file; one that tests what it defines itself holds code, too."""
    if not is_test_file(it.path) or folder_of_tests(it.path):
        return bool(folder_of_tests(it.path))
    folders = {it.root, it.root / "src", (it.root / it.path).parent}
    beside = {
        file.name.removesuffix(".py") for folder in folders if folder.is_dir() for file in folder.iterdir()
    }
    modules = frozenset(beside - {PurePosixPath(it.path).stem})
    return not mixes(it.path, it.text.encode("utf-8", "surrogatepass"), modules)


def _reaching(ls: Server, root: Path, path: str, place: Place) -> tuple[str, ...]:
    """Tests that were seen to fail in it, and tests that name it or what leads to it."""
    failed = [
        result.case.id
        for result in ls.results.failing(root)
        if result.case.failure is not None
        and any(
            frame.path == path and place.first <= frame.line <= place.last
            for frame in result.case.failure.frames
        )
    ]
    naming = ls.discovery.reaching(root, place.names)
    # A function stands for all of its cases.
    return tuple(dict.fromkeys((*(one for one in failed if one.partition("[")[0] not in naming), *naming)))
