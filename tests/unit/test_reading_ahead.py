"""One batch is read while another is used, never all of them, and an error comes out where it belongs."""

from __future__ import annotations

import asyncio
import threading

import pytest

from untilgreen.workspace.reading_ahead import BATCH_BYTES, BATCH_FILES, reading_ahead
from untilgreen_sandbox.box import Change

LARGE = bytes(BATCH_BYTES // 4)


async def test_everything_in_order_without_what_is_nothing() -> None:
    paths = [str(n) for n in range(3 * BATCH_FILES)]
    batches = [
        batch async for batch in reading_ahead(paths, lambda path: Change(path, b"") if path != "7" else None)
    ]
    assert [change.path for batch in batches for change in batch] == [path for path in paths if path != "7"]
    assert max(map(len, batches)) == BATCH_FILES
    assert [batch async for batch in reading_ahead([], lambda path: Change(path, b""))] == [[]]


async def test_the_next_batch_is_read_while_one_is_used_and_no_more() -> None:
    loaded: list[str] = []
    second = threading.Event()

    def load(path: str) -> Change:
        loaded.append(path)
        if path == "7":
            second.set()
        return Change(path, LARGE)

    batches = reading_ahead([str(n) for n in range(100)], load)
    assert [change.path for change in await anext(batches)] == ["0", "1", "2", "3"]
    assert await asyncio.to_thread(second.wait, 10)
    assert loaded == [str(n) for n in range(8)]
    await batches.aclose()
    assert len(loaded) == 8


async def test_an_error_ends_it() -> None:
    def load(path: str) -> Change:
        if path == "6":
            raise ValueError(path)
        return Change(path, LARGE)

    seen: list[str] = []
    with pytest.raises(ValueError, match="6"):
        async for batch in reading_ahead([str(n) for n in range(100)], load):
            seen += [change.path for change in batch]
    assert seen == ["0", "1", "2", "3"]
