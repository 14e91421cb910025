"""How much watch mode may do by itself: fixes written into one file, and what models cost. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from untilgreen.model import Spent

WINDOW_SECONDS = 600.0
HOUR_SECONDS = 3600.0


class FixQuota:
    """At most so many automatic fixes of one file in ten minutes: more than that looks like a fight."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._written: dict[str, deque[float]] = {}

    def wrote(self, paths: Iterable[str], now: float) -> None:
        for path in paths:
            self._written.setdefault(path, deque()).append(now)

    def exhausted(self, paths: Iterable[str], now: float) -> str:
        """The first of these files that had its share; empty when none had."""
        return next((path for path in paths if self._recent(path, now) >= self.most), "")

    def _recent(self, path: str, now: float) -> int:
        times = self._written.get(path, deque())
        while times and times[0] <= now - WINDOW_SECONDS:
            times.popleft()
        return len(times)


class ModelBudget:
    """What models may cost in an hour; a job gets what is left of it, and no more."""

    def __init__(self, tokens: int, usd: float) -> None:
        self.tokens = tokens
        self.usd = usd
        self._spent: deque[tuple[float, Spent]] = deque()

    def settle(self, spent: Spent, now: float) -> None:
        if spent.tokens or spent.usd:
            self._spent.append((now, spent))

    def left(self, now: float) -> Spent:
        """What a job that begins now may use."""
        while self._spent and self._spent[0][0] <= now - HOUR_SECONDS:
            self._spent.popleft()
        used = sum((spent for _, spent in self._spent), Spent())
        return Spent(tokens=max(0, self.tokens - used.tokens), usd=max(0.0, self.usd - used.usd))

    def exhausted(self, now: float) -> bool:
        left = self.left(now)
        return left.tokens == 0 or left.usd == 0


class Allowance:
    """Both, for one workspace: what was used of it stays used when watch mode is switched off and on."""

    def __init__(self) -> None:
        self.fixes = FixQuota(0)
        self.models = ModelBudget(0, 0.0)
