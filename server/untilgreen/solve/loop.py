"""The loop: baseline → (coding → testing)* → verifying → verdict. It is the product: keep it on a screen."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Sequence

from untilgreen.events import BaselineDone, Coding, Refused, Tested, Testing, Verifying
from untilgreen.model import Attempt, Goal, Proposal, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.findings import Eyes
from untilgreen.solve.guard import Protection, refusals
from untilgreen.solve.judge import Judgement, environment_failures, judge, red_tests
from untilgreen.solve.listing import Emit, list_tests
from untilgreen.solve.plan import Plan, surroundings
from untilgreen.solve.turn import Turns
from untilgreen.solve.verdicts import Best, Start, already_green, blocked, green, why_stuck, without_green
from untilgreen.solve.verify import verify
from untilgreen.solvers import Solver, Task
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import sort_failures
from untilgreen_sandbox.report import Report


async def solve(
    goal: Goal,
    snapshot: Snapshot,
    bench: Bench,
    solvers: Sequence[Solver],
    budget: Budget,
    protect: Callable[[Plan], Protection],
    emit: Emit,
) -> Verdict:
    """From a goal to a verdict."""
    start = await find_start(goal, snapshot, bench, budget, emit)
    if isinstance(start, Verdict):
        return start
    bench.prepare_fresh()
    protection = protect(start.plan)
    eyes = await asyncio.to_thread(Eyes, snapshot, start.failing)
    turns = Turns(bench, start, snapshot)
    task = Task(goal, snapshot, _code_only(start.baseline), start.failing)
    best: Best | None = None
    for solver in solvers:
        async for proposal in _proposals(solver, task, bench, budget, emit):
            if budget.exhausted:
                return without_green(start, best, bench.attempts, "budget", f"Not green: {budget.exhausted}.")
            n = budget.take_attempt()
            if findings := refusals(proposal.patch, protection):
                emit(Refused(n, findings))
                _remember(bench, emit, Attempt(n, solver.name, proposal.hypothesis, findings=findings))
                continue
            await asyncio.to_thread(eyes.keep, proposal.patch)
            emit(Testing(n, proposal.hypothesis, proposal.patch.paths))
            report = await turns.run(proposal.patch)
            judgement = judge(start.plan, start.baseline, start.failing, report)
            if judgement.green:
                emit(Verifying(len(start.plan.all_ids)))
                judgement, report = await verify(
                    bench, start.plan, start.baseline, start.failing, proposal.patch, report
                )
            _remember(bench, emit, _attempt(n, solver, proposal, judgement, report))
            if judgement.green:
                seen = await asyncio.to_thread(eyes.look, proposal.patch)
                return green(start, Best(proposal, judgement, report, solver.name), bench.attempts, seen)
            if judgement.better and (best is None or len(judgement.fixed) > len(best.judgement.fixed)):
                best = Best(proposal, judgement, report, solver.name)
    return without_green(start, best, bench.attempts, "stuck", why_stuck(solvers, bench.attempts))


async def find_start(
    goal: Goal, snapshot: Snapshot, bench: Bench, budget: Budget, emit: Emit
) -> Start | Verdict:
    """The plan and the baseline, on the user's own code; a verdict when there is nothing to solve."""
    listing = await list_tests(goal, snapshot, bench, emit)
    if isinstance(listing, Verdict):
        return listing
    plan, wanted = listing.plan, listing.wanted
    budget.start()
    baseline = sort_failures(await bench.baseline(), plan.ids, surroundings(snapshot))
    emit(BaselineDone(baseline))
    red = frozenset(red_tests(plan, baseline))
    outside = environment_failures(plan, baseline)
    environment = tuple((test_id, outside[test_id]) for test_id in wanted if test_id in outside)
    failing = tuple(test_id for test_id in wanted if test_id in red and test_id not in outside)
    if not failing:
        return blocked(environment, baseline) if environment else already_green(len(wanted), baseline)
    return Start(plan, baseline, failing, environment)


def _code_only(baseline: Report) -> Report:
    """What a solver sees of the first run: nothing that it cannot mend."""
    return dataclasses.replace(baseline, cases=tuple(case for case in baseline.cases if not case.environment))


async def _proposals(
    solver: Solver, task: Task, bench: Bench, budget: Budget, emit: Emit
) -> AsyncIterator[Proposal]:
    """Ask a solver until it has nothing left, and say each time that it was asked."""
    asked = aiter(solver.proposals(task, bench))
    while True:
        emit(Coding(budget.attempts + 1, solver.name))
        try:
            yield await anext(asked)
        except StopAsyncIteration:
            return


def _attempt(n: int, solver: Solver, proposal: Proposal, judgement: Judgement, report: Report) -> Attempt:
    return Attempt(
        n,
        solver.name,
        proposal.hypothesis,
        fixed=judgement.fixed,
        broken=judgement.broken,
        seconds=round(report.seconds, 3),
        faults=judgement.faults,
        passed=len(report.cases) - len(report.red),
        tests=len(report.cases),
    )


def _remember(bench: Bench, emit: Emit, attempt: Attempt) -> None:
    bench.tested.append(attempt)
    emit(Tested(attempt))
