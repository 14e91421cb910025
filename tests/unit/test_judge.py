"""What a run proves: absent is not passed, more than planned is not the plan, no test is not green."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.model import Goal
from untilgreen.solve.judge import Judgement, goal_tests, judge, red_tests
from untilgreen.solve.plan import Plan, make_plan, named_tests
from untilgreen_sandbox.report import OUTCOMES, CaseResult, Outcome, Report

PLAN = Plan(("t.py::a", "t.py::b", "t.py::c"))


def report(
    outcomes: dict[str, Outcome], ended: str = "finished", planned: tuple[str, ...] | None = None
) -> Report:
    cases = tuple(CaseResult(test_id, outcome) for test_id, outcome in outcomes.items())
    listed = tuple(test_id for test_id in outcomes if "::" in test_id) if planned is None else planned
    return Report(ended, cases, listed)  # type: ignore[arg-type]


BASELINE = report({"t.py::a": "failed", "t.py::b": "passed", "t.py::c": "skipped"})


def judged(outcomes: dict[str, Outcome], ended: str = "finished") -> Judgement:
    return judge(PLAN, BASELINE, ("t.py::a",), report(outcomes, ended))


def test_the_goal_passes_and_nothing_else_changes() -> None:
    judgement = judged({"t.py::a": "passed", "t.py::b": "passed", "t.py::c": "skipped"})
    assert judgement == Judgement(("t.py::a",), (), (), ())
    assert judgement.green
    assert judgement.better


@pytest.mark.parametrize("outcome", ["failed", "error", "skipped", "xfailed", "xpassed"])
def test_only_passed_is_fixed(outcome: Outcome) -> None:
    judgement = judged({"t.py::a": outcome, "t.py::b": "passed", "t.py::c": "skipped"})
    assert not judgement.green
    assert judgement.still_failing == ("t.py::a",)


@pytest.mark.parametrize("outcome", ["failed", "error", "skipped", "xfailed", "xpassed"])
def test_what_passed_must_pass(outcome: Outcome) -> None:
    judgement = judged({"t.py::a": "passed", "t.py::b": outcome, "t.py::c": "skipped"})
    assert judgement.broken == ("t.py::b",)
    assert not judgement.green
    assert not judgement.better


def test_absent_is_not_passed() -> None:
    judgement = judged({"t.py::a": "passed", "t.py::c": "skipped"})
    assert judgement.broken == ("t.py::b",)
    assert any("was not even collected" in fault for fault in judgement.faults)


def test_a_test_nobody_planned_is_a_fault() -> None:
    judgement = judged({"t.py::a": "passed", "t.py::b": "passed", "t.py::c": "skipped", "t.py::d": "passed"})
    assert judgement.faults == ("t.py::d was not planned",)


def test_a_test_that_is_told_twice_is_a_fault() -> None:
    cases = [CaseResult("t.py::a", "failed"), CaseResult("t.py::a", "passed")]
    cases += [CaseResult("t.py::b", "passed"), CaseResult("t.py::c", "skipped")]
    twice = Report("finished", tuple(cases), PLAN.ids)
    assert "t.py::a was reported 2 times" in judge(PLAN, BASELINE, ("t.py::a",), twice).faults


@pytest.mark.parametrize("ended", ["timeout", "oom", "crashed", "killed", "lost"])
def test_a_run_that_did_not_finish_proves_nothing(ended: str) -> None:
    judgement = judged({"t.py::a": "passed", "t.py::b": "passed", "t.py::c": "skipped"}, ended=ended)
    assert not judgement.green


def test_no_test_at_all_is_not_green() -> None:
    assert "no test was run" in judge(Plan(()), Report("finished"), (), Report("finished")).faults
    assert Report("finished").faults(()) == ("no test was run",)


def test_red_is_what_did_not_do_well_or_did_not_run() -> None:
    plan = Plan(("t.py::a", "t.py::b", "t.py::c", "t.py::d"), {"u.py": ()})
    assert red_tests(plan, BASELINE) == ("t.py::a", "t.py::d", "u.py")


def test_a_file_that_could_not_be_collected_is_fixed_when_all_its_tests_pass() -> None:
    plan = Plan((), {"u.py": ("u.py::one", "u.py::two")})
    before = report({"u.py": "error"})

    def after(outcomes: dict[str, Outcome]) -> Judgement:
        return judge(plan, before, ("u.py",), report(outcomes))

    assert after({"u.py::one": "passed", "u.py::two[1]": "passed", "u.py::two[2]": "passed"}).green
    assert not after({"u.py": "error"}).green
    assert not after({"u.py::one": "passed"}).green, "a test its text names is missing"
    assert not after({"u.py::one": "passed", "u.py::two": "skipped"}).green
    assert not after({"u.py::one": "passed", "u.py::two": "passed", "u.py": "error"}).green
    assert not after({"u.py::one": "passed", "u.py::two": "passed", "v.py::x": "passed"}).green


@given(
    st.dictionaries(st.sampled_from(PLAN.ids), st.sampled_from(OUTCOMES)),
    st.dictionaries(st.sampled_from([*PLAN.ids, "t.py::new"]), st.sampled_from(OUTCOMES)),
)
def test_green_means_all_of_the_plan_and_nothing_worse(
    before: dict[str, Outcome], after: dict[str, Outcome]
) -> None:
    baseline = report(before)
    failing = red_tests(PLAN, baseline)
    if judge(PLAN, baseline, failing, report(after)).green:
        assert set(after) == set(PLAN.ids)
        assert all(after[test_id] == "passed" for test_id in failing)
        assert all(after[test_id] == "passed" for test_id in before if before[test_id] == "passed")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ((), ["a/t.py::x[1]", "a/t.py::x[2]", "a/t.py::y", "b/t.py::y", "c.py"]),
        (("a",), ["a/t.py::x[1]", "a/t.py::x[2]", "a/t.py::y"]),
        (("a/t.py::x",), ["a/t.py::x[1]", "a/t.py::x[2]"]),
        (("a/t.py::x[2]", "b/t.py"), ["a/t.py::x[2]", "b/t.py::y"]),
        (("c.py::anything",), ["c.py"]),
        (("a/t",), []),
        (("a/",), ["a/t.py::x[1]", "a/t.py::x[2]", "a/t.py::y"]),
        ((".",), ["a/t.py::x[1]", "a/t.py::x[2]", "a/t.py::y", "b/t.py::y", "c.py"]),
    ],
)
def test_which_tests_a_goal_speaks_of(asked: tuple[str, ...], expected: list[str]) -> None:
    plan = Plan(("a/t.py::x[1]", "a/t.py::x[2]", "a/t.py::y", "b/t.py::y"), {"c.py": ()})
    assert list(goal_tests(Goal(Path("/p"), asked), plan)) == expected


def test_a_plan_reads_the_names_in_a_file_that_cannot_be_imported() -> None:
    source = b"""
import missing
def helper(): pass
def test_one(): pass
async def test_two(): pass
class TestThree:
    def test_four(self): pass
    def other(self): pass
class Five(missing.TestCase):
    def test_six(self): pass
class Plain:
    def test_not(self): pass
"""
    listing = Report("finished", (CaseResult("u.py", "error"),), ("t.py::a",))
    plan = make_plan(listing, {"u.py": source}.__getitem__)
    assert plan.ids == ("t.py::a",)
    names = ("test_one", "test_two", "TestThree::test_four", "Five::test_six")
    assert plan.unlisted == {"u.py": tuple(f"u.py::{name}" for name in names)}
    assert plan.files == {"t.py", "u.py"}


def test_broken_text_names_no_tests() -> None:
    assert named_tests("u.py", lambda _: b"def test_x(:") == ()
    assert named_tests("u.py", lambda _: b"\0") == ()
