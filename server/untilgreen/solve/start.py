"""Where a job begins: the plan, the first run on the user's own code, and what of it should turn green."""

from __future__ import annotations

import asyncio
import dataclasses

from untilgreen.events import BaselineDone
from untilgreen.model import Goal, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.contradiction import find_contradiction
from untilgreen.solve.flaky import find_flaky
from untilgreen.solve.judge import environment_failures, red_tests
from untilgreen.solve.listing import Emit, list_and_run
from untilgreen.solve.plan import surroundings
from untilgreen.solve.verdicts import Start, already_green, blocked, impossible, only_flaky
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import sort_failures
from untilgreen_sandbox.report import Report

BRIEF_SECONDS = 0.5
"""Of tests that pass and run a second time all the same."""

PATIENCE_SHARE, LEAST_PATIENCE = 10, 5.0
"""A test that takes a tenth of all the time there is, and so many seconds, is one that does not end: nobody
could mend anything whose every trial takes as long."""


async def find_start(
    goal: Goal, snapshot: Snapshot, bench: Bench, budget: Budget, emit: Emit
) -> Start | Verdict:
    """A verdict when there is nothing to solve, or nothing that anybody could."""
    budget.start()
    patience = max(LEAST_PATIENCE, budget.max_seconds / PATIENCE_SHARE)
    first = await list_and_run(goal, snapshot, bench, emit, patience)
    if isinstance(first, Verdict):
        return first
    (plan, wanted), baseline = (first[0].plan, first[0].wanted), first[1]
    baseline = sort_failures(baseline, plan.ids, surroundings(snapshot))
    emit(BaselineDone(baseline))
    red = frozenset(red_tests(plan, baseline))
    outside = environment_failures(plan, baseline)
    environment = tuple((test_id, outside[test_id]) for test_id in wanted if test_id in outside)
    failing = tuple(test_id for test_id in wanted if test_id in red and test_id not in outside)
    if not failing:
        return blocked(environment, baseline) if environment else already_green(len(wanted), baseline)
    bench.prepare_fresh()
    also = _brief(wanted, baseline)
    # A run that did not end would not end a second time, either.
    whole = bool(also) and not goal.tests and baseline.ended == "finished"
    found = await find_flaky(bench, baseline, failing, emit, also if goal.tests else (), whole=whole)
    failing = tuple(test_id for test_id in failing if test_id not in found.flaky)
    # A test that passes now and then counts for nothing, so it cannot be broken, either.
    unsteady = {case.id: case for case in found.unsteady}
    cases = tuple(unsteady.get(case.id, case) for case in baseline.cases)
    baseline = dataclasses.replace(baseline, cases=cases)
    start = Start(plan, baseline, failing, environment, found.flaky, found.swayed)
    if not failing:
        return only_flaky(start)
    passing = [case.id for case in baseline.cases if case.outcome == "passed"]

    def read(path: str) -> bytes | None:
        return snapshot.read(path) if snapshot.exists(path) else None

    pair = await asyncio.to_thread(find_contradiction, failing, passing, read)
    return impossible(start, pair.text) if pair is not None else start


def _brief(wanted: tuple[str, ...], baseline: Report) -> tuple[str, ...]:
    """Tests of the goal that pass; none when to run them a second time would take too long."""
    cases = [case for case in baseline.cases if case.id in frozenset(wanted) and case.outcome == "passed"]
    brief = sum(case.seconds for case in cases) <= max(BRIEF_SECONDS, baseline.seconds / 10)
    return tuple(case.id for case in cases) if brief else ()
