"""A fix that is verified again can be stopped, and nothing of it outlives the engine."""

from __future__ import annotations

import asyncio

import pytest

from untilgreen.errors import UntilgreenError
from untilgreen.proving import Proving


class Work:
    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.cleaned = False

    async def run(self) -> str:
        try:
            self.began.set()
            await asyncio.sleep(60)
            return "never"
        finally:
            await asyncio.sleep(0.01)
            self.cleaned = True


async def test_what_is_stopped_cleans_up_and_says_so() -> None:
    proving, one, other = Proving(), Work(), Work()
    running = [
        asyncio.ensure_future(proving.run(name, work.run())) for name, work in (("1", one), ("2", other))
    ]
    await one.began.wait()
    assert not proving.stop("3")
    assert proving.stop("1")
    with pytest.raises(UntilgreenError, match="Stopped; nothing was written"):
        await running[0]
    assert one.cleaned and not other.cleaned
    # Whoever gives up waiting takes the work along.
    running[1].cancel()
    with pytest.raises(asyncio.CancelledError):
        await running[1]
    assert other.cleaned
    assert not proving.stop()


async def test_nothing_begins_after_the_end() -> None:
    proving, work = Proving(), Work()
    running = asyncio.ensure_future(proving.run("1", work.run()))
    await work.began.wait()
    await proving.close()
    assert work.cleaned
    for late in (running, asyncio.ensure_future(proving.run("2", Work().run()))):
        with pytest.raises(UntilgreenError):
            await late


async def test_what_goes_wrong_inside_is_told() -> None:
    async def broken() -> None:
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        await Proving().run("1", broken())
