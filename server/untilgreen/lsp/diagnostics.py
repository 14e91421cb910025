"""From a report to diagnostics. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lsprotocol import types as lsp

from untilgreen.lsp.lines import Encoding, line_range, split_lines
from untilgreen_sandbox.report import CaseResult, Failure, Frame, Report

SOURCE = "untilgreen"
_LONGEST_MESSAGE = 2000


@dataclass(frozen=True, slots=True)
class Page:
    """How the text that ran is seen from the editor."""

    text: Callable[[str], str]
    """The text of a workspace-relative path; empty when there is none."""
    uri: Callable[[str], str]
    encoding: Encoding
    related_information: bool = True


def diagnostics_of(report: Report, page: Page) -> dict[str, list[lsp.Diagnostic]]:
    """One diagnostic for each case that is not good, by workspace-relative path."""
    found: dict[str, list[lsp.Diagnostic]] = {}
    for case in report.red:
        path, line = place_of(case)
        diagnostic = lsp.Diagnostic(
            range=_range(page, path, line),
            message=message_of(case),
            severity=lsp.DiagnosticSeverity.Error,
            code=case.id,
            source=SOURCE,
            data={"test": case.id},
            related_information=_other_frames(case, (path, line), page) or None,
        )
        found.setdefault(path, []).append(diagnostic)
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
    """The reason in words, then expected and actual where the runner knew them."""
    name = case.id.partition("::")[2] or case.id
    failure = case.failure
    if failure is None:
        return f"{name}: {case.reason or case.outcome}"
    lines = [f"{name}: {_reason(failure)}"]
    if failure.expected is not None and failure.actual is not None:
        lines += [f"expected: {failure.expected}", f"actual:   {failure.actual}"]
    message = "\n".join(lines)
    return message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + " …"


def _reason(failure: Failure) -> str:
    message = failure.message.strip()
    if not message:
        return failure.type
    # Runners disagree on whether the message opens with the name of the exception.
    return message if message.startswith(failure.type) else f"{failure.type}: {message}"


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
