"""What watch mode may do to find a fix, and whether it may write the one that was found."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from untilgreen.applying import note_gone
from untilgreen.desk import Desk
from untilgreen.engine import Engine
from untilgreen.job import Job
from untilgreen.model import Spent, Verdict
from untilgreen.settings import Settings
from untilgreen.solve.findings import held_back
from untilgreen.watching.quota import ModelBudget
from untilgreen.watching.steps import Fix, Solved
from untilgreen.watching.taken_back import Signature, TakenBack, signature, signature_of_patch
from untilgreen.watching.unwanted import Memory

TAKEN_BACK = "You took this fix back; it is not made again."


class Solving:
    """Of one workspace."""

    def __init__(self, engine: Engine, root: Path, budget: ModelBudget) -> None:
        self._engine = engine
        self._root = root
        self._taken_back = TakenBack()
        self._memory = Memory(engine, root)
        self._budget = budget

    async def wanted(self, tests: tuple[str, ...], desk: Desk, now: float) -> tuple[str, ...]:
        """Without those that could only get a fix which the user took back."""
        written = self._taken_back.written(now)
        left = dict.fromkeys(tests)
        for one in await asyncio.to_thread(self._memory.unwanted, tests, written):
            there = {path: (await desk.read(path)).data for path in one.paths()}
            if await asyncio.to_thread(one.is_all_there_is, there):
                left = {test: None for test in left if test not in one.tests}
        if len(left) < len(tests):
            await self._note_gone(desk, now)
        return tuple(left)

    def settings(self, now: float) -> Settings:
        """The user's, without models unless the user wants them, and within what is left of the hour."""
        settings = self._engine.settings_of(self._root)
        if settings.solver not in ("auto", "model"):
            return settings
        self._budget.tokens, self._budget.usd = settings.watch_tokens_per_hour, settings.watch_usd_per_hour
        if not settings.watch_model or self._budget.exhausted(now):
            return settings.model_copy(update={"solver": "offline"})
        left = self._budget.left(now)
        tokens, usd = min(settings.max_tokens, left.tokens), min(settings.max_usd, left.usd)
        return settings.model_copy(update={"max_tokens": tokens, "max_usd": usd})

    def paid(self, cost: Spent, now: float) -> None:
        """By a job that is over, however it ended: a model that was overtaken by a save is paid, too."""
        self._budget.settle(cost, now)

    async def judged(self, job: Job, verdict: Verdict, desk: Desk, now: float) -> Solved:
        solved = await asyncio.to_thread(self._judged, job, verdict, now)
        if solved.refused:
            await self._note_gone(desk, now)
        return solved

    def _judged(self, job: Job, verdict: Verdict, now: float) -> Solved:
        """Blocking: fixes that were undone are read."""
        if not verdict.patch:
            return Solved(reason="" if verdict.ok else verdict.reason)
        made = signature_of_patch(verdict.patch, job.pristine)
        if self._taken_back.knows(made, self._engine.past.undo.undone(self._root), now):
            return Solved(reason=TAKEN_BACK, refused=True)
        fix = Fix(
            job.id,
            verdict.patch.paths,
            verdict.fixed,
            why_not(verdict, self._engine.settings_of(self._root)),
            partial=verdict.kind == "better",
        )
        return Solved(fix, verdict.reason)

    def wrote(
        self, job: str, before: Mapping[str, bytes | None], after: Mapping[str, bytes | None], now: float
    ) -> None:
        self._taken_back.wrote(signature(before, after), job, now)

    def refuse(self, fix: Signature) -> None:
        self._taken_back.refuse(fix)

    async def _note_gone(self, desk: Desk, now: float) -> None:
        """What was taken back by hand is so for every other session, and for this one when it is older."""
        for job in self._taken_back.written(now):
            await note_gone(self._engine.past, self._root, desk, job)


def why_not(verdict: Verdict, settings: Settings) -> str:
    """Why a fix is not written without asking, in a clause; empty when nothing speaks against it. Pure."""
    if verdict.kind != "green":
        return "it fixes some of the tests only"
    if held_back(verdict, settings.findings, accepted=True):
        return "your settings block what it has"
    if verdict.findings:
        return "something in it needs your eyes"
    if verdict.scope != "full":
        return "it was verified with a part of the tests only"
    if verdict.weak:
        return "the tests that it fixes prove little"
    if verdict.confidence == "contested":
        return "other changes make the tests pass, too"
    if settings.apply == "never":
        return "your setting `apply` is `never`"
    return ""
