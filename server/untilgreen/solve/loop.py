"""The loop: baseline → (planning → coding → testing → reflecting)* → verifying → verdict.

It is the product: keep it on a screen. Each step tells an event, by which everybody knows the state of a job.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence

from untilgreen.events import Reflecting, Tested
from untilgreen.model import Finding, Goal, Verdict
from untilgreen.solve.asking import Asking
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.findings import Eyes
from untilgreen.solve.guard import Protection, changed_tests, refusals
from untilgreen.solve.listing import Emit
from untilgreen.solve.memory import Memory
from untilgreen.solve.plan import Plan
from untilgreen.solve.start import find_start
from untilgreen.solve.trial import Trial
from untilgreen.solve.trials import Trials
from untilgreen.solve.turn import Turns
from untilgreen.solve.verdicts import Start, better, green, not_solved, why_stuck
from untilgreen.solve.verify import VERIFY_SECONDS, Verifier
from untilgreen.solvers import Solver, Task
from untilgreen.workspace import Snapshot

MOST_PARTIAL = 2
"""How many of the best attempts are verified when none was green."""


async def solve(
    goal: Goal,
    snapshot: Snapshot,
    bench: Bench,
    solvers: Sequence[Solver],
    budget: Budget,
    protect: Callable[[Plan], Protection],
    emit: Emit,
    verify_seconds: float = VERIFY_SECONDS,
) -> Verdict:
    """From a goal to a verdict."""
    start = await find_start(goal, snapshot, bench, budget, emit)
    if isinstance(start, Verdict):
        return start
    eyes = await asyncio.to_thread(Eyes, snapshot, start.failing)
    memory = Memory(start, snapshot.entries)
    verifier = await asyncio.to_thread(Verifier, bench, start, snapshot, verify_seconds)
    protection = await asyncio.to_thread(protect, start.plan)
    bench.refuses = lambda patch: refusals(patch, protection)
    trials = Trials(bench, start, Turns(bench, start, snapshot), protection, eyes, memory, verifier, emit)
    out_of = ""

    async def ending() -> Verdict:
        """The best that is left: what fixes a part and breaks nothing, in a fresh box, too."""
        reason = (
            f"Not green: {out_of}." if out_of else why_stuck(memory.attempts, bench.clues, memory.reflection)
        )
        for best in memory.partial[:MOST_PARTIAL]:
            proved = await trials.prove(best, best.judgement.fixed)
            if proved.green:
                return better(start, proved, reason, *await asyncio.to_thread(seen, best))
        return not_solved(start, "budget" if out_of else "stuck", reason, memory.attempts)

    def seen(trial: Trial) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        patch = trial.proposal.patch
        return eyes.look(patch), changed_tests(patch, protection)

    def told(verdict: Verdict) -> Verdict:
        return dataclasses.replace(verdict, attempts=memory.attempts, spent=budget.spent)

    for n, solver in enumerate(solvers):
        share = budget.share(len(solvers) - n)
        task = _task(goal, snapshot, start, memory.begin_rung(), share.max_seconds)
        async with Asking(solver, task, bench, share, emit) as asking:
            while proposals := await asking.next():
                tested = await trials.run(solver.name, proposals, share)
                for trial in tested:
                    emit(Tested(memory.add(trial)))
                for won in filter(lambda trial: trial.green, tested):
                    return told(green(start, won, *await asyncio.to_thread(seen, won)))
                reflection = memory.reflect()
                bench.attempts, bench.best = memory.attempts, memory.best.proposal.patch
                bench.reflection, bench.report = reflection, tested[-1].report if tested[-1].runs else None
                emit(Reflecting(reflection))
                if reflection.advice == "move_on":
                    break
        out_of = budget.exhausted or share.refused
        if budget.exhausted:
            break
    return told(await ending())


def _task(goal: Goal, snapshot: Snapshot, start: Start, base: Trial, seconds: float) -> Task:
    """From the best state so far; of its run a solver sees nothing that it cannot mend."""
    outside = {case.id for case in start.baseline.cases if case.environment}
    cases = tuple(case for case in base.report.cases if case.id not in outside)
    report = dataclasses.replace(base.report, cases=cases)
    return Task(goal, snapshot, report, base.judgement.still_failing, base.proposal.patch, seconds)
