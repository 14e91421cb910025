"""From a report to diagnostics. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from lsprotocol import types as lsp

from untilgreen.lsp.lines import Encoding, line_range, split_lines
from untilgreen.lsp.places import is_test_file
from untilgreen.lsp.words import cut, name_of
from untilgreen.model import Finding
from untilgreen_sandbox.report import CaseResult, Failure, Frame, Report

SOURCE = "untilgreen"
FOLDER = "folder"
"""Where the data of a diagnostic says in which workspace folder its test was run."""
Kind = Literal["failure", "reached", "environment", "finding"]
_LONGEST_MESSAGE = 2000


@dataclass(frozen=True, slots=True)
class Page:
    """How the text that ran is seen from the editor."""

    text: Callable[[str], str]
    """The text of a workspace-relative path; empty when there is none."""
    uri: Callable[[str], str]
    encoding: Encoding
    related_information: bool = True
    unsaved: tuple[str, ...] = ()
    """Files that ran with text that is not on disk."""


def diagnostics_of(report: Report, page: Page) -> dict[str, list[lsp.Diagnostic]]:
    """For each case that is not good one where it asserts, and one where the user's own code gave up."""
    found: dict[str, list[lsp.Diagnostic]] = {}
    test_files = {case.path for case in report.cases}
    for case in report.red:
        path, line = place_of(case)
        kind: Kind = "environment" if case.environment else "failure"
        mark = _mark(page, path, line, case, kind)
        mark.related_information = _other_frames(case, (path, line), page) or None
        found.setdefault(path, []).append(mark)
        deepest = _deepest_own(case, test_files)
        if deepest is not None and not case.environment and deepest != (path, line):
            found.setdefault(deepest[0], []).append(_mark(page, *deepest, case, "reached"))
    return found


def findings_of(findings: Iterable[Finding], page: Page) -> dict[str, list[lsp.Diagnostic]]:
    """What in an applied fix needs eyes."""
    found: dict[str, list[lsp.Diagnostic]] = {}
    for finding in findings:
        if finding.path:
            found.setdefault(finding.path, []).append(
                lsp.Diagnostic(
                    range=_range(page, finding.path, finding.line),
                    message=f"In the fix: {finding.reason}",
                    severity=lsp.DiagnosticSeverity.Information,
                    code=finding.rule,
                    source=SOURCE,
                    data={"kind": "finding"},
                )
            )
    return found


def place_of(case: CaseResult) -> tuple[str, int]:
    """Path and 1-based line: the failing assertion in the test's own file, else the test itself.

    A file that could not be collected is marked where it broke, which may be in another file.
    """
    own_path = case.path or case.id.partition("::")[0]
    frames = [frame for frame in _frames(case) if frame.path is not None]
    collected = "::" in case.id
    here = [frame for frame in frames if frame.path == own_path or not collected]
    if here:
        innermost = here[-1]
        return innermost.path or own_path, innermost.line
    return own_path, case.line


def paths_in(report: Report) -> set[str]:
    """Every workspace file that a diagnostic of this report may point to."""
    places = {place_of(case)[0] for case in report.red}
    return places | {frame.path for case in report.red for frame in _frames(case) if frame.path is not None}


def message_of(case: CaseResult) -> str:
    """The reason in words, then expected and actual where the runner knew them, or the remedy."""
    name = name_of(case.id)
    if case.environment:
        return f"{name} cannot pass here, whatever the code is. {case.environment}\n{reason_of(case)}"
    lines = [f"{name}: {reason_of(case)}"]
    failure = case.failure
    if failure is not None and failure.expected is not None and failure.actual is not None:
        lines += [f"expected: {failure.expected}", f"actual:   {failure.actual}"]
    return "\n".join(lines)


def reason_of(case: CaseResult) -> str:
    """Why a test did not pass, without its name."""
    if case.failure is None:
        return case.reason or case.outcome
    message = case.failure.message.strip()
    if not message:
        return case.failure.type
    # Runners disagree on whether the message opens with the name of the exception.
    return message if message.startswith(case.failure.type) else f"{case.failure.type}: {message}"


def _mark(page: Page, path: str, line: int, case: CaseResult, kind: Kind) -> lsp.Diagnostic:
    message = message_of(case) if kind != "reached" else _reached(case, case.failure)
    if page.unsaved:
        message += f"\nRan with unsaved changes in {', '.join(page.unsaved)}."
    severity = lsp.DiagnosticSeverity.Error if kind == "failure" else lsp.DiagnosticSeverity.Warning
    return lsp.Diagnostic(
        range=_range(page, path, line),
        message=cut(message, _LONGEST_MESSAGE),
        severity=severity,
        code=case.id,
        source=SOURCE,
        data={"test": case.id, "kind": kind},
    )


def _reached(case: CaseResult, failure: Failure | None) -> str:
    said = reason_of(case) if failure is not None else case.outcome
    return f"{name_of(case.id)} fails here: {said}"


def _deepest_own(case: CaseResult, test_files: set[str]) -> tuple[str, int] | None:
    """The last frame in code that is not a test's."""
    own = [
        (frame.path, frame.line)
        for frame in _frames(case)
        if frame.path is not None and frame.path not in test_files and not _is_of_tests(frame.path)
    ]
    return own[-1] if own else None


def _is_of_tests(path: str) -> bool:
    return is_test_file(path) or path.rpartition("/")[2] == "conftest.py"


def _frames(case: CaseResult) -> tuple[Frame, ...]:
    return case.failure.frames if case.failure else ()


def _range(page: Page, path: str, line: int) -> lsp.Range:
    return line_range(split_lines(page.text(path)), line, page.encoding)


def _other_frames(
    case: CaseResult, place: tuple[str, int], page: Page
) -> list[lsp.DiagnosticRelatedInformation]:
    if not page.related_information:
        return []
    return [
        lsp.DiagnosticRelatedInformation(
            location=lsp.Location(uri=page.uri(frame.path), range=_range(page, frame.path, frame.line)),
            message=f"in {frame.function}: {frame.source}" if frame.source else f"in {frame.function}",
        )
        for frame in _frames(case)
        if frame.path is not None and (frame.path, frame.line) != place
    ]
