"""From proposals to trials: what may run is run, side by side when there are several, and green is proved."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

from untilgreen.diff import unified_diff
from untilgreen.events import Refused, Rerunning, Testing
from untilgreen.model import Proposal
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.confirm import confirm
from untilgreen.solve.doubts import unproven_change
from untilgreen.solve.findings import Eyes
from untilgreen.solve.flaky import may_be_chance, shaken_by, with_second_chance
from untilgreen.solve.guard import Protection, refusals
from untilgreen.solve.judge import Judgement, judge
from untilgreen.solve.listing import Emit
from untilgreen.solve.memory import Memory
from untilgreen.solve.trial import Trial
from untilgreen.solve.turn import Turns
from untilgreen.solve.verdicts import Start
from untilgreen.solve.verify import Verifier
from untilgreen_sandbox.report import Report

GRACE_SECONDS = 2.0
"""How long others in a race may still run when one looks green: a tie goes to the smaller change."""


class Trials:
    """Tests the proposals of one job."""

    def __init__(
        self,
        bench: Bench,
        start: Start,
        turns: Turns,
        protection: Protection,
        eyes: Eyes,
        memory: Memory,
        verifier: Verifier,
        emit: Emit,
    ) -> None:
        self._bench = bench
        self._start = start
        self._turns = turns
        self._protection = protection
        self._eyes = eyes
        self._memory = memory
        self._verifier = verifier
        self._emit = emit

    async def run(self, solver: str, proposals: Sequence[Proposal], budget: Budget) -> tuple[Trial, ...]:
        """In the order of the proposals. At most one is green, and that one was verified."""
        for proposal in proposals:
            budget.settle(proposal.spent)
        trials = [
            self._begin(solver, proposal, budget)
            for proposal in self._different(proposals)[: budget.attempts_left]
        ]
        for trial in trials:
            await asyncio.to_thread(self._eyes.keep, trial.proposal.patch)
        trials = await self._race(trials, budget.testing_seconds)
        for trial in sorted(filter(_looks_green, trials), key=self._size):
            proved = await self.prove(trial, self._start.failing)
            trials[trials.index(trial)] = proved
            if proved.green:
                break
        return tuple(trials)

    async def prove(self, trial: Trial, failing: tuple[str, ...]) -> Trial:
        """What fresh boxes say of these tests, and of all that passed before."""
        proof, chance = await confirm(
            self._verifier,
            failing,
            trial.proposal.patch,
            trial.report,
            self._eyes.before,
            len(self._start.plan.all_ids),
            self._emit,
        )
        flaky = tuple(dict.fromkeys((*trial.flaky, *chance)))
        shaken = await shaken_by(self._bench, trial.proposal.patch, flaky) if proof.judgement.green else ()
        doubts = [
            unproven_change(
                trial.proposal.patch,
                self._eyes.before,
                f"{test_id} fails now and then with it, and never without it",
            )
            for test_id in shaken[:1]
        ]
        return dataclasses.replace(
            trial,
            judgement=proof.judgement,
            report=proof.report,
            flaky=flaky,
            weak=proof.weak,
            doubts=(*proof.findings, *doubts),
            questions=proof.questions,
            scope=proof.scope,
            verified=True,
        )

    def _different(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Of several that come to the same code only the first."""
        found: dict[str, Proposal] = {}
        for proposal in proposals:
            found.setdefault(self._memory.state_of(proposal.patch), proposal)
        return list(found.values())

    def _begin(self, solver: str, proposal: Proposal, budget: Budget) -> Trial:
        """What can be said without running anything."""
        n, state = budget.take_attempt(), self._memory.state_of(proposal.patch)
        nothing = Judgement((), (), self._start.failing, ("it did not run",))
        trial = Trial(n, solver, proposal, state, nothing, Report("lost"))
        if findings := refusals(proposal.patch, self._protection):
            self._emit(Refused(n, findings))
            return dataclasses.replace(trial, findings=findings)
        self._emit(Testing(n, proposal.hypothesis, proposal.patch.paths, proposal.patch))
        if (known := self._memory.known(state)) is not None:
            return dataclasses.replace(
                trial,
                judgement=known.judgement,
                report=known.report,
                repeats=known.n,
                verified=known.verified,
            )
        return trial

    async def _race(self, trials: list[Trial], seconds: float) -> list[Trial]:
        """Run what has to run; whoever is not done in time is stopped."""
        loop = asyncio.get_running_loop()
        tasks = {
            loop.create_task(self._test(trial)): n
            for n, trial in enumerate(trials)
            if trial.runs and trial.repeats is None
        }
        running, until, why = set(tasks), loop.time() + seconds, "the time was over"
        try:
            while running and until > loop.time():
                done, running = await asyncio.wait(
                    running, timeout=until - loop.time(), return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    trials[tasks[task]] = task.result()
                if any(_looks_green(trials[tasks[task]]) for task in done):
                    until, why = min(until, loop.time() + GRACE_SECONDS), "another one was green before"
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in running:
            trial = trials[tasks[task]]
            judgement = dataclasses.replace(trial.judgement, faults=(f"it was stopped: {why}",))
            trials[tasks[task]] = dataclasses.replace(trial, judgement=judgement, complete=False)
        return trials

    async def _test(self, trial: Trial) -> Trial:
        patch, start = trial.proposal.patch, self._start
        report = await self._turns.run(patch)
        flaky: tuple[str, ...] = ()
        judgement = judge(start.plan, start.baseline, start.failing, report)
        if may_be_chance(judgement, report):
            self._emit(Rerunning(judgement.broken, "before the fix is blamed"))
            again = await self._bench.run(patch, judgement.broken)
            report, flaky = with_second_chance(report, again, judgement.broken)
            judgement = judge(start.plan, start.baseline, start.failing, report)
        return dataclasses.replace(trial, judgement=judgement, report=report, flaky=flaky)

    def _size(self, trial: Trial) -> int:
        lines = unified_diff(self._eyes.before, trial.proposal.patch).splitlines()
        return sum(line.startswith(("+", "-")) for line in lines)


def _looks_green(trial: Trial) -> bool:
    return trial.runs and trial.complete and trial.repeats is None and trial.judgement.green
