"""When a model has mended almost everything, a search for a small change may mend the rest."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

from untilgreen.model import Attempt, Clues, Patch, Proposal, Spent
from untilgreen.solvers.offline import OfflineSolver
from untilgreen.solvers.solver import Task, Workbench
from untilgreen_sandbox.report import Report

FEW = 3
SECONDS = 2.0
"""How long it searches; looking at what the tests do comes on top."""
LOOKS = 3
MOST_SECONDS = 15.0


def worth_finishing(attempt: Attempt, report: Report | None) -> bool:
    """Some tests pass now, few are left, and nothing broke."""
    left = len(attempt.still_failing)
    return bool(report and attempt.fixed and not attempt.broken and 0 < left <= FEW) and not attempt.findings


async def finish(
    task: Task, base: Patch, attempt: Attempt, report: Report, bench: Workbench
) -> AsyncIterator[Proposal]:
    """Proposals that contain the base; what it finds out on the way is nobody's business."""
    # Of tests that take long, or on a machine that is busy, the first look takes its time, too.
    seconds = min(SECONDS + LOOKS * report.seconds, MOST_SECONDS)
    rest = dataclasses.replace(
        task, baseline=report, failing=attempt.still_failing, base=base, seconds=seconds / 0.9
    )
    quiet = cast(Workbench, _Quiet(bench))
    found = cast(AsyncGenerator[Proposal, None], OfflineSolver().proposals(rest, quiet))
    loop = asyncio.get_running_loop()
    until = loop.time() + MOST_SECONDS
    async with aclosing(found):
        while True:
            try:
                async with asyncio.timeout_at(until):
                    proposal = await anext(found)
            except (StopAsyncIteration, TimeoutError):
                return
            if proposal.patch == base:
                continue
            begun = loop.time()
            yield dataclasses.replace(proposal, spent=Spent(candidates=proposal.spent.candidates))
            until += loop.time() - begun


class _Quiet:
    """A workbench on which somebody else keeps the accounts and the clues."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self.clues = Clues()

    def __getattr__(self, name: str) -> object:
        return getattr(self._bench, name)

    def leave(self, clues: Clues) -> None:
        self.clues = clues

    def settle(self, spent: Spent) -> None:
        pass
