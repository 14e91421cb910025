"""Changes with which the tests pass, and how long it is worth to look for rivals of them. Pure."""

from __future__ import annotations

from untilgreen.solvers.offline.allowance import Allowance
from untilgreen.solvers.offline.queue import Option

RIVAL_BITS = 3.0
"""Bits by which rivals may be less likely than what was found."""
RIVAL_SECONDS, LEAST_RIVAL_SECONDS, RIVAL_TIMES = 5.0, 0.3, 1.0
"""CPU seconds for rivals: as long as it took before, within these."""
LIKELY_BITS, SECONDS_PER_BIT = 1.5, 0.2
"""What is less likely by itself is worth a longer look at others."""
RIVAL_WALL, LEAST_RIVAL_WALL = 8.0, 5.0
"""So many times longer it may take by the clock, and so many seconds at least."""
MOST_PLAUSIBLE = 30


class Winners:
    """Of one look."""

    def __init__(self, allowance: Allowance) -> None:
        self._allowance = allowance
        self.options: list[Option] = []
        self._found_at: float | None = None
        self._found_wall = 0.0

    def __bool__(self) -> bool:
        return bool(self.options)

    def add(self, option: Option) -> None:
        self.options.append(option)
        if self._found_at is None:
            self._found_at = self._allowance.cpu_seconds
            self._found_wall = self._allowance.elapsed

    def take(self) -> list[Option]:
        """What was found since the last time."""
        found, self.options = self.options, []
        self._found_at = None
        return found

    @property
    def best(self) -> float:
        """Bits of the likeliest; infinite when there is none."""
        return min(map(bits, self.options), default=float("inf"))

    @property
    def within(self) -> float:
        """What is worth trying: anything, or rivals of what was found."""
        return self.best + RIVAL_BITS

    @property
    def seconds(self) -> float:
        """CPU seconds that are left for rivals; endless as long as nothing was found."""
        if self._found_at is None:
            return float("inf")
        return self._window() - (self._allowance.cpu_seconds - self._found_at)

    @property
    def are_enough(self) -> bool:
        """Whether there are many, or it took long to look for others."""
        if len(self.options) >= MOST_PLAUSIBLE:
            return True
        if self._found_at is None:
            return False
        late = self._allowance.elapsed - self._found_wall > max(LEAST_RIVAL_WALL, RIVAL_WALL * self._window())
        return late or self.seconds <= 0

    def _window(self) -> float:
        least = LEAST_RIVAL_SECONDS
        if self.options:
            least += SECONDS_PER_BIT * max(0.0, self.best - LIKELY_BITS)
        return min(RIVAL_SECONDS, max(least, RIVAL_TIMES * (self._found_at or 0.0)))


def bits(option: Option) -> float:
    return option.order + option.edit.risk
