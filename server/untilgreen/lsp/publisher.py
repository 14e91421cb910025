"""Pushes diagnostics, and remembers where, so that exactly those can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from untilgreen.lsp.diagnostics import Page, diagnostics_of, findings_of
from untilgreen.lsp.lines import split_lines
from untilgreen.lsp.results import settled_by
from untilgreen.model import Finding, Goal
from untilgreen_sandbox.report import Report

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server

Marks = dict[str, list[lsp.Diagnostic]]


@dataclass(frozen=True, slots=True)
class Ran:
    """The texts and versions that ran, which the user may have left behind by now."""

    texts: Mapping[str, str]
    versions: Mapping[str, int | None] = field(default_factory=dict)
    unsaved: tuple[str, ...] = ()


class Publisher:
    """The diagnostics the editor shows because of us: of tests, and of what needs eyes in a fix."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._tests: dict[Path, Marks] = {}
        self._findings: dict[Path, Marks] = {}
        self._lines: dict[Path, dict[int, str]] = {}
        """Of each finding the line that it speaks of: without it the finding is stale."""

    def publish(self, goal: Goal, report: Report, ran: Ran) -> None:
        """Show what this run found; what earlier runs found stays unless this run was about it."""
        page = self._page(goal.root, ran)
        before, settled = self._tests.get(goal.root, {}), settled_by(goal, report)
        now = {
            path: [mark for mark in marks if not settled(str(mark.code))] for path, marks in before.items()
        }
        for path, marks in diagnostics_of(report, page).items():
            now[path] = now.get(path, []) + marks
        self._tests[goal.root] = {path: marks for path, marks in now.items() if marks}
        self._send_all(goal.root, [path for path in now if now[path] or before.get(path)], ran.versions)

    def show_findings(self, root: Path, findings: tuple[Finding, ...], ran: Ran) -> None:
        """What needs eyes in the fix that was just applied; those of an earlier one are old news."""
        before = self._findings.get(root, {})
        now = findings_of(findings, self._page(root, ran))
        self._findings[root] = now
        for path, marks in now.items():
            lines = split_lines(ran.texts.get(path, ""))
            self._lines[root / path] = {id(mark): lines[mark.range.start.line] for mark in marks}
        self._send_all(root, [*before, *(path for path in now if path not in before)], ran.versions)

    def clear_findings(self, root: Path) -> None:
        self._send_all(root, list(self._findings.pop(root, {})), {})

    def typed(self, root: Path, path: str, text: str) -> None:
        """Findings about a line that is gone are gone with it."""
        marks = self._findings.get(root, {}).get(path)
        if not marks:
            return
        lines, told = set(split_lines(text)), self._lines.get(root / path, {})
        left = [mark for mark in marks if told.get(id(mark)) in lines]
        if len(left) < len(marks):
            self._findings[root][path] = left
            self._send_all(root, [path], {})

    def at(self, root: Path, path: str, first: int, last: int) -> list[lsp.Diagnostic]:
        """Marks of tests that touch these 0-based lines."""
        marks = self._tests.get(root, {}).get(path, ())
        return [mark for mark in marks if mark.range.start.line <= last and first <= mark.range.end.line]

    def clear(self, root: Path | None = None) -> None:
        """Take everything back, or all of one folder."""
        for one in {*self._tests, *self._findings} if root is None else {root}:
            paths = [*self._tests.pop(one, {}), *self._findings.pop(one, {})]
            self._send_all(one, list(dict.fromkeys(paths)), {})

    def _page(self, root: Path, ran: Ran) -> Page:
        return Page(
            text=lambda path: ran.texts.get(path, ""),
            uri=self._uri(root),
            encoding=self._server.encoding,
            related_information=self._server.can.related_information,
            unsaved=ran.unsaved,
        )

    def _uri(self, root: Path) -> Callable[[str], str]:
        return lambda path: self._server.documents.uri(root / path)

    def _send_all(self, root: Path, paths: list[str], versions: Mapping[str, int | None]) -> None:
        uri = self._uri(root)
        for path in paths:
            marks = [
                *self._tests.get(root, {}).get(path, ()),
                *self._findings.get(root, {}).get(path, ()),
            ]
            params = lsp.PublishDiagnosticsParams(
                uri=uri(path), diagnostics=marks, version=versions.get(path)
            )
            self._server.text_document_publish_diagnostics(params)
