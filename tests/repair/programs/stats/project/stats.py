"""Numbers: averages, spread, straight lines, and small matrices."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence


class StatsError(ValueError):
    pass


def mean(values: Sequence[float]) -> float:
    if not values:
        raise StatsError("no values")
    return sum(values) / len(values)


def median(values: Iterable[float]) -> float:
    ordered = sorted(values)
    if not ordered:
        raise StatsError("no values")
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def modes(values: Iterable[float]) -> list[float]:
    """All that are there most often, in order."""
    counted = Counter(values)
    if not counted:
        return []
    most = max(counted.values())
    return sorted(value for value, n in counted.items() if n == most)


def variance(values: Sequence[float], sample: bool = True) -> float:
    if len(values) < (2 if sample else 1):
        raise StatsError("too few values")
    centre = mean(values)
    squares = sum((value - centre) ** 2 for value in values)
    return squares / (len(values) - 1 if sample else len(values))


def deviation(values: Sequence[float], sample: bool = True) -> float:
    return math.sqrt(variance(values, sample))


def percentile(values: Iterable[float], percent: float) -> float:
    """Between two values it lies on the line that connects them."""
    if not 0 <= percent <= 100:
        raise StatsError(f"{percent} is not a percentage")
    ordered = sorted(values)
    if not ordered:
        raise StatsError("no values")
    place = (len(ordered) - 1) * percent / 100
    low = math.floor(place)
    high = math.ceil(place)
    if low == high:
        return ordered[low]
    return ordered[low] * (high - place) + ordered[high] * (place - low)


def fit(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Slope and start of the straight line nearest to the points."""
    if len(xs) != len(ys):
        raise StatsError("as many xs as ys")
    centre_x, centre_y = mean(xs), mean(ys)
    above = sum((x - centre_x) * (y - centre_y) for x, y in zip(xs, ys, strict=True))
    below = sum((x - centre_x) ** 2 for x in xs)
    if below == 0:
        raise StatsError("all xs are equal")
    slope = above / below
    return slope, centre_y - slope * centre_x


def histogram(values: Sequence[float], n_bins: int) -> list[int]:
    """How many values lie in each of equal parts; the last part holds its end, too."""
    low, high = min(values), max(values)
    counts = [0] * n_bins
    if low == high:
        counts[0] = len(values)
        return counts
    width = (high - low) / n_bins
    for value in values:
        place = min(int((value - low) / width), n_bins - 1)
        counts[place] += 1
    return counts


def moving(values: Sequence[float], n: int) -> list[float]:
    """Averages of each `n` in a row."""
    return [mean(values[start : start + n]) for start in range(len(values) - n + 1)]


class Matrix:
    def __init__(self, rows: Sequence[Sequence[float]]) -> None:
        if len({len(row) for row in rows}) > 1:
            raise StatsError("rows of different length")
        self.rows = [list(row) for row in rows]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0]) if self.rows else 0

    @staticmethod
    def identity(n: int) -> Matrix:
        return Matrix([[1 if row == column else 0 for column in range(n)] for row in range(n)])

    def transposed(self) -> Matrix:
        return Matrix([list(column) for column in zip(*self.rows, strict=True)])

    def __matmul__(self, other: Matrix) -> Matrix:
        if self.shape[1] != other.shape[0]:
            raise StatsError(f"{self.shape} and {other.shape} do not fit")
        columns = other.transposed().rows
        return Matrix(
            [
                [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns]
                for row in self.rows
            ]
        )

    def __pow__(self, n: int) -> Matrix:
        result, factor = Matrix.identity(self.shape[0]), self
        while n > 0:
            if n % 2 == 1:
                result = result @ factor
            factor = factor @ factor
            n //= 2
        return result

    def determinant(self) -> float:
        if self.shape[0] != self.shape[1]:
            raise StatsError("only square ones have it")
        rows = [row[:] for row in self.rows]
        found = 1.0
        for n in range(len(rows)):
            pivot = max(range(n, len(rows)), key=lambda row: abs(rows[row][n]))
            if rows[pivot][n] == 0:
                return 0.0
            if pivot != n:
                rows[n], rows[pivot] = rows[pivot], rows[n]
                found = -found
            found *= rows[n][n]
            for below in range(n + 1, len(rows)):
                factor = rows[below][n] / rows[n][n]
                for column in range(n, len(rows)):
                    rows[below][column] -= factor * rows[n][column]
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self.rows == other.rows
