"""A fix that was verified on another tree, verified anew on this one: same rules, from plan to fresh box."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from untilgreen.events import Verifying
from untilgreen.model import Goal, Patch, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.guard import Protection, refusals
from untilgreen.solve.judge import red_tests
from untilgreen.solve.listing import Emit, list_tests
from untilgreen.solve.plan import Plan, surroundings
from untilgreen.solve.verdicts import Start
from untilgreen.solve.verify import Verifier
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import sort_failures
from untilgreen_sandbox.report import Report


async def verify_again(
    goal: Goal,
    snapshot: Snapshot,
    bench: Bench,
    patch: Patch,
    fixed: tuple[str, ...],
    protect: Callable[[Plan], Protection],
    emit: Emit,
) -> Report | str:
    """The run that proves it; else one sentence why it does not hold here."""
    listing = await list_tests(goal, snapshot, bench, emit)
    if isinstance(listing, Verdict):
        return listing.reason
    plan = listing.plan
    if findings := refusals(patch, await asyncio.to_thread(protect, plan)):
        return f"{findings[0].path}: {findings[0].reason}"
    bench.prepare_fresh()
    baseline = sort_failures(await bench.baseline(), plan.ids, surroundings(snapshot))
    red = red_tests(plan, baseline)
    failing = tuple(test_id for test_id in fixed if test_id in red)
    if not failing:
        return "The tests it was made for do not fail any more."
    emit(Verifying(len(plan.all_ids)))
    before = await asyncio.to_thread(
        lambda: {path: snapshot.read(path) if snapshot.exists(path) else None for path in patch.paths}
    )
    verifier = await asyncio.to_thread(Verifier, bench, Start(plan, baseline, failing), snapshot)
    proof = await verifier.verify(patch, baseline, before.get, failing)
    if faults := proof.judgement.faults:
        return f"{faults[0][0].upper()}{faults[0][1:]}."
    return proof.report
