"""One run of the tests on the user's own code, for whoever only wants to know."""

from __future__ import annotations

from untilgreen.events import BaselineDone, PlanMade
from untilgreen.model import Goal, Patch, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.judge import environment_failures, goal_tests
from untilgreen.solve.loop import Emit
from untilgreen.solve.plan import make_plan, surroundings
from untilgreen.solve.verdicts import blocked, no_tests, unlistable
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import missing_from, sort_failures


async def run_once(goal: Goal, snapshot: Snapshot, bench: Bench, emit: Emit) -> Verdict:
    """`already_green` when every test the goal names does well; the Report is in `after`.

    Else `stuck`, or `blocked` when nothing but the environment is in the way.
    """
    around = surroundings(snapshot)
    listing = await bench.plan()
    if listing.ended != "finished":
        return unlistable(listing, missing_from(listing.output.head + listing.output.tail, around))
    plan = make_plan(listing, snapshot.read)
    emit(PlanMade(len(plan.all_ids)))
    wanted = goal_tests(goal, plan)
    if not wanted:
        return no_tests(goal, plan, listing)
    report = await bench.run(Patch(), wanted if goal.tests else ())
    planned = tuple(test_id for test_id in wanted if test_id not in plan.unlisted)
    report = sort_failures(report, planned, around)
    emit(BaselineDone(report))
    faults = report.faults(wanted)
    if not faults:
        return Verdict("already_green", f"{len(wanted)} tests, none failed.", before=report, after=report)
    environment = tuple(environment_failures(plan, report).items())
    bad = tuple(case.id for case in report.red if not case.environment)
    if environment and not bad:
        return blocked(environment, report)
    reason = f"{len(bad)} of {len(wanted)} tests failed." if bad else f"Not green: {faults[0]}."
    return Verdict("stuck", reason, before=report, after=report, still_failing=bad, environment=environment)
