"""What a job may spend, checked before it is spent."""

from __future__ import annotations

import time
from collections.abc import Callable


class Budget:
    """Attempts and seconds; the clock runs from the baseline."""

    def __init__(
        self, max_attempts: int, max_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.max_attempts = max_attempts
        self.max_seconds = max_seconds
        self._clock = clock
        self._begun = clock()
        self.attempts = 0

    def start(self) -> None:
        self._begun = self._clock()

    def take_attempt(self) -> int:
        self.attempts += 1
        return self.attempts

    @property
    def seconds(self) -> float:
        return self._clock() - self._begun

    @property
    def exhausted(self) -> str:
        """Which limit is reached, in words; empty while there is something left."""
        if self.attempts >= self.max_attempts:
            return f"all {self.max_attempts} attempts are used"
        if self.seconds >= self.max_seconds:
            return f"the {self.max_seconds:g} seconds are over"
        return ""
