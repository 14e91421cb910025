"""One turn: of a slow suite first the tests that a candidate can affect, and the others if those look right.

Which these are is known from one traced run of the user's own code. It saves time on candidates that are not
good enough; one that looks green has run whole, and is then verified whole.
"""

from __future__ import annotations

import asyncio
import dataclasses
import os

from untilgreen.errors import WorkspaceChanged
from untilgreen.model import Patch
from untilgreen.solve.bench import Bench
from untilgreen.solve.changed import Edit
from untilgreen.solve.judge import judge
from untilgreen.solve.selection import Selection, select
from untilgreen.solve.sharing import EACH_SECONDS, Shares, importing, shares
from untilgreen.solve.verdicts import Start
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.trace import Trace

SLOW_SECONDS = 3.0
"""A suite that takes no longer than this is not worth the traced run."""
PAYS_SECONDS, PAYS_IF_OPEN_SECONDS = 1.5, 0.05
"""Tests that take longer than this are worth a second box; or worth its use, when it is open."""


class Turns:
    """The turns of one job. The first one runs everything: it may well be the last."""

    def __init__(
        self, bench: Bench, start: Start, snapshot: Snapshot, slow_seconds: float = SLOW_SECONDS
    ) -> None:
        self._bench = bench
        self._start = start
        self._snapshot = snapshot
        # A file that could not be collected has no tests that a trace could know.
        self._divides = start.baseline.seconds > slow_seconds and not start.plan.unlisted
        self._costs = {case.id: case.seconds for case in start.baseline.cases}
        self._seconds = sum(self._costs.values()) + EACH_SECONDS * len(self._costs)
        can_share = not start.plan.unlisted and (os.cpu_count() or 1) > 1
        self._shares_pay = can_share and self._seconds > PAYS_IF_OPEN_SECONDS
        self._shares: dict[tuple[str, ...], Shares] = {}
        """By the paths that are changed."""
        self._n_run = 0
        self._trace: Trace | None = None
        self._tracing = asyncio.Lock()

    async def run(self, patch: Patch) -> Report:
        self._n_run += 1
        if not self._divides or self._n_run == 1:
            return await self._whole(patch)
        selection = await self._select(patch)
        if not selection.rest:
            return await self._whole(patch)
        first = await self._bench.run(patch, selection.first)
        if first.ended != "finished" or not self._looks_green(self._with_baseline(first, selection.rest)):
            # What it cannot affect is as it was.
            return self._with_baseline(first, selection.rest)
        rest = await self._bench.run(patch, selection.rest)
        return joined(first, rest)

    async def _whole(self, patch: Patch) -> Report:
        """Every test; in two boxes at once when both are there, or when that pays to open one."""
        parts = await self._shares_of(patch) if self._shares_pay else ()
        pays = self._n_run > 1 and (self._bench.lanes > 1 or self._seconds > PAYS_SECONDS)
        if parts and pays and (reports := await self._bench.run_shares(patch, parts)):
            return joined(*reports)
        report = await self._bench.run(patch)
        if parts and not self._looks_green(report):
            # There will be another turn, and until then nobody waits.
            self._bench.widen()
        return report

    async def _shares_of(self, patch: Patch) -> Shares:
        if patch.paths not in self._shares:
            try:
                late = await asyncio.to_thread(self._importers, patch)
            except (WorkspaceChanged, OSError):
                late = frozenset()  # It would have been a little faster to know.
            self._shares[patch.paths] = shares(self._start.plan.ids, self._costs, late)
        return self._shares[patch.paths]

    def _importers(self, patch: Patch) -> frozenset[str]:
        files = dict.fromkeys(test_id.split("::")[0] for test_id in self._start.plan.ids)
        texts = {
            file: _text(self._snapshot.read(file)) or "" for file in files if self._snapshot.exists(file)
        }
        return importing(texts, patch.paths)

    def _looks_green(self, report: Report) -> bool:
        return judge(self._start.plan, self._start.baseline, self._start.failing, report).green

    async def _select(self, patch: Patch) -> Selection:
        async with self._tracing:
            if self._trace is None:
                self._trace = (await self._bench.trace()).trace
        edits = await asyncio.to_thread(self._edits, patch)
        seconds = {case.id: case.seconds for case in self._start.baseline.cases}
        return select(self._start.plan.ids, self._trace, edits, self._start.failing, seconds)

    def _edits(self, patch: Patch) -> dict[str, Edit]:
        return {
            path: Edit(
                _text(self._snapshot.read(path) if self._snapshot.exists(path) else None),
                _text(change.content),
            )
            for path, change in patch
        }

    def _with_baseline(self, first: Report, rest: tuple[str, ...]) -> Report:
        known = tuple(case for case in self._start.baseline.cases if case.id in frozenset(rest))
        return joined(first, Report("finished", known, rest))


def joined(first: Report, rest: Report) -> Report:
    """Two parts of a plan as one run; it ended as the part that ended badly."""
    last = first if first.ended != "finished" else rest
    return dataclasses.replace(
        first,
        ended=last.ended,
        detail=last.detail,
        cases=(*first.cases, *rest.cases),
        planned=(*first.planned, *rest.planned),
        seconds=first.seconds + rest.seconds,
    )


def _text(content: bytes | None) -> str | None:
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
