"""What one run proves, measured against the plan and the baseline. Pure: the harness decides, nobody else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from untilgreen.model import Goal
from untilgreen.solve.plan import Plan
from untilgreen_sandbox.report import Outcome, Report

_STILL_GOOD: dict[Outcome, frozenset[Outcome]] = {
    "passed": frozenset({"passed"}),
    "skipped": frozenset({"skipped", "passed"}),
    "xfailed": frozenset({"xfailed", "xpassed", "passed"}),
    "xpassed": frozenset({"xpassed", "passed"}),
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """Green only when there is no fault."""

    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    still_failing: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def green(self) -> bool:
        return not self.faults

    @property
    def better(self) -> bool:
        """Some goal test was fixed and nothing was broken."""
        return bool(self.fixed) and not self.broken


def red_tests(plan: Plan, baseline: Report) -> tuple[str, ...]:
    """Planned tests that did not do well; one that never ran did not, either."""
    outcomes = baseline.outcomes()
    return tuple(
        test_id
        for test_id in plan.all_ids
        if test_id in plan.unlisted or outcomes.get(test_id) not in _STILL_GOOD
    )


def environment_failures(plan: Plan, baseline: Report) -> dict[str, str]:
    """Planned tests that no change of the code can make pass, each with the remedy.

    Only the first run decides this. A test that did well in it and later fails for want of a module or a
    network was broken by what changed in between, whatever its failure says.
    """
    remedies: dict[str, list[str]] = {}
    for case in baseline.red:
        test_id = plan.unlisted_file_of(case.id) or case.id
        remedies.setdefault(test_id, []).append(case.environment)
    return {
        test_id: remedies[test_id][0]
        for test_id in plan.all_ids
        if test_id in remedies and all(remedies[test_id])
    }


def goal_tests(goal: Goal, plan: Plan) -> tuple[str, ...]:
    """The planned tests the goal speaks of; a test in a file that cannot be collected stands for the file."""
    named = {test.split("::")[0] for test in goal.tests if "::" in test} & set(plan.unlisted)
    covers = goal.covering()
    return tuple(test_id for test_id in plan.all_ids if covers(test_id) or test_id in named)


def judge(plan: Plan, baseline: Report, failing: tuple[str, ...], report: Report) -> Judgement:
    """Compare a run of the whole plan with the baseline; `failing` are the tests that should turn green."""
    now = report.outcomes()
    before = baseline.outcomes()
    fixed = tuple(test_id for test_id in failing if _is_fixed(test_id, plan, report))
    still = tuple(test_id for test_id in failing if test_id not in fixed)
    broken = tuple(
        test_id
        for test_id in plan.ids
        if before.get(test_id) in _STILL_GOOD and now.get(test_id) not in _STILL_GOOD[before[test_id]]
    )
    faults = [f"{test_id} still does not pass ({now.get(test_id, 'did not run')})" for test_id in still]
    faults += [f"{test_id} was {before[test_id]} and is {now.get(test_id, 'gone')} now" for test_id in broken]
    return Judgement(fixed, broken, still, (*_run_faults(plan, report), *faults))


def _is_fixed(test_id: str, plan: Plan, report: Report) -> bool:
    if test_id not in plan.unlisted:
        return report.outcomes().get(test_id) == "passed"
    inside = {case.id: case.outcome for case in report.cases if case.id.startswith(f"{test_id}::")}
    present = {case_id.split("[")[0] for case_id in inside}
    return (
        bool(inside)
        and report.case(test_id) is None
        and all(outcome == "passed" for outcome in inside.values())
        and all(named in present for named in plan.unlisted[test_id])
    )


def _run_faults(plan: Plan, report: Report) -> list[str]:
    """The run itself: it must have finished, and it must be a run of the plan, of all of it and no more."""
    if report.ended != "finished":
        return [f"the run did not finish ({report.ended}): {report.detail}"]
    if not report.cases:
        return ["no test was run"]
    planned = set(plan.ids)
    seen = Counter(case.id for case in report.cases)
    listed = Counter(report.planned)
    faults = [f"{test_id} was reported {count} times" for test_id, count in seen.items() if count > 1]
    for test_id in {**seen, **listed}:
        if test_id not in planned and plan.unlisted_file_of(test_id) is None:
            faults.append(f"{test_id} was not planned")
    faults += [f"{test_id} was not even collected" for test_id in plan.ids if test_id not in listed]
    return faults
