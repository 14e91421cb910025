"""Keeps what proposals are about to change, as the snapshot saw it: the user may edit it meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from untilgreen.model import Patch, Proposal
from untilgreen.solvers.solver import Solver, Task, Workbench
from untilgreen.workspace import Snapshot


class Keeping:
    """A solver like the one it holds."""

    def __init__(self, solver: Solver, kept: dict[str, bytes | None]) -> None:
        self.name = solver.name
        self._solver = solver
        self._kept = kept

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
        async for proposal in self._solver.proposals(task, bench):
            await asyncio.to_thread(self._keep, task.snapshot, proposal.patch)
            yield proposal

    def _keep(self, snapshot: Snapshot, patch: Patch) -> None:
        for path in patch.paths:
            if path not in self._kept:
                self._kept[path] = snapshot.read(path) if snapshot.exists(path) else None
