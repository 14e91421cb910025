"""The first question of every job: which tests are there, and which of them are meant."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from untilgreen.events import Event, PlanMade
from untilgreen.model import Goal, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.judge import goal_tests
from untilgreen.solve.plan import Plan, make_plan, surroundings
from untilgreen.solve.verdicts import no_tests, unlistable
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import missing_from
from untilgreen_sandbox.report import Report

Emit = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Listing:
    plan: Plan
    wanted: tuple[str, ...]
    """The planned tests that the goal speaks of; never empty."""


async def list_tests(goal: Goal, snapshot: Snapshot, bench: Bench, emit: Emit) -> Listing | Verdict:
    """On the user's own code; a verdict when there is nothing to run."""
    listed = await bench.plan()
    listing = _listing(goal, snapshot, listed)
    if listed.ended == "finished":
        emit(PlanMade(len(listed.planned)))
    return listing


async def list_and_run(
    goal: Goal, snapshot: Snapshot, bench: Bench, emit: Emit, one_test: float
) -> tuple[Listing, Report] | Verdict:
    """The same, and the first run of all tests. When all are meant it is one process that lists them and goes
    on to run them; else nobody should wait for a suite before hearing that a name is misspelled."""
    if goal.tests:
        listing = await list_tests(goal, snapshot, bench, emit)
        return listing if isinstance(listing, Verdict) else (listing, await bench.baseline(one_test))
    report = await bench.baseline(one_test, lambda n: emit(PlanMade(n)))
    listing = _listing(goal, snapshot, _only_listed(report))
    return listing if isinstance(listing, Verdict) else (listing, report)


def _listing(goal: Goal, snapshot: Snapshot, listed: Report) -> Listing | Verdict:
    if listed.ended != "finished":
        said = listed.output.head + listed.output.tail
        return unlistable(listed, missing_from(said, surroundings(snapshot)))
    plan = make_plan(listed, snapshot.read)
    wanted = goal_tests(goal, plan)
    return Listing(plan, wanted) if wanted else no_tests(goal, plan, listed)


def _only_listed(report: Report) -> Report:
    """What this run said before the first test began: all tests are told together, so it is all or none."""
    planned = frozenset(report.planned)
    uncollected = tuple(case for case in report.cases if case.outcome == "error" and case.id not in planned)
    return dataclasses.replace(report, ended="finished" if planned else report.ended, cases=uncollected)
