"""Work in a thread that nobody abandons half-way: a thread cannot be stopped."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def unbroken(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Who is cancelled meanwhile hears of it when the work is done, and knows what became of it."""
    working = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(working)
    finally:
        while not working.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([working])
