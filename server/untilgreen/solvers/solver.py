"""The seam between the loop and those who write code."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from untilgreen.model import Attempt, Goal, Patch, Proposal
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.report import Report


@dataclass(frozen=True, slots=True)
class Task:
    """What a solver is asked to do."""

    goal: Goal
    snapshot: Snapshot
    baseline: Report
    failing: tuple[str, ...]
    """The tests that should turn green."""


class Workbench(Protocol):
    """What a solver may do besides thinking."""

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """What the loop has tested so far, and how it went."""

    async def run(self, patch: Patch, ids: tuple[str, ...] = ()) -> Report:
        """Run tests with a patch laid over the snapshot."""


class Solver(Protocol):
    name: str

    def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
        """One proposal after the other; the end means that nothing is left."""
