"""Other values are other ones, near or far as they are asked for, on the host and in a project's process."""

from __future__ import annotations

import ast
import os
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from untilgreen.solve.blind.another import ALMOST, EXACT, FAR, OUTSIDE, WAYS, another
from untilgreen.solve.blind.disguise import SAME
from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.opposites import CHANGED
from untilgreen.solve.blind.prelude import prelude

PLAIN = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.binary(max_size=5),
        st.decimals(allow_nan=False),
        st.fractions(),
        st.complex_numbers(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        st.sets(st.integers(0, 5), max_size=3),
        st.frozensets(st.text(max_size=2), max_size=3),
    ),
    max_leaves=6,
)
CHOICES = st.integers(0, WAYS - 1)


class Strange:
    pass


@example(value=1e25, n=OUTSIDE)
@settings(deadline=None, max_examples=1000 if os.environ.get("UNTILGREEN_SOAK") else 100)
@given(PLAIN, CHOICES)
def test_another_value_is_not_equal_to_the_first(value: Any, n: int) -> None:
    made = another(value, n, Strange)
    assert made != value
    assert value != made


@given(st.one_of(PLAIN, st.text(max_size=9)), CHOICES, st.lists(PLAIN, max_size=3))
def test_outside_of_a_container_is_outside(value: Any, n: int, others: list[Any]) -> None:
    made = another(value, 4 * (n // 4) + OUTSIDE, Strange, [value, *others])
    assert made not in [value, *others]


@pytest.mark.parametrize("n", range(0, 400, 4))
def test_near_values_are_near(n: int) -> None:
    assert abs(another(50, n + EXACT, Strange) - 50) < 5000
    assert type(another(0.5, n + EXACT, Strange)) is float
    assert len(another("hello", n + EXACT, Strange)) in (4, 5, 6, 7)
    assert len(another("hello", n + OUTSIDE, Strange, "hello you")) == 5
    assert all(type(one) is str for one in another(["ann", "bob"], n + EXACT, Strange))
    assert all(type(one) is int for one in another({"a": 1, "b": 2}, n + EXACT, Strange).values())
    assert type(another(Decimal("1.5"), n + EXACT, Strange)) is Decimal
    assert type(another(Fraction(1, 3), n + EXACT, Strange)) is Fraction


@pytest.mark.parametrize("n", range(0, 400, 4))
@pytest.mark.parametrize("value", [0, 1, -3, 0.001, 7_700_000, -1e9])
def test_far_values_are_beyond_any_tolerance(n: int, value: float) -> None:
    assert abs(another(value, n + ALMOST, Strange) - value) > 1e-3 * abs(value)
    far = another(value, n + FAR, Strange)
    assert abs(far - value) > max(1e11, 0.9 * abs(far))


@pytest.mark.parametrize("n", range(0, 120, 4))
@pytest.mark.parametrize(
    ("approx", "met"),
    [
        (pytest.approx(1.5), 1.5),
        (pytest.approx(100, rel=0.5), 60),
        (pytest.approx(0, abs=1000), -900),
        (pytest.approx([1.0, 2.0]), [1.0, 2.0]),
        (pytest.approx({"a": 1, "b": 2}, abs=0.5), {"a": 1.2, "b": 2.2}),
        (pytest.approx(Decimal("1.5")), Decimal("1.5")),
    ],
)
def test_what_is_approximate_stays_so(approx: Any, met: Any, n: int) -> None:
    assert met == approx
    made = another(approx, n, Strange)
    assert type(made) is type(approx)
    assert met != made


def test_by_their_looks_nobody_tells_a_change_from_none() -> None:
    tree = prelude(Names(random.Random(1)), random.Random(1))
    text = ast.unparse(ast.fix_missing_locations(tree))
    # Projects may have an older Python than ours.
    ast.parse(text, feature_version=(3, 9))
    module: dict[str, Any] = {"__name__": "t"}
    exec(text, module)
    changed, same = module[CHANGED], module[SAME]
    assert changed.__code__ is same.__code__
    assert (changed(5, 0) != 5, same(5, 0), same("x", 7, "xyz")) == (True, 5, "x")
