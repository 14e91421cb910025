"""How a job may end, in the words a person reads. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from untilgreen.model import Attempt, Finding, Goal, Proposal, Verdict
from untilgreen.solve.judge import Judgement
from untilgreen.solve.plan import Plan
from untilgreen.solvers import Solver
from untilgreen_sandbox.report import Report


@dataclass(frozen=True, slots=True)
class Start:
    """What is known before the first attempt: the plan, the first run, and what should turn green."""

    plan: Plan
    baseline: Report
    failing: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    """Test id and remedy of what is red for reasons outside the code."""


@dataclass(frozen=True, slots=True)
class Best:
    """The furthest any attempt came without breaking something."""

    proposal: Proposal
    judgement: Judgement
    report: Report
    solver: str


def already_green(n: int, baseline: Report) -> Verdict:
    reason = "The test passes already." if n == 1 else f"All {n} tests pass already."
    return Verdict("already_green", reason, before=baseline, after=baseline)


def green(
    start: Start, won: Best, attempts: tuple[Attempt, ...], findings: tuple[Finding, ...] = ()
) -> Verdict:
    n = len(won.judgement.fixed)
    passing = sum(case.outcome == "passed" for case in won.report.cases)
    reason = f"{n} failing {'test passes' if n == 1 else 'tests pass'} now and no other broke"
    return Verdict(
        "green",
        f"{reason}: {passing} of {len(won.report.cases)} passed in a fresh sandbox.{_outside(start)}",
        patch=won.proposal.patch,
        solver=won.solver,
        before=start.baseline,
        after=won.report,
        fixed=won.judgement.fixed,
        environment=start.environment,
        findings=findings,
        confidence=won.proposal.confidence,
        attempts=attempts,
    )


def without_green(
    start: Start,
    best: Best | None,
    attempts: tuple[Attempt, ...],
    kind: Literal["budget", "stuck"],
    reason: str,
) -> Verdict:
    """`better` beats everything else when some goal test was fixed and none broken."""
    verdict = Verdict(
        kind,
        reason,
        before=start.baseline,
        after=start.baseline,
        still_failing=start.failing,
        environment=start.environment,
        attempts=attempts,
        findings=tuple(finding for attempt in attempts for finding in attempt.findings),
    )
    if best is None:
        return verdict
    return dataclasses.replace(
        verdict,
        kind="better",
        reason=f"{len(best.judgement.fixed)} of {len(start.failing)} failing tests can be fixed. {reason}",
        patch=best.proposal.patch,
        solver=best.solver,
        after=best.report,
        fixed=best.judgement.fixed,
        still_failing=best.judgement.still_failing,
    )


def why_stuck(solvers: Sequence[Solver], attempts: tuple[Attempt, ...]) -> str:
    if not solvers:
        return "Not green: no solver is available yet but the scripted one; use --solver scripted:FILE."
    if not attempts:
        return "Not green: the solver had nothing to propose."
    last = attempts[-1]
    if last.findings:
        finding = last.findings[0]
        return f"Not green: the last proposal was refused ({finding.path}: {finding.reason})."
    return f"Not green: {last.faults[0] if last.faults else 'no proposal was good enough'}."


def no_tests(goal: Goal, plan: Plan, listing: Report) -> Verdict:
    if plan.all_ids:
        return Verdict("stuck", f"No test matches {', '.join(goal.tests)}.", after=listing)
    return Verdict("stuck", "No tests were found; no test is not green.", after=listing)


def blocked(environment: tuple[tuple[str, str], ...], baseline: Report) -> Verdict:
    """Nothing but the environment keeps the goal from being green."""
    n, remedy = len(environment), environment[0][1]
    others = len({text for _, text in environment}) - 1
    tests = "the test" if n == 1 else f"{n} tests"
    more = (
        f" There {'is one more remedy' if others == 1 else f'are {others} more remedies'}." if others else ""
    )
    return Verdict(
        "blocked",
        f"It is not the code that makes {tests} fail. {remedy}{more}",
        before=baseline,
        after=baseline,
        environment=environment,
    )


def unlistable(report: Report, remedy: str) -> Verdict:
    lines = (report.output.head + report.output.tail).strip().splitlines()
    said = f" {lines[-1]}" if lines else ""
    why = f": {report.detail}.{said}" if not remedy else f". {remedy}"
    return Verdict("blocked", f"The tests cannot be listed{why}", after=report)


def _outside(start: Start) -> str:
    n = len(start.environment)
    return f" {n} more {'needs its' if n == 1 else 'need their'} environment mended first." if n else ""
