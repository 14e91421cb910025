"""An old verdict, checked again in a fresh box: is it still true of the same tree?"""

from __future__ import annotations

import asyncio

from untilgreen.errors import UntilgreenError
from untilgreen.evidence import Evidence
from untilgreen.ground import Ground
from untilgreen.history import JobSummary, missing_from
from untilgreen.job import Emit
from untilgreen.model import Finding, Goal, Patch, Verdict, VerdictKind
from untilgreen.solve.listing import list_tests
from untilgreen.solve.plan import Plan
from untilgreen.solve.verdicts import Start
from untilgreen.solve.verify import Verifier
from untilgreen_sandbox.report import Report

DIFFERS = "differs"
"""The rule of a finding that names a file which is not what the verdict spoke about."""
_MOST_NAMES = 10


async def check_again(
    goal: Goal, summary: JobSummary, evidence: Evidence | None, ground: Ground, emit: Emit
) -> Verdict:
    """The old kind when all tests tell the same again; else `stuck`, with the files or tests that differ."""
    if evidence is None or not summary.outcomes:
        raise UntilgreenError(f"Job {summary.job} kept no run that could be checked again.")
    patch = missing_from(evidence, ground.snapshot.entries, ground.snapshot.digest)
    if not isinstance(patch, Patch):
        return _differs(patch, known=bool(evidence.files))
    listing = await list_tests(Goal(goal.root), ground.snapshot, ground.bench, emit)
    if isinstance(listing, Verdict):
        return listing
    report = await ground.bench.run_fresh(patch)
    now = report.outcomes()
    # A run of some tests says nothing of the others.
    wanted = (
        summary.outcomes.keys() if summary.kind == "test" and goal.tests else now.keys() | summary.outcomes
    )
    other = tuple(sorted(test for test in wanted if now.get(test) != summary.outcomes.get(test)))
    if report.ended != "finished" or other:
        said = (
            f"{other[0]} {_told(summary.outcomes.get(other[0]), now.get(other[0]))}"
            if other
            else report.detail
        )
        reason = f"Not confirmed: {said}."
        return Verdict("stuck", reason, patch=patch, after=report, broken=other)
    if summary.verdict == "green" and (
        doubts := await _doubts(ground, listing.plan, patch, evidence, report)
    ):
        return Verdict("stuck", f"Not confirmed: {doubts[0]}.", patch=patch, after=report)
    kind: VerdictKind = _KINDS.get(summary.verdict, "stuck")
    good = sum(outcome == "passed" for outcome in now.values())
    reason = (
        f"Confirmed: the same tree, a fresh sandbox, and {good} of {len(now)} tests pass, as it was said."
    )
    return Verdict(kind, reason, patch=patch, after=report)


async def _doubts(
    ground: Ground, plan: Plan, patch: Patch, evidence: Evidence, report: Report
) -> tuple[str, ...]:
    """Whether tests that reach the fix still tell right from wrong."""
    snapshot = ground.snapshot
    before = await asyncio.to_thread(
        lambda: {path: snapshot.read(path) for path in evidence.patch.paths if snapshot.exists(path)}
    )
    verifier = await asyncio.to_thread(Verifier, ground.bench, Start(plan, report, ()), snapshot)
    fix = Patch({path: change for path, change in evidence.patch if before.get(path) != change.content})
    return await verifier.doubts(patch, fix or evidence.patch, report, before.get if fix else _nothing)


def _nothing(_path: str) -> None:
    return None


_KINDS: dict[str, VerdictKind] = {
    "green": "green",
    "already_green": "already_green",
    "better": "better",
    "blocked": "blocked",
    "budget": "budget",
    "impossible": "impossible",
}


def _differs(paths: tuple[str, ...], *, known: bool) -> Verdict:
    if not known:
        return Verdict("stuck", "The tree has changed, and what it was is not kept any more.")
    names = ", ".join(paths[:_MOST_NAMES]) + (", …" if len(paths) > _MOST_NAMES else "")
    what = "1 file is" if len(paths) == 1 else f"{len(paths)} files are"
    findings = tuple(Finding(path, 0, DIFFERS, "not what the verdict spoke about") for path in paths)
    return Verdict("stuck", f"It cannot be checked: {what} not as then: {names}.", findings=findings)


def _told(then: str | None, now: str | None) -> str:
    return f"was {then or 'not there'} and is {now or 'not there'} now"
