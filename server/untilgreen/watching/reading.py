"""What a run says to watch mode: about which tests, or why about none. Pure."""

from __future__ import annotations

from untilgreen.model import Verdict
from untilgreen.watching.steps import Tested
from untilgreen_sandbox.report import CaseResult, Report

_UNREADABLE = frozenset({"SyntaxError", "IndentationError", "TabError"})


def untold(verdict: Verdict) -> str:
    """Why nobody knows how the tests do after this run; empty when it told of all of them."""
    report = verdict.after
    if report is None:
        return verdict.reason
    told = verdict.ok or bool(verdict.still_failing or verdict.environment)
    if report.ended == "finished":
        return "" if told else verdict.reason
    return f"{verdict.reason} The run ended early ({report.ended})." if told else verdict.reason


def tested(
    report: Report, *, whole: bool, affected: tuple[str, ...] | None = None, left: bool = False
) -> Tested:
    """What was learnt from a run that came to its end."""
    return Tested(
        whole,
        red=tuple(case.id for case in report.red if not case.environment),
        ran=tuple(case.id for case in report.cases),
        affected=affected,
        left=left,
        blocked={case.id: case.environment for case in report.red if case.environment},
        unread={case.id: why for case in report.red if (why := _unread(case))},
    )


def _unread(case: CaseResult) -> str:
    """Which file of the workspace keeps this test from being read."""
    failure = case.failure
    if failure is None or failure.type not in _UNREADABLE or not failure.frames:
        return ""
    last = failure.frames[-1]
    # Whoever compiles a text of its own fails in a function, or in no file of the workspace.
    if last.path is None or last.function != "<module>":
        return ""
    return f"{last.path} does not parse yet (line {last.line})"
