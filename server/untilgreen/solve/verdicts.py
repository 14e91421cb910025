"""How a job may end, in the words a person reads. Pure."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

from untilgreen.model import Attempt, Clues, Finding, Goal, Proposal, Reflection, Verdict
from untilgreen.solve.plan import Plan
from untilgreen.solve.trial import Trial
from untilgreen_sandbox.report import Report


@dataclass(frozen=True, slots=True)
class Start:
    """What is known before the first attempt: the plan, the first run, and what should turn green."""

    plan: Plan
    baseline: Report
    failing: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    """Test id and remedy of what is red for reasons outside the code."""
    flaky: tuple[str, ...] = ()
    """Goal tests that failed once and passed once, on the same code."""
    swayed: tuple[str, ...] = ()
    """Failing tests that pass alone, or with sets in another order."""


def already_green(n: int, baseline: Report) -> Verdict:
    reason = "The test passes already." if n == 1 else f"All {n} tests pass already."
    return Verdict("already_green", reason, before=baseline, after=baseline)


def green(
    start: Start, won: Trial, findings: tuple[Finding, ...] = (), changed: tuple[Finding, ...] = ()
) -> Verdict:
    """`changed` names the tests that were changed with the user's leave."""
    n = len(won.judgement.fixed)
    passing = sum(case.outcome == "passed" for case in won.report.cases)
    reason = f"{n} failing {'test passes' if n == 1 else 'tests pass'} now and no other broke"
    reason = f"{reason}: {passing} of {len(won.report.cases)} passed in a fresh sandbox"
    reason += f", and {won.questions} blind questions were answered rightly." if won.questions else "."
    return dataclasses.replace(
        _with_patch(start, won, (*findings, *changed)),
        kind="green",
        reason=f"{reason}{_changed(changed)}{_weak(won.weak)}{_contested(won.proposal)}{_aside(start, won)}",
    )


def better(
    start: Start,
    best: Trial,
    reason: str,
    findings: tuple[Finding, ...] = (),
    changed: tuple[Finding, ...] = (),
) -> Verdict:
    """Some goal tests were fixed and none broken, in a fresh box, too."""
    fixed, failing = len(best.judgement.fixed), len(start.failing)
    first = f"{fixed} of {failing} failing tests can be fixed and no other breaks"
    return dataclasses.replace(
        _with_patch(start, best, (*findings, *changed)),
        kind="better",
        reason=f"{first}.{_changed(changed)} {reason}{_aside(start, best)}",
    )


def not_solved(
    start: Start, kind: Literal["budget", "stuck"], reason: str, attempts: tuple[Attempt, ...] = ()
) -> Verdict:
    return Verdict(
        kind,
        f"{reason}{_aside(start)}",
        before=start.baseline,
        after=start.baseline,
        still_failing=start.failing,
        environment=start.environment,
        flaky=start.flaky,
        findings=tuple(finding for attempt in attempts for finding in attempt.findings),
    )


def why_stuck(attempts: tuple[Attempt, ...], clues: Clues, reflection: Reflection | None = None) -> str:
    if clues.verdict and not any(attempt.findings for attempt in attempts[-1:]):
        return f"Not green: {clues.verdict}."
    if not attempts:
        return "Not green: the solver had nothing to propose."
    last = attempts[-1]
    if last.findings:
        finding = last.findings[0]
        return f"Not green: the last proposal was refused ({finding.path}: {finding.reason})."
    if reflection is not None and reflection.advice == "move_on":
        return f"Not green, and going round in circles: {reflection.text}"
    return f"Not green: {last.faults[0] if last.faults else 'no proposal was good enough'}."


def only_flaky(start: Start) -> Verdict:
    """Nothing fails for sure: there is nothing that a fix could be measured by."""
    n = len(start.flaky)
    tests = start.flaky[0] if n == 1 else f"{n} tests"
    why = f"{tests} failed and then passed on the same code: {'it is' if n == 1 else 'they are'} flaky"
    reason = f"Nothing was tried: {why}. Make {'it' if n == 1 else 'them'} fail every time first."
    if start.environment:
        return dataclasses.replace(
            blocked(start.environment, start.baseline),
            reason=f"{blocked(start.environment, start.baseline).reason} {why[0].upper()}{why[1:]}.",
            flaky=start.flaky,
        )
    return Verdict("stuck", reason, before=start.baseline, after=start.baseline, flaky=start.flaky)


def impossible(start: Start, pair: str) -> Verdict:
    reason = f"No code can pass both of these: {pair}. Change one of the tests."
    return dataclasses.replace(not_solved(start, "stuck", reason), kind="impossible")


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


def _with_patch(start: Start, trial: Trial, findings: tuple[Finding, ...]) -> Verdict:
    return Verdict(
        "better",
        "",
        patch=trial.proposal.patch,
        solver=trial.solver,
        before=start.baseline,
        after=trial.report,
        fixed=trial.judgement.fixed,
        still_failing=tuple(test_id for test_id in start.failing if test_id not in trial.judgement.fixed),
        environment=start.environment,
        flaky=(*start.flaky, *trial.flaky),
        findings=(*findings, *trial.doubts),
        weak=trial.weak,
        scope=trial.scope,
        confidence=trial.proposal.confidence,
        rivals=trial.proposal.rivals,
        difference=trial.proposal.difference,
    )


def _aside(start: Start, trial: Trial | None = None) -> str:
    """What a person should know besides: tests that nobody could count on."""
    n, told = len(start.environment), ""
    if n:
        told = f" {n} more {'needs its' if n == 1 else 'need their'} environment mended first."
    if start.flaky:
        told += f" Flaky and not counted: {_names(start.flaky)}."
    if trial is not None and trial.flaky:
        told += f" Failed once and passed when run again: {_names(trial.flaky)}."
    return told


def _names(tests: tuple[str, ...]) -> str:
    return ", ".join(tests[:3]) + (f" and {len(tests) - 3} more" if len(tests) > 3 else "")


def _contested(proposal: Proposal) -> str:
    n = len(proposal.rivals)
    if not n:
        return ""
    others = "another change makes" if n == 1 else f"{n} other changes make"
    return f" Contested: {others} them pass, too."


def _changed(changed: tuple[Finding, ...]) -> str:
    if not changed:
        return ""
    return f" Tests were changed for it, as you allowed: {_names(tuple(one.path for one in changed))}."


def _weak(weak: tuple[str, ...]) -> str:
    if not weak:
        return ""
    says = f"{weak[0]} says" if len(weak) == 1 else f"{weak[0]} and {len(weak) - 1} more say"
    return f" Weak evidence: {says} little about what is right."
