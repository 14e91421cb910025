"""Sets of whole numbers, kept as half-open intervals that neither overlap nor touch."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator


class IntervalSet:
    def __init__(self, intervals: Iterable[tuple[int, int]] = ()) -> None:
        self._intervals: list[tuple[int, int]] = []
        for start, stop in intervals:
            self.add(start, stop)

    def add(self, start: int, stop: int) -> None:
        if start > stop:
            raise ValueError(f"{start} lies behind {stop}")
        if start == stop:
            return
        kept = []
        for one, other in self._intervals:
            if other < start or one > stop:
                kept.append((one, other))
            else:
                start = min(start, one)
                stop = max(stop, other)
        kept.append((start, stop))
        self._intervals = sorted(kept)

    def remove(self, start: int, stop: int) -> None:
        if start >= stop:
            return
        left = []
        for one, other in self._intervals:
            if one < start:
                left.append((one, min(other, start)))
            if other > stop:
                left.append((max(one, stop), other))
        self._intervals = left

    def __contains__(self, number: int) -> bool:
        n = bisect_right(self._intervals, number, key=lambda interval: interval[0]) - 1
        return n >= 0 and number < self._intervals[n][1]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._intervals)

    def __len__(self) -> int:
        return sum(stop - start for start, stop in self._intervals)

    def __bool__(self) -> bool:
        return bool(self._intervals)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IntervalSet):
            return NotImplemented
        return self._intervals == other._intervals

    def __hash__(self) -> int:
        return hash(tuple(self._intervals))

    def __or__(self, other: IntervalSet) -> IntervalSet:
        return IntervalSet([*self, *other])

    def __and__(self, other: IntervalSet) -> IntervalSet:
        found = IntervalSet()
        for start, stop in self:
            for one, two in other:
                low, high = max(start, one), min(stop, two)
                if low < high:
                    found.add(low, high)
        return found

    def __sub__(self, other: IntervalSet) -> IntervalSet:
        left = IntervalSet(self)
        for start, stop in other:
            left.remove(start, stop)
        return left

    def gaps(self) -> list[tuple[int, int]]:
        """What lies between the intervals."""
        found = []
        for (_, end), (begin, _) in zip(self._intervals, self._intervals[1:], strict=False):
            found.append((end, begin))
        return found

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{start}..{stop - 1}" for start, stop in self) + "}"
