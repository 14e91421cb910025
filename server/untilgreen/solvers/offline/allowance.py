"""How long a search may go on, and how often it tells what it does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from untilgreen.model import Spent

BETWEEN_WORDS = 0.3


class Allowance:
    """Wall seconds; CPU seconds of candidates are counted, too."""

    def __init__(
        self,
        seconds: float,
        say: Callable[[str], None] = lambda _text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._say = say
        self._said = -BETWEEN_WORDS
        self.begun = clock()
        self.seconds = seconds
        self.cpu_seconds = 0.0
        self.candidates = 0
        """How many were tried."""
        self.near_misses = 0
        self._told = 0

    @property
    def elapsed(self) -> float:
        return self._clock() - self.begun

    @property
    def left(self) -> float:
        return self.seconds - self.elapsed

    @property
    def over(self) -> bool:
        return self.left <= 0

    def narrow(self, seconds: float) -> None:
        """No more than this from now on."""
        self.seconds = min(self.seconds, self.elapsed + seconds)

    @contextmanager
    def for_one_of(self, parts: int) -> Iterator[None]:
        """A fair part of the time that is left."""
        whole, self.seconds = self.seconds, self.elapsed + self.left / parts
        try:
            yield
        finally:
            self.seconds = whole

    def tell(self, looking_at: str) -> None:
        """For whoever waits, a few times a second at most."""
        if self.elapsed - self._said >= BETWEEN_WORDS:
            self._said = self.elapsed
            self._say(" · ".join((*self.counts(), f"looking at {looking_at}")))

    def spent(self) -> Spent:
        """What was tried since this was asked last."""
        told, self._told = self._told, self.candidates
        return Spent(candidates=self.candidates - told)

    def counts(self) -> tuple[str, ...]:
        near = self.near_misses
        told = f"{near} near {'miss' if near == 1 else 'misses'}"
        return (f"{self.candidates:,} {'candidate' if self.candidates == 1 else 'candidates'}", told)
