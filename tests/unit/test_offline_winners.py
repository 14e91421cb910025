"""How long rivals are looked for."""

from __future__ import annotations

import pytest

from untilgreen.solvers.offline.allowance import Allowance
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.queue import Option, Scene
from untilgreen.solvers.offline.site import sites
from untilgreen.solvers.offline.winners import (
    LEAST_RIVAL_SECONDS,
    MOST_PLAUSIBLE,
    RIVAL_BITS,
    RIVAL_TIMES,
    Winners,
)

SCENE = Scene(sites("a.py", "def f():\n    pass\n")[0], ("t",))


def option(bits: float) -> Option:
    return Option(bits, SCENE, Edit("a.py", 0, 0, "", "t", 1, bits), ("t",))


def winners(*bits: float, cpu: float = 0.0) -> Winners:
    allowance = Allowance(60.0, clock=lambda: 0.0)
    allowance.cpu_seconds = cpu
    found = Winners(allowance)
    for one in bits:
        found.add(option(one))
    return found


def test_nothing_found_leaves_all_the_time_and_all_that_is_there() -> None:
    found = winners()
    assert not found and not found.are_enough
    assert found.seconds == found.within == float("inf")


def test_the_likelier_the_best_one_the_shorter_the_look_at_others() -> None:
    likely, less, least = winners(0.5), winners(3.0), winners(5.0)
    assert likely.seconds == pytest.approx(LEAST_RIVAL_SECONDS)
    assert likely.seconds < less.seconds < least.seconds
    assert winners(5.0, 0.5).seconds == likely.seconds, "the best of them counts"
    assert winners(3.0).within == 3.0 + RIVAL_BITS


def test_what_took_long_to_find_is_worth_a_long_look() -> None:
    found = winners(0.5, cpu=1.0)
    assert found.seconds == pytest.approx(RIVAL_TIMES * 1.0)
    found._allowance.cpu_seconds += RIVAL_TIMES - 0.5
    assert found.seconds == pytest.approx(0.5) and not found.are_enough
    found._allowance.cpu_seconds += 1.0
    assert found.are_enough


def test_many_are_enough_and_each_is_told_once() -> None:
    found = winners(*[1.0] * MOST_PLAUSIBLE)
    assert found.are_enough
    assert len(found.take()) == MOST_PLAUSIBLE
    assert not found and found.seconds == float("inf")
