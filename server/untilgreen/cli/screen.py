"""What a person sees in the terminal. Listens to events; everything but a result goes to stderr."""

from __future__ import annotations

import json
import sys
import time
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from untilgreen.doctor import Diagnosis
from untilgreen.events import (
    BaselineDone,
    BoxOpened,
    Event,
    FlakyFound,
    PlanMade,
    Planning,
    Preparing,
    Reflecting,
    Refused,
    Rerunning,
    Searching,
    SnapshotTaken,
    Tested,
    Testing,
    Told,
    Verifying,
    to_json,
)
from untilgreen.model import Verdict
from untilgreen_sandbox.report import CaseResult, Report

COLOURS = {"passed": "green", "failed": "red", "error": "red", "skipped": "yellow"}
MOST_ROWS = 60
MOST_NAMES = 5
_MARKS = {"good": ("✓", "green"), "note": ("·", "yellow"), "bad": ("✗", "red")}
_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


class Screen:
    """Lines for what happened, one moving line for what is happening."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._out = Console(quiet=quiet, highlight=False)
        self._progress = Console(stderr=True, highlight=False)
        self._verbose = verbose
        self._status: Status | None = None
        self._seq = 0

    def live(self) -> AbstractContextManager[object]:
        # Colours may be forced into a file; a moving line belongs on a real terminal only.
        if not sys.stderr.isatty():
            return nullcontext()
        self._status = self._progress.status("preparing")
        return self._status

    def show(self, event: Event) -> None:
        if self._verbose:
            line = to_json(event, job="", seq=self._seq, t=time.time())
            self._seq += 1
            self._progress.out(json.dumps(line), highlight=False)
            return
        match event:
            case Preparing(text):
                self._happening(text)
                self._happened("·", text)
            case SnapshotTaken(files, size, _):
                self._happening("opening the sandbox")
                self._happened("·", f"{files} files copied, {size / 1024:.0f} KB")
            case BoxOpened(_, why, description):
                self._happening("listing the tests")
                self._happened("·", f"sandbox: {description} ({why.split(';')[0]})")
            case PlanMade(tests):
                self._happening(f"running {tests} tests")
            case BaselineDone(report):
                self._happened("·", f"first run: {_counts(report)}")
            case Rerunning(tests, why):
                self._happening(f"running {len(tests)} once more, {why}")
            case FlakyFound(tests):
                self._happened("!", f"flaky, and not counted: {', '.join(tests[:MOST_NAMES])}")
            case Planning(solver):
                self._happening(f"asking {solver}")
            case Reflecting(reflection) if reflection.advice != "go_on":
                self._happened("!", f"attempt {reflection.attempt}: {reflection.text}")
            case Searching(_, text):
                self._happening(text)
            case Told(solver, text):
                self._happened("·", f"{solver}: {text.replace(chr(10), chr(10) + '    ')}")
            case Testing(attempt, hypothesis, paths):
                self._happening(f"attempt {attempt}: {hypothesis}")
                # A fix of several parts comes with a sentence for each.
                lines = hypothesis.replace(". In `", ".\n    In `")
                self._happened("→", f"attempt {attempt}: {lines} ({', '.join(paths)})")
            case Refused(attempt, findings):
                for finding in findings:
                    self._happened("✗", f"attempt {attempt} refused: {finding.path}: {finding.reason}")
            case Tested(attempt) if attempt.faults:
                self._happened("✗", f"attempt {attempt.n}: {attempt.faults[0]}")
            case Tested(attempt) if not attempt.findings:
                self._happened("✓", f"attempt {attempt.n}: {len(attempt.fixed)} fixed, none broken")
            case Verifying(tests):
                self._happening(f"verifying {tests} tests in a fresh sandbox")
                self._happened("·", f"verifying all {tests} tests in a fresh sandbox")
            case _:
                pass

    def table(self, verdict: Verdict, *, only_red: bool = False) -> None:
        report = verdict.after
        if report is not None and report.cases:
            self._out.print(_table(report, len(report.red) if only_red else MOST_ROWS))
        for case in report.red if report is not None and not only_red else ():
            self._out.print(_why(case), soft_wrap=True)
        self._conclude("green" if verdict.ok else "not green", verdict)

    def verdict(self, verdict: Verdict) -> None:
        for case in verdict.before.red if verdict.before is not None else ():
            if case.id in verdict.still_failing:
                self._out.print(_why(case), soft_wrap=True)
        for test_id, remedy in verdict.environment:
            self._out.print(
                Text.assemble(("\n" + test_id, "bold"), (f"\n  {remedy}", "yellow")), soft_wrap=True
            )
        if verdict.diff:
            self._out.print(coloured(verdict.diff), soft_wrap=True)
        if verdict.kind == "green" and verdict.rival_diffs:
            self._rivals(verdict)
        for finding in verdict.findings if verdict.patch else ():
            place = f"{finding.path}:{finding.line}" if finding.path else "the whole"
            line = Text.assemble((place, "bold"), f"  {finding.rule}  ", (finding.reason, "yellow"))
            self._out.print(line, soft_wrap=True)
        for test_id in verdict.weak:
            said = "weak evidence: it expects nothing that could be asked the other way round"
            self._out.print(Text.assemble((test_id, "bold"), (f"  {said}", "yellow")), soft_wrap=True)
        self._conclude(verdict.kind.replace("_", " "), verdict)

    def _rivals(self, verdict: Verdict) -> None:
        """The tests cannot tell these apart; a person can."""
        for n, diff in enumerate(verdict.rival_diffs, 1):
            self._out.print(Text(f"rival {n}", "yellow"))
            self._out.print(coloured(diff), soft_wrap=True)
        if verdict.difference:
            self._out.print(Text(f"They differ: {verdict.difference}", "yellow"), soft_wrap=True)

    def diagnosis(self, diagnosis: Diagnosis, *, images: bool) -> None:
        for check in diagnosis.checks:
            mark, colour = _MARKS[check.state]
            line = Text.assemble((mark, colour), f" {check.name:<11}", check.detail)
            if check.remedy:
                line.append(f"\n              → {check.remedy}", "dim")
            self._out.print(line, soft_wrap=True)
        if images and diagnosis.inventory is not None:
            for image in diagnosis.inventory.images:
                self._out.print(Text(f"{image.megabytes:>7} MB  {image.name}"), soft_wrap=True)
        word = ("ready", "bold green") if diagnosis.can_solve else ("not ready", "bold red")
        self._out.print(Text.assemble(word))

    def applied(self, paths: tuple[str, ...], job: str) -> None:
        self.say(f"Written: {', '.join(paths)}. Take it back with: untilgreen undo {job}")

    def would_be_lost(self, diff: str) -> None:
        self._progress.print(coloured(diff), soft_wrap=True)

    def print(self, value: Table | Text | str) -> None:
        self._out.print(Text(value) if isinstance(value, str) else value, soft_wrap=True)

    def say(self, text: str) -> None:
        self._out.print(Text(text), soft_wrap=True)

    def warn(self, text: str) -> None:
        self._progress.print(Text(f"! {text}", "yellow"), soft_wrap=True)

    def error(self, text: str) -> None:
        self._progress.print(Text(f"untilgreen: {text}", "red"), soft_wrap=True)

    def _conclude(self, word: str, verdict: Verdict) -> None:
        colour = "bold green" if verdict.ok else "bold red"
        line = Text.assemble((word, colour), f"  {verdict.reason}  ({verdict.seconds:.1f} s)")
        self._out.print(line, soft_wrap=True)

    def _happening(self, text: str) -> None:
        if self._status is not None:
            self._status.update(Text(text))

    def _happened(self, mark: str, text: str) -> None:
        self._progress.print(Text(f"{mark} {text}"), soft_wrap=True)


def _counts(report: Report) -> str:
    good = sum(case.good for case in report.cases)
    words = f"{good} of {len(report.cases)} good"
    return words if report.ended == "finished" else f"{words}, {report.ended}: {report.detail}"


def _table(report: Report, most: int) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("test")
    table.add_column("outcome")
    table.add_column("ms", justify="right")
    # Failures first: they are what one looks for.
    cases = sorted(report.cases, key=lambda case: case.good)
    for case in cases[:most]:
        outcome = Text(case.outcome, COLOURS.get(case.outcome, ""))
        table.add_row(Text(case.id), outcome, f"{case.seconds * 1000:.0f}")
    if len(cases) > most:
        table.add_row(Text(f"… and {len(cases) - most} more"), "", "")
    return table


def coloured(diff: str) -> Text:
    text = Text()
    for line in diff.rstrip("\n").split("\n"):
        heading = line.startswith(("--- ", "+++ "))
        text.append(line + "\n", "bold" if heading else _DIFF_COLOURS.get(line[:1], ""))
    return text


def _why(case: CaseResult) -> Text:
    text = Text.assemble(("\n" + case.id, "bold"), "\n")
    if case.environment:
        return text.append(f"  {case.environment}\n", "yellow")
    if case.failure is None:
        return text
    if case.failure.expected is not None:
        text.append(f"  expected {case.failure.expected}, got {case.failure.actual}\n")
    else:
        text.append(f"  {case.failure.type}: {case.message}\n")
    places = [frame for frame in case.failure.frames if frame.path]
    if places:
        text.append(f"  {places[-1].path}:{places[-1].line}  {places[-1].source}\n")
    return text
