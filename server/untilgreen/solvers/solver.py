"""The seam between the loop and those who write code."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Protocol

from untilgreen.model import NO_PATCH, Attempt, Clues, Finding, Goal, Patch, Proposal, Race, Reflection, Spent
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.evaluation import Evaluation, EvaluationRequest
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.trace import TraceReport


@dataclass(frozen=True, slots=True)
class Task:
    """What a solver is asked to do."""

    goal: Goal
    snapshot: Snapshot
    baseline: Report
    """A run of the code to start from."""
    failing: tuple[str, ...]
    """The tests that are red there and should turn green."""
    base: Patch = field(default_factory=Patch)
    """Where to start from, laid over the snapshot: the best that solvers before this one came to. Proposals
    contain it, unless they go another way."""
    seconds: float = 60.0
    """How long this solver may look."""


class Workbench(Protocol):
    """What a solver may do besides thinking."""

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """What the loop has tested so far, and how it went."""

    @property
    def reflection(self) -> Reflection | None:
        """What the last of this solver's attempts shows; None before the first."""

    @property
    def best(self) -> Patch:
        """The furthest that any attempt came without breaking something; like a proposal, it is whole."""

    def afford(self, tokens: int = 0, usd: float = 0.0) -> bool:
        """Ask before spending: true reserves this much, false means that it may not be spent.

        What it came to is told once: by the `spent` of the next proposal, or by `settle` when there is none.
        """

    def settle(self, spent: Spent) -> None:
        """What was really spent since the last proposal, on the way to nothing."""

    @property
    def report(self) -> Report | None:
        """The run of the last attempt; None before the first, and after one that was not run."""

    def refuses(self, patch: Patch) -> tuple[Finding, ...]:
        """Why the loop would not even run this; asking costs nothing."""

    @property
    def clues(self) -> Clues:
        """What earlier solvers of this job found."""

    def leave(self, clues: Clues) -> None:
        """For the next solver."""

    def say(self, text: str) -> None:
        """What is being done, for whoever waits."""

    def tell(self, text: str) -> None:
        """Something that is worth a line of its own: a plan, what it will cost."""

    async def run(
        self,
        patch: Patch,
        ids: tuple[str, ...] = (),
        seconds: float | None = None,
        one_test: float | None = None,
        *,
        alone: bool = False,
    ) -> Report:
        """Run tests with a patch over the snapshot, for no longer than this, and none longer than that;
        `alone` when it is not likely that another patch will be run."""

    async def trace(
        self,
        ids: tuple[str, ...] = (),
        values: tuple[str, ...] = (),
        patch: Patch = NO_PATCH,
        seconds: float | None = None,
    ) -> TraceReport:
        """Run tests and tell what each executes; of these functions (`path:qualified.name`) also values."""

    async def evaluate(self, request: EvaluationRequest, patch: Patch = NO_PATCH) -> Evaluation:
        """Try many versions of functions fast; what it says is a hint, and never a verdict."""


class Solver(Protocol):
    name: str

    def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal | Race]:
        """One proposal after the other, or several at once; the end means that nothing is left."""
