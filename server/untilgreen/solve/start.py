"""Where a job begins: the plan, the first run on the user's own code, and what of it should turn green."""

from __future__ import annotations

import asyncio

from untilgreen.events import BaselineDone
from untilgreen.model import Goal, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.contradiction import find_contradiction
from untilgreen.solve.flaky import find_flaky
from untilgreen.solve.judge import environment_failures, red_tests
from untilgreen.solve.listing import Emit, list_tests
from untilgreen.solve.plan import surroundings
from untilgreen.solve.verdicts import Start, already_green, blocked, impossible, only_flaky
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import sort_failures

PATIENCE_SHARE, LEAST_PATIENCE = 5, 10.0
"""A test that takes a fifth of all the time there is, and so many seconds, is one that does not end: nobody
could mend anything whose every trial takes as long."""


async def find_start(
    goal: Goal, snapshot: Snapshot, bench: Bench, budget: Budget, emit: Emit
) -> Start | Verdict:
    """A verdict when there is nothing to solve, or nothing that anybody could."""
    listing = await list_tests(goal, snapshot, bench, emit)
    if isinstance(listing, Verdict):
        return listing
    plan, wanted = listing.plan, listing.wanted
    budget.start()
    patience = max(LEAST_PATIENCE, budget.max_seconds / PATIENCE_SHARE)
    baseline = sort_failures(await bench.baseline(patience), plan.ids, surroundings(snapshot))
    emit(BaselineDone(baseline))
    red = frozenset(red_tests(plan, baseline))
    outside = environment_failures(plan, baseline)
    environment = tuple((test_id, outside[test_id]) for test_id in wanted if test_id in outside)
    failing = tuple(test_id for test_id in wanted if test_id in red and test_id not in outside)
    if not failing:
        return blocked(environment, baseline) if environment else already_green(len(wanted), baseline)
    bench.prepare_fresh()
    flaky = await find_flaky(bench, baseline, failing, emit)
    failing = tuple(test_id for test_id in failing if test_id not in flaky)
    start = Start(plan, baseline, failing, environment, flaky)
    if not failing:
        return only_flaky(start)
    passing = [case.id for case in baseline.cases if case.outcome == "passed"]

    def read(path: str) -> bytes | None:
        return snapshot.read(path) if snapshot.exists(path) else None

    pair = await asyncio.to_thread(find_contradiction, failing, passing, read)
    return impossible(start, pair.text) if pair is not None else start
