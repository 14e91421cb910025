"""Tests that a model asks for: which ones are meant, and what came of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from untilgreen.solvers.agent.failures import told
from untilgreen.solvers.agent.refusal import Refusal
from untilgreen.solvers.solver import Task
from untilgreen_sandbox.report import Report

MOST_IDS = 200


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that a model asked for."""

    text: str
    data: str
    green: bool
    """Whether all tests passed that should turn green."""


def ids_meant(task: Task, names: Iterable[str]) -> tuple[str, ...]:
    """Ids as the harness knows them, from ids, files, folders or the names of tests alone."""
    known = tuple(dict.fromkeys((*task.baseline.planned, *(case.id for case in task.baseline.cases))))
    files = {test.split("::")[0] for test in (*known, *task.failing)}
    found: list[str] = []
    for name in names:
        plain = name.strip().removeprefix("./").rstrip("/")
        if plain in known or plain in files or plain in task.failing:
            found.append(plain)
            continue
        below = [test for test in known if test.startswith((f"{plain}::", f"{plain}[", f"{plain}/"))]
        same = [test for test in known if test.endswith(f"::{plain}") or f"::{plain}[" in test]
        if not below and not same:
            raise Refusal(
                f"There is no test {plain[:200]!r}. Leave ids out to run all that should turn green."
            )
        found += below or same
    return tuple(dict.fromkeys(found))[:MOST_IDS]


def judged(task: Task, ids: tuple[str, ...], report: Report) -> Ran:
    """What a model is told about a run; whether something is really green is not for this to say."""
    wanted = ids or task.failing
    if report.ended != "finished":
        return Ran("The run did not finish.", told(report, wanted), False)
    red = [case.id for case in report.red]
    if red:
        good = sum(case.good for case in report.cases)
        return Ran(f"{good} passed, {len(red)} did not.", told(report, red), False)
    left = [test for test in task.failing if not _passed(test, report)]
    if not report.cases:
        return Ran("No test ran.", "", False)
    if not left:
        return Ran("They pass.", "", True)
    more = f" and {len(left) - 5} more" if len(left) > 5 else ""
    return Ran(
        f"{len(report.cases)} passed. Not run, and still to be made green: ",
        ", ".join(left[:5]) + more,
        False,
    )


def _passed(test: str, report: Report) -> bool:
    """A file that could not be collected has tests of its own when it can."""
    cases = [case for case in report.cases if case.id == test or case.id.startswith(f"{test}::")]
    return bool(cases) and all(case.good for case in cases)
