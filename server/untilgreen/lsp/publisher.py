"""Pushes diagnostics, and remembers where, so that exactly those can be taken back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from untilgreen.lsp.diagnostics import Page, diagnostics_of
from untilgreen.model import Goal
from untilgreen_sandbox.report import Report

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server


class Publisher:
    """The diagnostics the editor shows because of us."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._shown: dict[Path, dict[str, list[lsp.Diagnostic]]] = {}
        self._test_files: dict[Path, set[str]] = {}

    def publish(
        self, goal: Goal, report: Report, texts: Mapping[str, str], versions: Mapping[str, int | None]
    ) -> None:
        """Show what this run found; what earlier runs found stays unless this run was about it.

        Texts and versions are those that ran, which the user may have left behind by now.
        """
        root = goal.root
        self._test_files.setdefault(root, set()).update(case.path for case in report.cases)
        page = Page(
            text=lambda path: texts.get(path, ""),
            uri=lambda path: self._server.documents.uri(root / path),
            encoding=self._server.encoding,
            related_information=self._server.can.related_information,
        )
        before = self._shown.get(root, {})
        now = {
            path: [
                diagnostic for diagnostic in diagnostics if not _settled(str(diagnostic.code), goal, report)
            ]
            for path, diagnostics in before.items()
        }
        for path, diagnostics in diagnostics_of(report, page).items():
            now[path] = now.get(path, []) + diagnostics
        for path, diagnostics in now.items():
            if diagnostics or before.get(path):
                self._send(page.uri(path), diagnostics, versions.get(path))
        self._shown[root] = {path: diagnostics for path, diagnostics in now.items() if diagnostics}

    def is_test_file(self, root: Path, path: str) -> bool:
        """True when a run found tests there, whatever the file is called."""
        return path in self._test_files.get(root, ())

    def clear(self) -> None:
        """Take everything back."""
        for root, shown in self._shown.items():
            for path in shown:
                self._send(self._server.documents.uri(root / path), [], None)
        self._shown.clear()

    def _send(self, uri: str, diagnostics: list[lsp.Diagnostic], version: int | None) -> None:
        params = lsp.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics, version=version)
        self._server.text_document_publish_diagnostics(params)


def _settled(test_id: str, goal: Goal, report: Report) -> bool:
    """True when the run says the last word about an earlier finding."""
    if goal.covers(test_id) or report.case(test_id) is not None:
        return True
    # A file that could not be collected has no test in its id; one test run from it settles that.
    return any(case.id.startswith(f"{test_id}::") for case in report.cases)
