"""One run of the tests on the user's own code, for whoever only wants to know."""

from __future__ import annotations

from untilgreen.events import BaselineDone, PlanMade
from untilgreen.model import Goal, Patch, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.judge import goal_tests
from untilgreen.solve.loop import Emit
from untilgreen.solve.plan import make_plan
from untilgreen.solve.verdicts import no_tests, unlistable
from untilgreen.workspace import Snapshot


async def run_once(goal: Goal, snapshot: Snapshot, bench: Bench, emit: Emit) -> Verdict:
    """`already_green` when every test the goal names does well, else `stuck`; the Report is in `after`."""
    listing = await bench.plan()
    if listing.ended != "finished":
        return unlistable(listing)
    plan = make_plan(listing, snapshot.read)
    emit(PlanMade(len(plan.all_ids)))
    wanted = goal_tests(goal, plan)
    if not wanted:
        return no_tests(goal, plan, listing)
    report = await bench.run(Patch(), wanted if goal.tests else ())
    emit(BaselineDone(report))
    faults = report.faults(wanted)
    if not faults:
        return Verdict("already_green", f"{len(wanted)} tests, none failed.", before=report, after=report)
    bad = tuple(case.id for case in report.red)
    reason = f"{len(bad)} of {len(wanted)} tests failed." if bad else f"Not green: {faults[0]}."
    return Verdict("stuck", reason, before=report, after=report, still_failing=bad)
