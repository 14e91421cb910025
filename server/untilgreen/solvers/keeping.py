"""Keeps what proposals are about to change, as the snapshot saw it: the user may edit it meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

from untilgreen.model import Patch, Proposal, Race
from untilgreen.solvers.solver import Solver, Task, Workbench
from untilgreen.workspace import Snapshot


class Keeping:
    """A solver like the one it holds."""

    def __init__(self, solver: Solver, kept: dict[str, bytes | None]) -> None:
        self.name = solver.name
        self._solver = solver
        self._kept = kept

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal | Race]:
        asked = self._solver.proposals(task, bench)
        # Whoever stops listening ends what is behind, too.
        async with aclosing(cast(AsyncGenerator[Proposal | Race, None], asked)):
            async for proposed in asked:
                for proposal in proposed.proposals if isinstance(proposed, Race) else (proposed,):
                    for patch in (proposal.patch, *proposal.rivals):
                        await asyncio.to_thread(self._keep, task.snapshot, patch)
                yield proposed

    def _keep(self, snapshot: Snapshot, patch: Patch) -> None:
        for path in patch.paths:
            if path not in self._kept:
                self._kept[path] = snapshot.read(path) if snapshot.exists(path) else None
