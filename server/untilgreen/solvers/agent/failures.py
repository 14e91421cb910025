"""What a run says about the tests that are red, for a model. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from untilgreen.failure_key import failure_key
from untilgreen_sandbox.report import CaseResult, Failure, Frame, Report

_RULE = re.compile(r"^(?:-{3,}|={3,}|_{3,}) .*(?:-{3,}|={3,}|_{3,})$")
MOST_CASES = 8
MOST_FRAMES = 8
MOST_MESSAGE = 1500
MOST_VALUE = 1000
MOST_OUTPUT = 1500


def told(report: Report, wanted: Collection[str]) -> str:
    """The failures of these tests, alike ones only once; and what the run printed."""
    red = [case for case in report.red if case.id in wanted or case.id.split("::")[0] in wanted]
    parts: list[str] = []
    seen: dict[str, list[str]] = {}
    for case in red:
        key = failure_key(case.failure)
        if key and key in seen:
            seen[key].append(case.id)
            continue
        seen[key or case.id] = []
        if len(parts) < MOST_CASES:
            parts.append(_case(case))
    alike = [other for others in seen.values() for other in others]
    if alike:
        parts.append(f"In the same way: {_names(alike)}")
    left = len(red) - len(alike) - min(len(seen), MOST_CASES)
    if left > 0:
        parts.append(f"And {left} more that fail in other ways.")
    if report.ended != "finished":
        parts.insert(0, f"The run did not finish ({report.ended}): {report.detail}")
    if printed := _printed(report, whole=not red or report.ended != "finished"):
        parts.append(f"Printed, the last of it:\n{printed[-MOST_OUTPUT:]}")
    return "\n\n".join(parts) or "No failure was reported."


def _case(case: CaseResult) -> str:
    lines = [f"{case.id} {case.outcome}"]
    if case.failure is not None:
        lines += _failure(case.failure)
    elif case.reason:
        lines.append(case.reason[:MOST_MESSAGE])
    return "\n".join(lines)


def _failure(failure: Failure) -> list[str]:
    lines = [f"{failure.type}: {failure.message[:MOST_MESSAGE]}"]
    if failure.expected is not None:
        lines += [
            f"expected: {failure.expected[:MOST_VALUE]}",
            f"actual:   {(failure.actual or '')[:MOST_VALUE]}",
        ]
    return lines + _frames(failure.frames)


def _frames(frames: Iterable[Frame]) -> list[str]:
    own = [frame for frame in frames if frame.path is not None]
    left = len(own) - MOST_FRAMES
    shown = own if left <= 0 else [*own[:2], *own[-(MOST_FRAMES - 2) :]]
    lines = [f"  {frame.path}:{frame.line} in {frame.function}: {frame.source}" for frame in shown]
    if left > 0:
        lines.insert(2, f"  … {left} more …")
    return lines


def _printed(report: Report, *, whole: bool) -> str:
    """What the tests themselves printed; the rest of the output says again what the cases say."""
    lines = (report.output.head + report.output.tail).splitlines()
    if whole:
        return "\n".join(lines).strip()
    kept, inside = [], False
    for line in lines:
        if _RULE.match(line):
            inside = " Captured " in line
        elif inside:
            kept.append(line)
    return "\n".join(kept).strip()


def _names(tests: list[str]) -> str:
    return ", ".join(tests[:10]) + (f" and {len(tests) - 10} more" if len(tests) > 10 else "")
