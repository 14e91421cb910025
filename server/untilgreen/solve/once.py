"""One run of the tests on the user's own code, for whoever only wants to know."""

from __future__ import annotations

from typing import Literal

from untilgreen.events import BaselineDone
from untilgreen.model import Goal, Patch, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.judge import environment_failures
from untilgreen.solve.listing import Emit, list_tests
from untilgreen.solve.plan import Plan, surroundings
from untilgreen.solve.verdicts import blocked
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import sort_failures
from untilgreen_sandbox.report import Report

Scope = Literal["full", "affected"]


async def run_once(goal: Goal, snapshot: Snapshot, bench: Bench, emit: Emit) -> Verdict:
    """`already_green` when every test the goal names does well; the Report is in `after`.

    Else `stuck`, or `blocked` when nothing but the environment is in the way.
    """
    listing = await list_tests(goal, snapshot, bench, emit)
    if isinstance(listing, Verdict):
        return listing
    plan, wanted = listing.plan, listing.wanted
    report = await bench.run(Patch(), wanted if goal.tests else ())
    planned = tuple(test_id for test_id in wanted if test_id not in plan.unlisted)
    report = sort_failures(report, planned, surroundings(snapshot))
    emit(BaselineDone(report))
    return told_once(report, wanted, plan)


def told_once(
    report: Report, wanted: tuple[str, ...], plan: Plan | None = None, scope: Scope = "full"
) -> Verdict:
    """What a run of these tests says."""
    faults = report.faults(wanted)
    if not faults:
        said = f"{len(wanted)} tests, none failed."
        return Verdict("already_green", said, before=report, after=report, scope=scope)
    environment = tuple(environment_failures(plan or Plan(wanted), report).items())
    bad = tuple(case.id for case in report.red if not case.environment)
    if environment and not bad:
        return blocked(environment, report)
    reason = f"{len(bad)} of {len(wanted)} tests failed." if bad else f"Not green: {faults[0]}."
    return Verdict(
        "stuck",
        reason,
        before=report,
        after=report,
        still_failing=bad,
        environment=environment,
        scope=scope,
    )
