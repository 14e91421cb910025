"""What may be spent: asked before, told after, shared fairly, and never more than there is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.cli.contract import solve_object
from untilgreen.job import Job
from untilgreen.model import Spent, Verdict
from untilgreen.solve.budget import Budget


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_money_is_reserved_before_it_is_spent() -> None:
    budget = Budget(9, 9.0, max_tokens=1000, max_usd=1.0)
    assert budget.afford(600, 0.5)
    assert not budget.afford(600, 0.1), "reserved is as good as gone"
    assert "1,000 tokens" in budget.refused
    assert budget.exhausted == ""
    budget.settle(Spent(tokens=100, usd=0.9))
    assert budget.afford(600, 0.1)
    assert not budget.afford(1, 0.1)
    assert "1.00 dollars" in budget.refused
    budget.close()
    assert budget.spent == Spent(0, 700, 1.0), "what was never settled counts as reserved"
    assert "1.00 dollars" in budget.exhausted


def test_each_solver_gets_its_share_and_the_last_one_all_that_is_left() -> None:
    clock = Clock()
    whole = Budget(7, 90.0, 900, 3.0, clock)
    first = whole.share(3)
    assert (first.max_attempts, first.max_seconds, first.max_tokens, first.max_usd) == (3, 30.0, 300, 1.0)
    assert [first.take_attempt(), first.take_attempt(), first.take_attempt()] == [1, 2, 3]
    first.settle(Spent(tokens=100))
    clock.now += 10
    assert "7 attempts" in first.exhausted, "it is the job's limit that a person knows"
    assert whole.exhausted == ""
    last = whole.share(1)
    assert (last.max_attempts, last.max_seconds, last.max_tokens) == (4, 80.0, 800)
    assert last.take_attempt() == 4
    clock.now += 80
    assert "90 seconds" in last.exhausted and whole.exhausted


def test_a_test_run_may_take_the_time_of_the_whole_job() -> None:
    clock = Clock()
    whole = Budget(4, 90.0, clock=clock)
    share = whole.share(2)
    clock.now += 45
    assert (share.seconds_left, share.testing_seconds) == (0.0, 45.0)


@given(
    st.integers(0, 50),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=20),
    st.integers(1, 4),
)
def test_nothing_is_spent_that_was_not_there(limit: int, steps: list[tuple[int, int]], solvers: int) -> None:
    """A solver that asks first, and never spends more than it asked for, stays within the limit."""
    whole = Budget(100, 100.0, max_tokens=limit)
    for left in range(solvers, 0, -1):
        share = whole.share(left)
        for asked, used in steps:
            if share.afford(asked, 0.0):
                share.settle(Spent(tokens=min(asked, used)))
        share.close()
    assert whole.spent.tokens <= limit


@pytest.mark.parametrize("solvers", [1, 2, 5])
def test_no_share_is_empty(solvers: int) -> None:
    assert Budget(1, 1.0).share(solvers).max_attempts == 1


def test_scripts_are_told_what_was_spent_and_what_is_flaky() -> None:
    verdict = Verdict("green", "good", flaky=("t.py::a",), spent=Spent(40, 1200, 0.25))
    told = solve_object(cast(Job, SimpleNamespace(id="1")), verdict, "bubblewrap")
    assert (told["candidates"], told["tokens"], told["usd"], told["flaky"]) == (40, 1200, 0.25, ["t.py::a"])
