"""The time that watch mode goes by: a real one, or in tests one that somebody turns."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Protocol


class Clock(Protocol):
    """Whoever waits for a moment waits here."""

    def now(self) -> float:
        """Seconds, from any beginning."""

    async def wait(self, news: asyncio.Event, until: float | None) -> None:
        """Until there is news, or until that moment."""


class RealClock:
    def now(self) -> float:
        return time.monotonic()

    async def wait(self, news: asyncio.Event, until: float | None) -> None:
        seconds = None if until is None else max(0.0, until - self.now())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), seconds)
