"""The boxes of one workspace: warm ones, used again by later runs and jobs, and a fresh one ahead."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from untilgreen.workspace import Snapshot
from untilgreen_sandbox.box import Box, BoxSpec, Chosen, Ranked, open_box

IDLE_SECONDS = 180.0
MANY = 2000
"""Files whose copying takes long enough to be told."""


@dataclass(slots=True)
class _Held:
    """An open box and the snapshot that it holds."""

    box: Box
    snapshot: Snapshot
    stack: AsyncExitStack
    expiry: asyncio.TimerHandle | None = None
    low: bool = False
    """Whether it let others have the processor when it was used last."""


class Pool:
    """Use it from one event loop. Every box that it opened is closed by `close`."""

    def __init__(
        self,
        chosen: Chosen,
        spec: BoxSpec,
        progress: Callable[[str], None] = lambda _text: None,
        *,
        lanes: int = 0,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self.chosen = chosen
        self.spec = spec
        self.progress = progress
        self.gives_way = False
        """Whether what runs now is nobody's wish: then others that want the processor go first."""
        self._lanes = asyncio.Semaphore(lanes or os.cpu_count() or 1)
        self._idle_seconds = idle_seconds
        self._idle: list[_Held] = []
        self._in_use = 0
        """How many boxes run something."""
        self._spare: asyncio.Task[_Held] | None = None
        self._spare_expiry: asyncio.TimerHandle | None = None
        self._widening: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def warm(self) -> int:
        """How many boxes wait to be used again."""
        return len(self._idle)

    @asynccontextmanager
    async def lane(self, snapshot: Snapshot) -> AsyncIterator[Box]:
        """A box that holds the snapshot, perhaps one that was used before; at most one per processor."""
        async with self._lanes:
            held = await self._take(snapshot)
            self._in_use += 1
            try:
                yield held.box
            except BaseException:
                # Whatever it was, what this box does now is not known.
                await held.stack.aclose()
                raise
            finally:
                self._in_use -= 1
            self._wait(held)

    @asynccontextmanager
    async def fresh(self, snapshot: Snapshot) -> AsyncIterator[Box]:
        """A box in which nothing ran yet and in which nothing will run again."""
        held = await self._take_spare(snapshot) or await self._open(snapshot)
        try:
            await self._rank(held)
            yield held.box
        except BaseException:
            await held.stack.aclose()
            raise
        # What it said is known; nobody has to wait until the engine has removed it.
        self._later(held.stack.aclose)

    def prepare(self, snapshot: Snapshot) -> None:
        """Have a fresh box ready before somebody waits for it."""
        if self._spare is None:
            self._spare = asyncio.ensure_future(self._open(snapshot))
            loop = asyncio.get_running_loop()
            self._spare_expiry = loop.call_later(self._idle_seconds, self._later, self._drop_spare)

    def widen(self, snapshot: Snapshot) -> None:
        """Have a second box to share runs with, before somebody waits for it."""
        if self._widening is None and self.warm + self._in_use < 2:
            self._widening = asyncio.ensure_future(self._add(snapshot))

    async def close(self) -> None:
        await self._drop_spare()
        if self._widening is not None:
            self._widening.cancel()
            await asyncio.wait([self._widening])
        idle, self._idle = self._idle, []
        for held in idle:
            assert held.expiry is not None
            held.expiry.cancel()
            await held.stack.aclose()
        await asyncio.gather(*self._closing)

    async def _rank(self, held: _Held) -> bool:
        """Whether the box is as fast as what runs now deserves: one that gave way may have to stay behind."""
        low = self.gives_way
        if isinstance(held.box, Ranked) and not await held.box.rank(low=low):
            return False
        held.low = low
        return True

    async def _take(self, snapshot: Snapshot) -> _Held:
        too_slow: list[_Held] = []
        while (held := self._pick(too_slow)) is not None:
            self._idle.remove(held)
            assert held.expiry is not None
            held.expiry.cancel()
            try:
                if not await self._rank(held):
                    too_slow.append(held)
                    self._wait(held)
                    continue
                if held.snapshot.digest != snapshot.digest:
                    await held.box.put(snapshot.changes(held.snapshot))
            except BaseException:
                await held.stack.aclose()
                raise
            held.snapshot = snapshot
            return held
        if self._widening is not None:
            # One is on its way.
            await asyncio.wait([self._widening])
            return await self._take(snapshot)
        held = await self._open(snapshot)
        try:
            await self._rank(held)
        except BaseException:
            await held.stack.aclose()
            raise
        return held

    def _pick(self, without: list[_Held]) -> _Held | None:
        """The last one used, and rather one for the same kind of work.

        Where a box that gave way has to stay behind there is then one for each kind, and no more.
        """
        left = [held for held in self._idle if not any(held is one for one in without)]
        alike = [held for held in left if held.low == self.gives_way]
        return next(reversed(alike or left), None)

    def _wait(self, held: _Held) -> None:
        """Until somebody needs it, or nobody did for long."""
        held.expiry = asyncio.get_running_loop().call_later(self._idle_seconds, self._expire, held)
        self._idle.append(held)

    async def _add(self, snapshot: Snapshot) -> None:
        try:
            # One that cannot be had is missed by nobody: runs have a box already.
            with contextlib.suppress(Exception):
                self._wait(await self._open(snapshot))
        finally:
            self._widening = None

    def _release_spare(self) -> asyncio.Task[_Held] | None:
        spare, self._spare = self._spare, None
        if self._spare_expiry is not None:
            self._spare_expiry.cancel()
        return spare

    async def _take_spare(self, snapshot: Snapshot) -> _Held | None:
        spare = self._release_spare()
        if spare is None:
            return None
        try:
            held = await spare
        except asyncio.CancelledError:
            spare.cancel()
            raise
        except Exception:
            return None  # Opening one now says what is wrong.
        if held.snapshot.digest == snapshot.digest:
            return held
        await held.stack.aclose()
        return None

    async def _drop_spare(self) -> None:
        spare = self._release_spare()
        if spare is None:
            return
        spare.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await (await spare).stack.aclose()

    async def _open(self, snapshot: Snapshot) -> _Held:
        async with AsyncExitStack() as stack:
            box = await stack.enter_async_context(open_box(self.chosen, self.spec, self.progress))
            if len(snapshot.entries) >= MANY:
                megabytes = snapshot.total_bytes / (1 << 20)
                self.progress(
                    f"Copying {len(snapshot.entries):,} files ({megabytes:.0f} MB) into the sandbox"
                )
            await box.put(snapshot.changes())
            return _Held(box, snapshot, stack.pop_all())

    def _expire(self, held: _Held) -> None:
        self._idle.remove(held)
        self._later(held.stack.aclose)

    def _later(self, close: Callable[[], Coroutine[None, None, None]]) -> None:
        closing = asyncio.ensure_future(close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
