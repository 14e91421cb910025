"""What a job may spend, checked before it is spent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from untilgreen.model import Spent

UNLIMITED = 1 << 60


class Budget:
    """Attempts, seconds, tokens and dollars; the clock runs from the baseline.

    Each solver gets a share of what is left: what it spends counts on the whole, too.
    """

    def __init__(
        self,
        max_attempts: int,
        max_seconds: float,
        max_tokens: int = UNLIMITED,
        max_usd: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
        whole: Budget | None = None,
    ) -> None:
        self.max_attempts = max_attempts
        self.max_seconds = max_seconds
        self.max_tokens = max_tokens
        self.max_usd = max_usd
        self._clock = clock
        self._whole = whole
        self._begun = clock()
        self._used = 0
        self.spent = Spent()
        self._reserved = Spent()
        self.refused = ""
        """Which limit kept somebody from spending more; empty when nothing was refused."""

    def start(self) -> None:
        self._begun = self._clock()

    def share(self, solvers: int) -> Budget:
        """For the next one of so many solvers: a fair part of what is left, and all of it for the last."""
        tokens, usd = self.max_tokens - self.spent.tokens, self.max_usd - self.spent.usd
        return Budget(
            math.ceil((self.max_attempts - self._used) / solvers),
            self.seconds_left / solvers,
            max(0, tokens) // solvers,
            max(0.0, usd) / solvers,
            self._clock,
            self,
        )

    def take_attempt(self) -> int:
        """The number of the next attempt in the whole job."""
        self._used += 1
        return self._whole.take_attempt() if self._whole is not None else self._used

    @property
    def attempts(self) -> int:
        """How many the whole job has used."""
        return self._whole.attempts if self._whole is not None else self._used

    @property
    def attempts_left(self) -> int:
        return max(0, self.max_attempts - self._used)

    @property
    def seconds(self) -> float:
        return self._clock() - self._begun

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.max_seconds - self.seconds)

    @property
    def testing_seconds(self) -> float:
        """Tests may run until the time of the whole job is over: what is proposed should be known."""
        return self._all.seconds_left

    def afford(self, tokens: int, usd: float) -> bool:
        """Reserve this much before it is spent; false when it would be more than there is."""
        asked = self._reserved + self.spent + Spent(tokens=tokens, usd=usd)
        if asked.tokens > self.max_tokens:
            self.refused = self._out_of_tokens
        elif asked.usd > self.max_usd + 1e-9:
            self.refused = self._out_of_money
        else:
            self._reserved += Spent(tokens=tokens, usd=usd)
            return True
        return False

    def settle(self, spent: Spent) -> None:
        """What was really spent of all that was reserved."""
        self._reserved = Spent()
        self.spent += spent
        if self._whole is not None:
            self._whole.settle(spent)

    def close(self) -> None:
        """Reserved and never settled counts as spent: nobody knows better."""
        self.settle(self._reserved)

    @property
    def exhausted(self) -> str:
        """Which limit is reached, in words; empty while there is something left."""
        if self._used >= self.max_attempts:
            n = self._all.max_attempts
            return "the only attempt is used" if n == 1 else f"all {n} attempts are used"
        if self.seconds >= self.max_seconds:
            return f"the {self._all.max_seconds:g} seconds are over"
        if self.spent.tokens >= self.max_tokens:
            return self._out_of_tokens
        if self.spent.usd >= self.max_usd:
            return self._out_of_money
        return ""

    @property
    def _all(self) -> Budget:
        return self if self._whole is None else self._whole._all

    @property
    def _out_of_tokens(self) -> str:
        return f"the {self._all.max_tokens:,} tokens are used, or the next step would need more"

    @property
    def _out_of_money(self) -> str:
        return f"the {self._all.max_usd:.2f} dollars are used, or the next step would need more"
