"""Tests that say one thing and then another about the same code. They are named, and count for nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass

from untilgreen.events import FlakyFound, Rerunning
from untilgreen.model import Patch
from untilgreen.solve.bench import Bench
from untilgreen.solve.judge import Judgement
from untilgreen.solve.listing import Emit
from untilgreen_sandbox.report import CaseResult, Report

MOST_FLICKERS = 5
"""So many tests may fail by chance in one run; more of them were broken by what changed."""
AGAIN = 4
"""How often tests that may fail by chance run once more, with a patch and without it."""


@dataclass(frozen=True, slots=True)
class Flickers:
    """What tests of a goal do on the user's own code when they run a second time."""

    flaky: tuple[str, ...] = ()
    """They failed and passed, or passed and failed, with nothing to explain it."""
    swayed: tuple[str, ...] = ()
    """They failed where all tests ran, twice, and passed elsewhere: alone, or with sets in another order."""
    unsteady: tuple[CaseResult, ...] = ()
    """Of the flaky ones those that had passed at first, as they were when they failed."""


async def find_flaky(
    bench: Bench,
    baseline: Report,
    failing: tuple[str, ...],
    emit: Emit,
    also: tuple[str, ...] = (),
    *,
    whole: bool = False,
) -> Flickers:
    """Which of the failing tests pass by themselves, and of some others which fail, on the user's own code.

    `also` run beside the failing ones. With `whole` all tests run a second time, and when that says anything
    else, once more as they ran first, where nothing but chance can make a difference.

    One that passes among the failing ones only, and fails again among all, depends on others, or on the order
    of sets, which is another one in the second run: that is not chance, and can be mended.
    """
    # What never ran said nothing yet: a file that cannot be collected, or a test that hangs.
    ran = frozenset(case.id for case in baseline.red)
    asked = tuple(test_id for test_id in failing if test_id in ran and "::" in test_id)
    if not asked:
        return Flickers()
    emit(Rerunning(asked, "to see whether they fail again"))
    again = await bench.rerun(() if whole else (*asked, *also), one_order=False)
    if whole and again.ended == "finished" and again.outcomes() == baseline.outcomes():
        return Flickers()  # Neither chance nor the order of sets makes a difference to any of them.
    passing = _passing(again, asked)
    unsteady = tuple(case for case in again.red if case.id in also) if again.ended == "finished" else ()
    flaky: tuple[str, ...] = ()
    others = (*passing, *(case.id for case in unsteady))
    if others:
        emit(Rerunning(others, "among all others, where they ran first"))
    if others or whole:
        among = await bench.rerun()
        flaky = _passing(among, asked if whole else passing)
        if whole:
            unsteady = _failing_now(among, baseline)
        else:
            unsteady = tuple(case for case in unsteady if among.outcomes().get(case.id) == case.outcome)
    swayed = tuple(test_id for test_id in passing if test_id not in flaky)
    flaky = (*flaky, *(case.id for case in unsteady))
    if flaky:
        emit(FlakyFound(flaky))
    return Flickers(flaky, swayed, unsteady)


async def shaken_by(bench: Bench, patch: Patch, ids: tuple[str, ...]) -> tuple[str, ...]:
    """Of tests that failed once with a patch those that do so again, and never without it."""
    shaken: set[str] = set()
    for _ in range(AGAIN if ids else 0):
        report = await bench.ask(patch, ids, anonymous=False)
        shaken |= {case.id for case in report.red} & frozenset(ids)
    for _ in range(AGAIN if shaken else 0):
        shaken -= {case.id for case in (await bench.rerun(ids)).red}
    return tuple(test_id for test_id in ids if test_id in shaken)


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


def _failing_now(report: Report, baseline: Report) -> tuple[CaseResult, ...]:
    passed = frozenset(case.id for case in baseline.cases if case.outcome == "passed")
    red = tuple(case for case in report.red if case.id in passed)
    # More than a few were broken by something that all of them share, and that is not for us to excuse.
    return red if report.ended == "finished" and len(red) <= MOST_FLICKERS else ()


def _passing(report: Report, asked: Collection[str]) -> tuple[str, ...]:
    if report.ended != "finished":
        return ()
    outcomes = report.outcomes()
    return tuple(test_id for test_id in asked if outcomes.get(test_id) == "passed")
