"""How often and how long to wait before asking again."""

from __future__ import annotations

import asyncio
import email.utils
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

FIRST_WAIT = 0.5
LONGEST_WAIT = 20.0


@dataclass(frozen=True, slots=True)
class Patience:
    """Of one call; clock, chance and sleep are handed in."""

    tries: int = 5
    seconds: float = 60.0
    """How long all waits together may be."""
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def wait(self, n: int, asked: float | None) -> float:
        """Seconds before the next try after `n` tries.

        Chance keeps those apart who were turned away together; never less than the service asks for.
        """
        if asked is not None:
            return asked * (1 + 0.1 * self.chance())
        backoff = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (n - 1))
        return backoff * (0.5 + 0.5 * self.chance())


PATIENT = Patience()
IMPATIENT = Patience(tries=1)
"""For those who only want to know whether it works now."""


def wait_of(headers: Mapping[str, str]) -> float | None:
    """What the headers of an answer ask for, in seconds."""
    milliseconds = seconds_of(headers.get("retry-after-ms", ""))
    return seconds_of(headers.get("retry-after", "")) if milliseconds is None else milliseconds / 1000


def seconds_of(retry_after: str, now: Callable[[], float] = time.time) -> float | None:
    """What a Retry-After header asks for: seconds or a date; None when it makes no sense."""
    text = retry_after.strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - now()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
