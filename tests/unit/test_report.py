"""When a run may be called green."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox.report import OUTCOMES, CaseResult, Ended, Failure, Outcome, Output, Report

ids = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=6)


def passed(*names: str) -> tuple[CaseResult, ...]:
    return tuple(CaseResult(name, "passed") for name in names)


def test_all_planned_and_passed_is_green() -> None:
    assert Report("finished", passed("a", "b")).faults(["b", "a"]) == ()


def test_no_test_is_not_green() -> None:
    assert Report("finished").faults([]) == ("no test was run",)


def test_absent_is_not_passed() -> None:
    assert Report("finished", passed("a")).faults(["a", "b"]) == ("b did not run",)


def test_more_than_planned_is_not_the_plan() -> None:
    assert Report("finished", passed("a", "b")).faults(["a"]) == ("b was not planned",)


def test_twice_is_not_once() -> None:
    assert Report("finished", passed("a", "a")).faults(["a"]) == ("a was reported 2 times",)


@pytest.mark.parametrize("ended", [ended for ended in get_args(Ended) if ended != "finished"])
def test_only_a_finished_run_is_green(ended: Ended) -> None:
    assert Report(ended, passed("a")).faults(["a"])
    assert Report(ended, passed("a"), detail="why").faults(["a"]) == (f"the run ended early ({ended}): why",)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_outcomes(outcome: Outcome) -> None:
    case = CaseResult("a", outcome)
    faults = Report("finished", (case,)).faults(["a"])
    assert case.good == (outcome in ("passed", "skipped", "xfailed", "xpassed")) == (faults == ())


@given(ids, ids)
def test_green_means_exactly_the_plan(plan: list[str], ran: list[str]) -> None:
    green = Report("finished", passed(*ran)).faults(plan) == ()
    assert green == (bool(plan) and sorted(ran) == sorted(set(plan)))


def test_small_questions() -> None:
    failed = CaseResult("b", "failed", failure=Failure("E", "why"))
    report = Report("finished", (*passed("a"), failed))
    assert (report.case("b"), report.case("c")) == (failed, None)
    assert report.red == (failed,)
    assert report.outcomes() == {"a": "passed", "b": "failed"}
    assert (failed.message, CaseResult("c", "skipped", reason="later").message) == ("why", "later")
    assert (Output("x").capped, Output("x", "y", 1).capped) == (False, True)
