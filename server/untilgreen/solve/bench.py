"""The workbench of one job: a snapshot, the boxes that hold it, and a new one whenever trust needs it."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

from untilgreen.model import Attempt, Patch
from untilgreen.pool import Pool
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.box import Box, Change, RunRequest
from untilgreen_sandbox.errors import BoxLost
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.trace import TraceReport

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
        self.tested: list[Attempt] = []
        self._baseline: Report | None = None
        self._checked: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        self._only_cold = ""

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return tuple(self.tested)

    async def plan(self, ids: tuple[str, ...] = ()) -> Report:
        report = await self._in_lane(lambda box: box.plan(self._request(ids)))
        self.config_file = report.config_file
        return report

    async def baseline(self) -> Report:
        """All tests on the user's own code, in a new process; what warm runs are measured against."""
        self._baseline = await self._run(Patch(), (), "cold")
        return self._baseline

    async def run(self, patch: Patch, ids: tuple[str, ...] = ()) -> Report:
        """Warm, as long as warm runs say of the user's own code what a new process said."""
        report = await self._run(patch, ids, "cold" if self._only_cold else "auto")
        if report.rung == "checkpoint" and not await self._agrees(patch, ids):
            self._pool.progress(f"Every run starts a new process from here on: {self._only_cold}")
            report = await self._run(patch, ids, "cold")
        if self._only_cold:
            report = dataclasses.replace(report, rung_reason=self._only_cold)
        return report

    async def trace(self, ids: tuple[str, ...] = (), values: tuple[str, ...] = ()) -> TraceReport:
        """What each test executes of the user's own code; of these functions also with which values."""
        request = dataclasses.replace(self._request(ids), rung="cold")
        return await self._in_lane(lambda box: box.trace(request, values=values))

    async def run_fresh(self, patch: Patch) -> Report:
        """The full suite in a box that has seen nothing: the snapshot, and these bytes, and no other run."""
        try:
            return await self._run_fresh(patch)
        except BoxLost:
            return await self._run_fresh(patch)

    def prepare_fresh(self) -> None:
        """Somebody is about to look for a fix, which will have to be verified."""
        self._pool.prepare(self._snapshot)

    def disagreed(self, warm: Report, cold: Report) -> None:
        """What looked good in a warm run did not in a fresh box; such runs are not believed any more."""
        if warm.rung == "checkpoint" and not self._only_cold:
            self._only_cold = _difference(warm, cold) or "a warm run ended in another way than a fresh one."

    async def _agrees(self, patch: Patch, ids: tuple[str, ...]) -> bool:
        """Ask the same template about the user's own code, once; it takes no longer than the run itself."""
        known, asked = self._baseline, (patch.paths, ids)
        if known is None or known.ended != "finished" or asked in self._checked:
            return True
        warm = await self._run(Patch(), ids, "checkpoint", editable=patch.paths)
        self._only_cold = _difference(warm, known)
        self._checked.add(asked)
        return not self._only_cold

    async def _run(
        self, patch: Patch, ids: tuple[str, ...], rung: Rung, editable: tuple[str, ...] = ()
    ) -> Report:
        request = dataclasses.replace(self._request(ids), rung=rung, editable=editable)
        return await self._in_lane(lambda box: box.run(request, _changes(patch)))

    async def _in_lane(self, act: Callable[[Box], Awaitable[T]]) -> T:
        """A box that vanished says nothing about the code: so once more, in another one."""
        try:
            async with self._pool.lane(self._snapshot) as box:
                return await act(box)
        except BoxLost:
            async with self._pool.lane(self._snapshot) as box:
                return await act(box)

    async def _run_fresh(self, patch: Patch) -> Report:
        async with self._pool.fresh(self._snapshot) as box:
            report = await box.run(dataclasses.replace(self._request(()), rung="cold"), _changes(patch))
            return dataclasses.replace(report, rung="fresh")

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
