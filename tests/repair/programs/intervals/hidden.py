"""Random sets, and everything that can be asked of them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from intervals import IntervalSet

    def some() -> list[tuple[int, int]]:
        starts = [chance.randint(-20, 20) for _ in range(chance.randint(0, 6))]
        return [(start, start + chance.randint(0, 9)) for start in starts]

    for _ in range(200):
        first, second = some(), some()
        one, other = IntervalSet(first), IntervalSet(second)
        yield told(list, one)
        yield told(lambda one=one, other=other: [list(one | other), list(one & other), list(one - other)])
        yield told(lambda one=one, other=other: [one == other, bool(one), len(one), repr(one), one.gaps()])
        yield told(lambda one=one: [n in one for n in range(-25, 35)])
        yield told(lambda one=one, first=first: one == IntervalSet(reversed(first)))
        yield told(one.add, *chance.sample(range(-20, 20), 2))
        yield told(one.remove, *chance.sample(range(-20, 20), 2))
        yield told(list, one)
        yield told(list, other)
        yield told(lambda one=one: one == 3)
