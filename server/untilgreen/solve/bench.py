"""The workbench of one job: a snapshot, the boxes that hold it, and a new one whenever trust needs it."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

from untilgreen.errors import WorkspaceChanged
from untilgreen.model import NO_PATCH, Attempt, Clues, Finding, Patch, Reflection, Spent
from untilgreen.pool import Pool
from untilgreen.solve.budget import Budget
from untilgreen.solve.sharing import Shares
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.box import Box, Change, RunRequest
from untilgreen_sandbox.errors import BoxLost
from untilgreen_sandbox.evaluation import Evaluation, EvaluationRequest
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.trace import TraceReport

EVALUATION_SECONDS = 30.0
FEW_FILES = 24
Rung = Literal["auto", "checkpoint", "cold"]
T = TypeVar("T")


class Bench:
    """Runs the tests of one job, each time as warm as can be trusted."""

    def __init__(self, pool: Pool, snapshot: Snapshot, arguments: tuple[str, ...]) -> None:
        self._pool = pool
        self._snapshot = snapshot
        self._arguments = arguments
        self.config_file = ""
        """Set by the plan, so that every later run reads the same configuration."""
        self.attempts: tuple[Attempt, ...] = ()
        self.reflection: Reflection | None = None
        self.report: Report | None = None
        self.best = NO_PATCH
        self.refuses: Callable[[Patch], tuple[Finding, ...]] = lambda _patch: ()
        self.budget: Budget | None = None
        """Of the solver that works here now."""
        self.clues = Clues()
        self.say: Callable[[str], None] = lambda _text: None
        self.tell: Callable[[str], None] = lambda _text: None
        self._baseline: Report | None = None
        self._planned: frozenset[str] = frozenset()
        self._steady = False
        """Whether tests were seen to say the same whatever the order of sets is."""
        self._checked: set[tuple[tuple[str, ...], tuple[str, ...], bool]] = set()
        self._only_cold = ""
        self._apart: dict[tuple[tuple[str, ...], Shares], bool] = {}
        """Whether tests say the same when they run in these shares, each in a process of its own that has
        not looked at these paths."""
        self._agreeing = asyncio.Lock()
        self._verified: tuple[Patch, Report] | None = None
        """A fresh run of all tests that nobody has asked for yet."""
        self._tested: tuple[Patch, Report] | None = None
        """The last run of all tests that came to its end: no need to run the same again."""

    async def plan(self, ids: tuple[str, ...] = ()) -> Report:
        report = await self._in_lane(lambda box: box.plan(self._request(ids)))
        self._plan_is(report)
        return report

    async def baseline(
        self, one_test: float | None = None, listed: Callable[[int], None] | None = None
    ) -> Report:
        """All tests on the user's own code, in a new process; what warm runs are measured against. They are
        listed before they run, so without a plan this makes one."""
        request = dataclasses.replace(self._request(()), rung="cold", one_test=one_test, listed=listed)
        self._baseline = await self._in_lane(lambda box: box.run(request))
        if not self._planned:
            self._plan_is(self._baseline)
        return self._baseline

    def measure_against(self, report: Report) -> None:
        """All tests were run on the user's own code, in a new process; that serves as the baseline."""
        self._baseline = report

    async def rerun(self, ids: tuple[str, ...] = (), *, one_order: bool = True) -> Report:
        """Tests on the user's own code once more, in a new process as the first time. Sets may have another
        order in it: then it is a fork of the process that serves traces and trials, too."""
        if one_order:
            request = dataclasses.replace(self._request(ids), rung="cold")
            return await self._in_lane(lambda box: box.run(request))
        self._steady = True
        request = dataclasses.replace(self._probing(ids), rung="checkpoint")
        again = await self._in_lane(lambda box: box.run(request))
        known = self._baseline.outcomes() if self._baseline is not None else {}
        self._steady = again.ended == "finished" and again.outcomes() == {
            test: outcome for test, outcome in known.items() if not ids or test in ids
        }
        return again

    async def run(
        self,
        patch: Patch,
        ids: tuple[str, ...] = (),
        seconds: float | None = None,
        one_test: float | None = None,
        shared: bool = False,
        *,
        alone: bool = False,
    ) -> Report:
        """Warm, as long as warm runs say of the user's own code what a new process said. When it is to stay
        `alone`, a process that others are forked from is not worth it: it is fresh, and may verify."""
        if not ids and (known := self._known(patch)) is not None:
            return known
        if alone and not ids:
            report = await self._run_fresh(patch, (), one_order=False, seconds=seconds)
            self._verified = self._tested = (patch, report) if report.ended == "finished" else None
            return report
        rung: Rung = "cold" if self._only_cold else "auto"
        report = await self._run(patch, ids, rung, seconds=seconds, one_test=one_test, shared=shared)
        if report.rung == "checkpoint" and not await self._agrees(patch, ids, shared):
            self._pool.progress(f"Every run starts a new process from here on: {self._only_cold}")
            report = await self._run(patch, ids, "cold", seconds=seconds, one_test=one_test)
        if self._only_cold:
            report = dataclasses.replace(report, rung_reason=self._only_cold)
        if not ids and patch and report.ended == "finished":
            self._tested = patch, report
        return report

    async def ask(
        self, patch: Patch, ids: tuple[str, ...], *, anonymous: bool = True, one_order: bool = True
    ) -> Report:
        """These tests in a new process, which may keep from the code which of them is running."""
        request = dataclasses.replace(
            self._request(ids), rung="cold", anonymous=anonymous, one_order=one_order
        )
        return await self._in_lane(lambda box: box.run(request, _changes(patch)))

    @property
    def lanes(self) -> int:
        """How many boxes are open and have nothing to do."""
        return self._pool.warm

    def widen(self) -> None:
        """More runs of the whole suite are to come, and two boxes would share them."""
        if not self._only_cold:
            self._pool.widen(self._snapshot)

    async def run_shares(self, patch: Patch, shares: Shares) -> tuple[Report, ...]:
        """The same in several boxes at once; nothing when these tests cannot be told apart."""
        if self._only_cold:
            return ()
        key = (patch.paths, shares)
        if key not in self._apart:
            asked = [
                self._run(Patch(), ids, "checkpoint", editable=patch.paths, shared=True) for ids in shares
            ]
            found = await asyncio.gather(*asked)
            known = self._baseline
            # What one file does when it is imported may decide which tests another has.
            whole = all(set(one.planned) == set(ids) for one, ids in zip(found, shares, strict=True))
            self._apart[key] = (
                known is not None and whole and not any(_difference(one, known) for one in found)
            )
            self._checked |= {(patch.paths, ids, True) for ids in shares}
        if not self._apart[key]:
            return ()
        return tuple(await asyncio.gather(*(self.run(patch, ids, shared=True) for ids in shares)))

    def afford(self, tokens: int = 0, usd: float = 0.0) -> bool:
        return self.budget is None or self.budget.afford(tokens, usd)

    def settle(self, spent: Spent) -> None:
        if self.budget is not None:
            self.budget.settle(spent)

    def leave(self, clues: Clues) -> None:
        self.clues = clues

    async def trace(
        self,
        ids: tuple[str, ...] = (),
        values: tuple[str, ...] = (),
        patch: Patch = NO_PATCH,
        seconds: float | None = None,
    ) -> TraceReport:
        """What each test executes; of these functions also with which values."""
        # The process that waits afterwards is the one that candidates are tried in forks of.
        request = dataclasses.replace(self._probing(ids), rung="checkpoint", seconds=seconds)
        return await self._in_lane(lambda box: box.trace(request, _changes(patch), values))

    async def evaluate(self, request: EvaluationRequest, patch: Patch = NO_PATCH) -> Evaluation:
        """Versions of functions, tried beside the tests that decide about them."""
        # It ends by its own count of CPU time; a busy machine may take much longer for that.
        seconds = EVALUATION_SECONDS + 10 * request.seconds
        ids = (*request.failing, *request.passing)
        asked = dataclasses.replace(self._probing(ids), seconds=seconds)
        return await self._in_lane(lambda box: box.evaluate(asked, request, _changes(patch)))

    async def run_fresh(self, patch: Patch, ids: tuple[str, ...] = ()) -> Report:
        """All tests in a box that has seen nothing: the snapshot, and these bytes, and no other run.

        Sets have another order there than in all runs before, so that nothing passes by that alone; only
        tests that are named by it need the same.
        """
        (known, report), self._verified = self._verified or (None, None), None
        if report is None or known != patch or ids:
            report = await self._run_fresh(patch, ids, one_order=False)
        wanted = self._planned.intersection(ids) if ids else self._planned
        if report.ended == "finished" and not wanted.issubset(report.planned):
            report = await self._run_fresh(patch, ids, one_order=True)
        return report

    def prepare_fresh(self) -> None:
        """Somebody is about to look for a fix, which will have to be verified."""
        self._pool.prepare(self._snapshot)

    def disagreed(self, warm: Report, cold: Report) -> None:
        """What looked good in a warm run did not in a fresh box; such runs are not believed any more."""
        if warm.rung == "checkpoint" and not self._only_cold:
            self._only_cold = _difference(warm, cold) or "a warm run ended in another way than a fresh one."

    def _known(self, patch: Patch) -> Report | None:
        """What a run of all tests with this patch said just now, if such runs are still believed."""
        if self._tested is None or self._tested[0] != patch:
            return None
        report = self._tested[1]
        return report if report.rung != "checkpoint" or not self._only_cold else None

    def _plan_is(self, report: Report) -> None:
        self.config_file, self._planned = report.config_file, frozenset(report.planned)

    async def _agrees(self, patch: Patch, ids: tuple[str, ...], shared: bool) -> bool:
        """Ask the same template about the user's own code, once; it takes no longer than the run itself."""
        known, asked = self._baseline, (patch.paths, ids, shared)
        if known is None or known.ended != "finished":
            return True
        # Of candidates that run side by side one asks, and the others hear the answer.
        async with self._agreeing:
            if asked not in self._checked and not self._only_cold:
                warm = await self._run(Patch(), ids, "checkpoint", editable=patch.paths, shared=shared)
                self._only_cold = _difference(warm, known)
                self._checked.add(asked)
        return not self._only_cold

    async def _run(
        self,
        patch: Patch,
        ids: tuple[str, ...],
        rung: Rung,
        editable: tuple[str, ...] = (),
        seconds: float | None = None,
        one_test: float | None = None,
        shared: bool = False,
    ) -> Report:
        request = dataclasses.replace(
            self._request(ids),
            rung=rung,
            editable=editable,
            seconds=seconds,
            one_test=one_test,
            shared=shared,
        )
        return await self._in_lane(lambda box: box.run(request, _changes(patch)))

    async def _in_lane(self, act: Callable[[Box], Awaitable[T]]) -> T:
        """A box that vanished says nothing about the code: so once more, in another one."""
        try:
            async with self._pool.lane(self._snapshot) as box:
                return await act(box)
        except BoxLost:
            async with self._pool.lane(self._snapshot) as box:
                return await act(box)

    async def _run_fresh(
        self, patch: Patch, ids: tuple[str, ...], *, one_order: bool, seconds: float | None = None
    ) -> Report:
        request = dataclasses.replace(self._request(ids), rung="cold", one_order=one_order, seconds=seconds)
        try:
            return await self._in_fresh(patch, request)
        except BoxLost:
            return await self._in_fresh(patch, request)

    async def _in_fresh(self, patch: Patch, request: RunRequest) -> Report:
        try:
            async with self._pool.fresh(self._snapshot) as box:
                return dataclasses.replace(await box.run(request, _changes(patch)), rung="fresh")
        except WorkspaceChanged as error:
            # A fresh box takes from the disk what was not kept, and there it is another tree now.
            raise WorkspaceChanged(f"{error} The fix could not be verified on it; solve again.") from error

    def _probing(self, ids: tuple[str, ...]) -> RunRequest:
        """Of the process that traces and trials are forked from. It collects all files of a small suite: once
        is cheaper than some of them several times."""
        known = self._baseline
        files = {test.split("::")[0] for test in known.planned} if known is not None else set()
        return dataclasses.replace(
            self._request(ids),
            probes=True,
            all_files=self._steady or 0 < len(files) <= FEW_FILES,
            one_order=not self._steady,
        )

    def _request(self, ids: tuple[str, ...]) -> RunRequest:
        return RunRequest(ids=ids, arguments=self._arguments, config_file=self.config_file)


def _difference(warm: Report, known: Report) -> str:
    """The first test that two runs tell differently, in a sentence; empty when they agree."""
    if warm.ended != "finished":
        return f"a warm run did not finish ({warm.ended}), a new process did."
    before = known.outcomes()
    for case in warm.cases:
        if before.get(case.id) != case.outcome:
            was = before.get(case.id, "not told")
            return f"{case.id} {case.outcome} in a warm run, but in a new process it was {was}."
    return ""


def _changes(patch: Patch) -> tuple[Change, ...]:
    return tuple(Change(path, change.content, change.mode) for path, change in patch)
