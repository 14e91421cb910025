"""Texts of values are equal for equal values, whatever they are, and others like them stay of their kind."""

from __future__ import annotations

import copy
import datetime
import enum
from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox.inside import comparing, describing
from untilgreen_sandbox.inside.comparing import Input
from untilgreen_sandbox.inside.describing import TooLarge, described, others_like

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)


@given(VALUES)
def test_a_copy_is_described_alike(value: Any) -> None:
    assert described(copy.deepcopy(value)) == described(value)


@given(st.lists(st.integers(), unique=True))
def test_order_does_not_matter_where_there_is_none(items: list[int]) -> None:
    other = items[::-1]
    assert described(set(items)) == described(set(other))
    assert described(dict.fromkeys(items)) == described(dict.fromkeys(reversed(items)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        ("1", 1),
        (b"a", "a"),
        ([1], (1,)),
        ({1}, frozenset({1})),
        (0.0, -0.0),
        ("a" * 500, "a" * 501),
        ("a" * 500 + "b", "a" * 500 + "c"),
        (10**3000, 10**3000 + 1),
        ({}, OrderedDict()),
        (None, "None"),
    ],
)
def test_what_differs_is_described_differently(one: Any, other: Any) -> None:
    assert described(one) != described(other)


class Slotted:
    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size


@dataclass
class Node:
    size: int
    next: Any = None


def test_objects_are_described_by_what_they_hold() -> None:
    assert described(Node(1)) == described(Node(1)) != described(Node(2))
    assert described(Slotted(1)) == described(Slotted(1)) != described(Slotted(2))
    assert described(Decimal("1.0")) != described(Decimal("1.00"))
    assert described(object()) == described(object())
    assert described(ValueError(1)) != described(ValueError(2))
    node = Node(1)
    node.next = node
    assert "itself" in described(node)
    with pytest.raises(TooLarge):
        described(list(range(10**4)))


@given(st.lists(VALUES, max_size=3), st.integers(0, 2**32))
def test_others_are_like_those_that_were_seen(values: list[Any], seed: int) -> None:
    before = described(values)
    changed = describing._other_arguments(
        copy.deepcopy((tuple(values), {"k": 1})), describing.Chance(seed=seed)
    )
    assert len(changed[0]) == len(values)
    assert list(changed[1]) == ["k"]
    assert described(values) == before


def test_the_same_ones_every_time() -> None:
    seen = [Input(0, (([3, 1, 2], "ab"), {"n": 4}), True)]
    first, second = ([described(one.arguments) for one in others_like(seen, 40, Input)] for _ in range(2))
    assert first == second
    assert len(set(first)) == len(first) > 35
    assert others_like([], 40, Input) == []


def test_inputs_come_near_the_constants_of_the_code() -> None:
    seen = [Input(0, ((1, "a"), {}), True)]
    made = others_like(seen, 60, Input, (1000, "zebra"))
    numbers = {one.arguments[0][0] for one in made}
    assert {999, 1000, 1001} & numbers
    texts = {one.arguments[0][1] for one in made}
    assert {"zebra", "zebraa", "azebra"} <= texts, "alone, and within a text"
    assert not {999, 1000, 1001} & {one.arguments[0][0] for one in others_like(seen, 60, Input)}


def test_where_any_number_of_arguments_is_taken_there_are_more_and_fewer() -> None:
    seen = [Input(0, (("self", 1, 2), {}), True)]
    assert {len(one.arguments[0]) for one in others_like(seen, 60, Input)} == {3}
    assert {len(one.arguments[0]) for one in others_like(seen, 60, Input, (), {0})} >= {2, 3, 4}


def test_what_is_not_made_yet_is_described_all_the_same() -> None:
    class Late:
        def __init__(self) -> None:
            self.size = 1

        def __repr__(self) -> str:
            return f"Late({self.size})"

    assert described(Late.__new__(Late)).endswith("Late>")


class Colour(enum.Enum):
    RED, GREEN, BLUE = range(3)


class Point(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(
    "value",
    [
        datetime.date(2024, 12, 31),
        datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC),
        datetime.timedelta(hours=3),
        Decimal("1.5"),
        Fraction(2, 3),
        Colour.RED,
        Point(1, 2),
        Slotted(3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_common_kinds_of_objects_have_others_like_them(value: Any) -> None:
    found = [one.arguments[0][0] for one in others_like([Input(0, ((value,), {}), True)], 20, Input)]
    alike = {described(one) for one in found if type(one) is type(value)}
    assert len(alike) >= 2 and described(value) not in alike


def test_inputs_cross_those_of_other_calls() -> None:
    seen = [Input(0, (("text", 4), {"hanging": "--"}), True), Input(0, (("other", 9), {}), True)]
    made = {described(one.arguments) for one in others_like(seen, 80, Input)}
    assert described((("other", 9), {"hanging": "--"})) in made


def test_there_are_as_many_inputs_as_there_is_time_for_with_every_candidate() -> None:
    afford = comparing._affordable
    assert afford(100, 0.1, 4, 1.0) > 100
    assert comparing.LEAST_INPUTS < afford(100, 0.1, 16, 1.0) < 100
    assert afford(100, 5.0, 16, 1.0) == comparing.LEAST_INPUTS
    assert comparing._some(list(range(10)), 4) == [0, 2, 5, 7]
    assert comparing._some([1, 3], 4) == [1, 3]
