"""What calls cost: reserved before, counted after, and told in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from untilgreen.model import Spent
from untilgreen.models import Limits, Message, Model, Reply, Tool, Usage
from untilgreen.solve.budget import Budget
from untilgreen.solvers.agent.purse import Purse
from untilgreen.solvers.solver import Workbench


class Priced:
    name = "priced"

    def __init__(self, dollars: float | None) -> None:
        self._dollars = dollars

    def cost(self, usage: Usage) -> float | None:
        return None if self._dollars is None else (usage.read + usage.written) * self._dollars

    def count(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int:
        return 100


def purse_of(dollars: float | None, budget: Budget) -> Purse:
    # A budget answers all that a purse asks of a workbench.
    return Purse(cast(Model, Priced(dollars)), cast(Workbench, budget))


TALK = (Message("user", "hello"),)


def test_the_worst_case_is_reserved_and_the_rest_given_back() -> None:
    budget = Budget(3, 60.0, max_tokens=1_000, max_usd=1.0)
    purse = purse_of(0.001, budget)
    assert purse.afford(TALK, (), Limits(tokens=800))
    purse.paid(TALK, (), Reply("hi", usage=Usage(100, 20)))
    assert purse.afford(TALK, (), Limits(tokens=700)), "only what was spent is gone"
    purse.release()
    assert not purse.afford(TALK, (), Limits(tokens=800))
    assert "1,000 tokens" in budget.refused
    assert purse.take() == Spent(tokens=120, usd=0.12) and purse.take() == Spent()


def test_dollars_end_it_before_tokens_do() -> None:
    budget = Budget(3, 60.0, max_tokens=10_000, max_usd=0.5)
    assert not purse_of(0.001, budget).afford(TALK, (), Limits(tokens=800))
    assert "0.50 dollars" in budget.refused


def test_a_provider_that_tells_nothing_is_estimated() -> None:
    purse = purse_of(None, Budget(3, 60.0))
    purse.paid(TALK, (), Reply("hi"))
    assert purse.total == Spent(tokens=200)


@pytest.mark.parametrize(
    ("dollars", "says"),
    [
        (None, "price is not known, so only tokens"),
        (0.0, "costs nothing"),
        (0.001, "0.1000 to 0.9000 dollars"),
    ],
)
def test_forecast(dollars: float | None, says: str) -> None:
    purse = purse_of(dollars, Budget(3, 60.0))
    assert says in purse.forecast(TALK, (), Limits(tokens=800))
    assert ("$" in purse.words()) == (dollars is not None)
