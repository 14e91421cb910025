"""Pushes diagnostics, and remembers where, so that exactly those can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from untilgreen.lsp.diagnostics import FOLDER, Page, diagnostics_of, findings_of
from untilgreen.lsp.folders import path_of, uri_of, within
from untilgreen.lsp.marks import Mark, Ran
from untilgreen.lsp.results import settled_by
from untilgreen.model import Finding, Goal
from untilgreen_sandbox.report import Report

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server

Marks = dict[str, list[Mark]]


class Publisher:
    """The diagnostics the editor shows because of us: of tests, and of what needs eyes in a fix."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._tests: dict[Path, Marks] = {}
        self._findings: dict[Path, Marks] = {}

    def publish(self, goal: Goal, report: Report, ran: Ran) -> None:
        """Show what this run found; what earlier runs found stays unless this run was about it."""
        root, settled = goal.root, settled_by(goal, report)
        found = {
            path: [Mark(mark, ran, path) for mark in marks]
            for path, marks in diagnostics_of(report, self._page(root, ran)).items()
        }
        # A folder inside another one, or around it, may have told of the same tests.
        for other in list(self._tests):
            if other != root and (root.is_relative_to(other) or other.is_relative_to(root)):
                self._drop(other, partial(_settled_here, its_root=other, root=root, settled=settled))
        self._drop(root, lambda mark: settled(mark.code), and_send=found)
        marks = self._tests.setdefault(root, {})
        for path, new in found.items():
            marks.setdefault(path, []).extend(new)
        self._send_all(root, found)

    def show_findings(self, root: Path, findings: tuple[Finding, ...], ran: Ran) -> None:
        """What needs eyes in the fix that was just applied; those of an earlier one are old news."""
        before = self._findings.get(root, {})
        now = findings_of(findings, self._page(root, ran))
        self._findings[root] = {
            path: [Mark(mark, ran, path) for mark in marks] for path, marks in now.items()
        }
        self._send_all(root, {**before, **now})

    def clear_findings(self, root: Path) -> None:
        self._send_all(root, self._findings.pop(root, {}))

    def typed(self, root: Path, path: str, text: str) -> None:
        """Findings about a line that is gone are gone with it, and so are marks of a test that is gone."""
        marks = self._findings.get(root, {}).get(path, [])
        left = [mark for mark in marks if mark.is_on_its_line(text)]
        if len(left) < len(marks):
            self._findings[root][path] = left
            self._send_all(root, [path])
        gone = {mark.code for mark in self._tests.get(root, {}).get(path, ()) if mark.lost_its_test(text)}
        if gone:
            self._drop(root, lambda mark: mark.code in gone)

    def thrown_away(self, root: Path, path: str) -> None:
        """What was typed there was never saved and is gone: what was seen of it is stale."""
        self._drop(root, lambda mark: path in mark.ran.unsaved)

    def gone(self, root: Path, path: str) -> None:
        """The file is no more: neither is what was marked in it, nor what was said of its tests elsewhere."""
        self._drop(root, lambda mark: path in (mark.path, mark.code.partition("::")[0]))
        if self._findings.get(root, {}).pop(path, []):
            self._send_all(root, [path])

    def paths(self, root: Path) -> list[str]:
        """The files of a folder that something is shown in."""
        return [*{**self._tests.get(root, {}), **self._findings.get(root, {})}]

    def at(self, file: Path, first: int, last: int) -> list[lsp.Diagnostic]:
        """Marks of tests that touch these 0-based lines, as the text is now, from whatever folder."""
        return [self._now(root, mark) for root, mark in self.tests_at(file, first, last)]

    def tests_at(self, file: Path, first: int, last: int) -> list[tuple[Path, Mark]]:
        """The same, each with the folder that its test was run in."""
        text = self._server.documents.text(file)
        return [(root, mark) for root, mark in _in(self._tests, file) if mark.touches(first, last, text)]

    def clear(self, root: Path | None = None) -> None:
        """Take everything back, or all of one folder."""
        for one in {*self._tests, *self._findings} if root is None else {root}:
            self._send_all(one, {**self._tests.pop(one, {}), **self._findings.pop(one, {})})

    def _drop(self, root: Path, is_stale: Callable[[Mark], bool], *, and_send: Iterable[str] = ()) -> None:
        """Forget marks of tests, and tell where; who sends a path anyway does not want it told twice."""
        marks = self._tests.get(root, {})
        fewer = []
        for path, here in list(marks.items()):
            left = [mark for mark in here if not is_stale(mark)]
            if len(left) < len(here):
                marks[path] = left
                fewer.append(path)
            if not left:
                del marks[path]
        later = set(and_send)
        self._send_all(root, [path for path in fewer if path not in later])

    def _page(self, root: Path, ran: Ran) -> Page:
        return Page(
            text=lambda path: ran.texts.get(path, ""),
            uri=lambda path: self._server.documents.uri(root / path),
            encoding=self._server.encoding,
            related_information=self._server.can.related_information,
            unsaved=ran.unsaved,
        )

    def _now(self, root: Path, mark: Mark) -> lsp.Diagnostic:
        """Where it is in what the editor shows; of a file that is not open, where it was."""

        def text(path: str) -> str | None:
            document = self._server.documents.at(root / path)
            return document.source if document is not None else None

        def inside(uri: str) -> str | None:
            path = path_of(uri)
            return within(root, path) if path is not None else None

        now = mark.now(text, inside, self._server.encoding)
        now.data = {**(now.data or {}), FOLDER: uri_of(root)}
        return now

    def _send_all(self, root: Path, paths: Iterable[str]) -> None:
        """All that is known of each file, from whatever folder, replaces what the editor had."""
        for path in paths:
            file = root / path
            marks = [
                self._now(one, mark)
                for known in (self._tests, self._findings)
                for one, mark in _in(known, file)
            ]
            document = self._server.documents.at(file)
            version = document.version if document is not None else None
            uri = self._server.documents.uri(file)
            params = lsp.PublishDiagnosticsParams(uri=uri, diagnostics=marks, version=version)
            self._server.text_document_publish_diagnostics(params)


def _in(known: Mapping[Path, Marks], file: Path) -> Iterator[tuple[Path, Mark]]:
    """All marks of a file: a folder may lie in another one, and both may tell of it."""
    for root, by_path in known.items():
        if (inside := within(root, file)) is not None:
            for mark in by_path.get(inside, ()):
                yield root, mark


def _settled_here(mark: Mark, its_root: Path, root: Path, settled: Callable[[str], bool]) -> bool:
    """Whether a run in one folder says the last word about a test that was told of from another."""
    path, separator, name = mark.code.partition("::")
    inside = within(root, its_root / path)
    return inside is not None and settled(f"{inside}{separator}{name}")
