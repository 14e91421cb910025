"""Tests that say one thing and then another about the same code. They are named, and count for nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from untilgreen.events import FlakyFound, Rerunning
from untilgreen.solve.bench import Bench
from untilgreen.solve.judge import Judgement
from untilgreen.solve.listing import Emit
from untilgreen_sandbox.report import Report

MOST_FLICKERS = 5
"""So many tests may fail by chance in one run; more of them were broken by what changed."""


async def find_flaky(bench: Bench, baseline: Report, failing: tuple[str, ...], emit: Emit) -> tuple[str, ...]:
    """Which of the failing tests pass by themselves, on the user's own code.

    One that passes among the failing ones only, and fails again among all, depends on others: that is not
    chance, and can be mended.
    """
    # What never ran said nothing yet: a file that cannot be collected, or a test that hangs.
    ran = frozenset(case.id for case in baseline.red)
    asked = tuple(test_id for test_id in failing if test_id in ran and "::" in test_id)
    if not asked:
        return ()
    emit(Rerunning(asked, "to see whether they fail again"))
    passing = _passing(await bench.rerun(asked), asked)
    if passing and len(asked) < len(baseline.cases):
        emit(Rerunning(passing, "among all others, where they failed"))
        passing = _passing(await bench.rerun(), passing)
    if passing:
        emit(FlakyFound(passing))
    return passing


def may_be_chance(judgement: Judgement, report: Report) -> bool:
    """Whether what broke in this run should run once more before anybody is blamed."""
    seen = {case.id for case in report.cases}
    return (
        report.ended == "finished"
        and bool(judgement.fixed)
        and 0 < len(judgement.broken) <= MOST_FLICKERS
        and all(test_id in seen for test_id in judgement.broken)
    )


def with_second_chance(
    report: Report, again: Report, asked: Collection[str]
) -> tuple[Report, tuple[str, ...]]:
    """A run in which those that passed the second time count as passed, and which these are."""
    second = {case.id: case for case in again.cases} if again.ended == "finished" else {}
    flaky = tuple(test_id for test_id in asked if test_id in second and second[test_id].good)
    cases = tuple(second[case.id] if case.id in flaky else case for case in report.cases)
    return dataclasses.replace(report, cases=cases), flaky


def _passing(report: Report, asked: Collection[str]) -> tuple[str, ...]:
    if report.ended != "finished":
        return ()
    outcomes = report.outcomes()
    return tuple(test_id for test_id in asked if outcomes.get(test_id) == "passed")
