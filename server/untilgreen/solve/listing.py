"""The first question of every job: which tests are there, and which of them are meant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from untilgreen.events import Event, PlanMade
from untilgreen.model import Goal, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.judge import goal_tests
from untilgreen.solve.plan import Plan, make_plan, surroundings
from untilgreen.solve.verdicts import no_tests, unlistable
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import missing_from

Emit = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Listing:
    plan: Plan
    wanted: tuple[str, ...]
    """The planned tests that the goal speaks of; never empty."""


async def list_tests(goal: Goal, snapshot: Snapshot, bench: Bench, emit: Emit) -> Listing | Verdict:
    """On the user's own code; a verdict when there is nothing to run."""
    listed = await bench.plan()
    if listed.ended != "finished":
        said = listed.output.head + listed.output.tail
        return unlistable(listed, missing_from(said, surroundings(snapshot)))
    plan = make_plan(listed, snapshot.read)
    emit(PlanMade(len(plan.all_ids)))
    wanted = goal_tests(goal, plan)
    return Listing(plan, wanted) if wanted else no_tests(goal, plan, listed)
