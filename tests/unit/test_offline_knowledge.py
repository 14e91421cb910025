"""Which failing tests decide about a candidate."""

from __future__ import annotations

from untilgreen.solvers.offline.knowledge import HANGING_SECONDS, QUICK_SECONDS, Knowledge


def test_quick_tests_decide_where_there_are_any() -> None:
    known = Knowledge(seconds={"slow": 3.0, "quick": 0.01})
    assert known.deciding(["slow", "quick", "new"]) == (("quick", "new"), 0.0)


def test_of_slow_tests_the_quickest_decides() -> None:
    known = Knowledge(seconds={"slow": 3.0, "slower": 4.0})
    assert known.deciding(["slower", "slow"]) == (("slow",), 3.0)
    assert QUICK_SECONDS < 3.0


def test_that_a_test_hangs_is_not_found_out_at_length_again() -> None:
    known = Knowledge(hanging=("one", "two"))
    assert known.deciding(["one", "two"]) == (("one", "two"), HANGING_SECONDS)
    assert known.deciding(["one", "other"]) == (("one", "other"), 0.0), "of the other nothing is known"
