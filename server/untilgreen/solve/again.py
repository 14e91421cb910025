"""A fix that was verified otherwise, verified anew on this tree: same rules, from plan to fresh box."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from untilgreen.events import Verifying
from untilgreen.model import Finding, Goal, Patch, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.findings import Eyes
from untilgreen.solve.guard import Protection, changed_tests, refusals
from untilgreen.solve.judge import judge, red_tests
from untilgreen.solve.listing import Emit, list_tests
from untilgreen.solve.plan import Plan, surroundings
from untilgreen.solve.proof import Proof
from untilgreen.solve.verdicts import Start
from untilgreen.solve.verify import VERIFY_SECONDS, Verifier
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import sort_failures


@dataclass(frozen=True, slots=True)
class Proved:
    """What is true of a fix on the tree as it is now."""

    proof: Proof
    fixed: tuple[str, ...]
    findings: tuple[Finding, ...]


async def verify_again(
    goal: Goal,
    snapshot: Snapshot,
    bench: Bench,
    patch: Patch,
    fixed: tuple[str, ...],
    protect: Callable[[Plan], Protection],
    emit: Emit,
    *,
    some: bool = False,
    verify_seconds: float = VERIFY_SECONDS,
) -> Proved | str:
    """The proof; else one sentence why it does not hold here.

    A part of a fix may leave some of the tests red that all of it fixed, but not every one.
    """
    listing = await list_tests(goal, snapshot, bench, emit)
    if isinstance(listing, Verdict):
        return listing.reason
    plan = listing.plan
    protection = await asyncio.to_thread(protect, plan)
    if findings := refusals(patch, protection):
        return f"{findings[0].path}: {findings[0].reason}"
    bench.prepare_fresh()
    baseline = sort_failures(await bench.baseline(), plan.ids, surroundings(snapshot))
    red = red_tests(plan, baseline)
    failing = tuple(test_id for test_id in fixed if test_id in red)
    if not failing:
        return "The tests it was made for do not fail any more."
    if some:
        failing = judge(plan, baseline, failing, await bench.run(patch, ())).fixed
        if not failing:
            return "This part alone makes none of the tests pass."
    emit(Verifying(len(plan.all_ids)))
    eyes = await asyncio.to_thread(Eyes, snapshot, failing)
    await asyncio.to_thread(eyes.keep, patch)
    start = Start(plan, baseline, failing)
    verifier = await asyncio.to_thread(Verifier, bench, start, snapshot, verify_seconds)
    proof = await verifier.verify(patch, baseline, eyes.before, failing)
    if faults := proof.judgement.faults:
        return f"{faults[0][0].upper()}{faults[0][1:]}."
    seen = await asyncio.to_thread(eyes.look, patch)
    return Proved(proof, failing, (*seen, *changed_tests(patch, protection), *proof.findings))
