"""What a watch tells a pipe: plain lines for people, or one JSON object a line for programs."""

from __future__ import annotations

import json
import sys
from typing import Any

from untilgreen.cli.contract import SCHEMA
from untilgreen.watching.modes import Mode
from untilgreen.watching.notes import Began, Ended, Note, Offered, Result, Said, Standing, Withdrawn, Wrote
from untilgreen_sandbox.report import CaseResult, Report

READY = "watching"
MOST_FAILURES = 10


class Lines:
    """Each line leaves at once: somebody may wait for it."""

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._standing = ""

    def open(self) -> None:
        _print(READY)
        _print(f"mode {self._mode}; a line with p pauses, m switches the mode, r runs again, q ends")

    def show(self, note: Note) -> None:
        match note:
            case Began(job, cause):
                _print(f"· {job.kind}: {cause}")
            case Result(job, report) if job.kind == "test" and (report.cases or job.affected is not None):
                for line in told_of(report):
                    _print(line)
            case Ended(job, reason) if job.kind == "solve":
                _print(f"· {reason}")
            case Offered(job, verdict, why):
                _print(
                    f"? a verified fix for {', '.join(verdict.patch.paths)}" + (f" ({why})" if why else "")
                )
                _print(verdict.diff.rstrip("\n"))
                _print("? a line with a writes it")
            case Withdrawn():
                _print("· the fix is not needed any more")
            case Wrote():
                _print(f"✓ {wrote(note)}")
            case Said(text):
                _print(f"! {text}")
            case Standing(mode, message):
                self._stand(mode, message)
            case _:
                pass

    def close(self) -> None:
        pass

    def _stand(self, mode: Mode, message: str) -> None:
        """What the other lines do not tell."""
        if mode != self._mode:
            self._mode = mode
            _print(f"mode {mode}")
        words = message.partition(":")[0]
        if words in ("waiting", "paused", "quiet") and message != self._standing:
            _print(message)
        self._standing = message


class JsonLines:
    """For programs."""

    def open(self) -> None:
        self._tell("watching")

    def show(self, note: Note) -> None:
        match note:
            case Standing(mode, message):
                self._tell("standing", mode=mode, message=message, busy=note.busy)
            case Began(job, cause):
                self._tell("began", job=job.id, kind=job.kind, cause=cause)
            case Result(job, report):
                red = [case.id for case in report.red]
                self._tell("result", job=job.id, tests=len(report.cases), red=red, rung=report.rung)
            case Ended(job, reason):
                self._tell("ended", job=job.id, reason=reason)
            case Offered(job, verdict, why):
                self._tell("offered", job=job.id, patch=verdict.diff, why=why)
            case Withdrawn(job):
                self._tell("withdrawn", job=job.id)
            case Wrote(job, verdict, paths):
                self._tell("wrote", job=job.id, patch=verdict.diff, paths=list(paths))
            case Said(text):
                self._tell("said", text=text)
            case _:
                pass

    def close(self) -> None:
        pass

    def _tell(self, type_: str, **more: Any) -> None:
        _print(json.dumps({"schema": SCHEMA, "type": type_, **more}))


def told_of(report: Report) -> list[str]:
    """What a run says: one line, and one more for each of the first failures."""
    if report.ended != "finished":
        return [f"✗ the run ended early ({report.ended}). {report.detail}".rstrip()]
    if not report.cases:
        return ["· no test is affected"]
    good = len(report.cases) - len(report.red)
    if not report.red:
        return [f"✓ {good} of {len(report.cases)} tests green ({report.seconds:.2f} s)"]
    lines = [f"✗ {len(report.red)} of {len(report.cases)} tests not green ({report.seconds:.2f} s)"]
    lines += [f"  {case.id}  {why(case)}" for case in report.red[:MOST_FAILURES]]
    more = len(report.red) - MOST_FAILURES
    return [*lines, f"  … and {more} more"] if more > 0 else lines


def why(case: CaseResult) -> str:
    """The first line of the reason."""
    if case.environment:
        return case.environment
    if case.failure is not None and case.failure.expected is not None:
        said = f"expected {case.failure.expected}, got {case.failure.actual}"
    else:
        said = f"{case.failure.type}: {case.message}" if case.failure is not None else case.message
    return said.partition("\n")[0][:160]


def wrote(note: Wrote) -> str:
    """What changed, and how to undo it, in one line."""
    fixed = len(note.verdict.fixed)
    tests = "1 test passes" if fixed == 1 else f"{fixed} tests pass"
    return f"fixed {', '.join(note.paths)}: {tests} again. Take it back with: untilgreen undo {note.job.id}"


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
