"""Reading many small things in a thread, some batches ahead of whoever uses them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from untilgreen_sandbox.box import Change

BATCH_BYTES = 4 << 20
BATCH_FILES = 2000


async def reading_ahead(
    paths: Sequence[str], load: Callable[[str], Change | None]
) -> AsyncGenerator[list[Change], None]:
    """What `load` gives for each path, in order; the next batch is read while one is used."""
    at = 0

    def batch() -> list[Change]:
        nonlocal at
        changes: list[Change] = []
        size = 0
        while at < len(paths) and size < BATCH_BYTES and len(changes) < BATCH_FILES:
            change = load(paths[at])
            at += 1
            if change is not None:
                changes.append(change)
                size += len(change.content or b"")
        return changes

    following = asyncio.ensure_future(asyncio.to_thread(batch))
    try:
        while True:
            current = await following
            done = at >= len(paths)
            if not done:
                following = asyncio.ensure_future(asyncio.to_thread(batch))
            yield current
            if done:
                return
    finally:
        following.cancel()
        if following.done() and not following.cancelled():
            following.exception()
