"""Fixes that are verified again before they are written: each can be stopped, none outlives the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from untilgreen.errors import UntilgreenError

T = TypeVar("T")


class Proving:
    """What runs just now, by the job whose fix it is."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[Any], str] = {}
        self._closed = False

    async def run(self, job_id: str, work: Coroutine[Any, Any, T]) -> T:
        """In a task of its own, which owns all clean-up."""
        if self._closed:
            work.close()
            raise _stopped()
        task = asyncio.get_running_loop().create_task(work, name=f"verifying the fix of job {job_id}")
        self._tasks[task] = job_id
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait([task])
            raise
        finally:
            self._tasks.pop(task, None)
        if task.cancelled():
            raise _stopped()
        return task.result()

    def stop(self, job_id: str | None = None) -> bool:
        """Of one job, or all; false when there was nothing to stop."""
        wanted = [task for task, one in self._tasks.items() if job_id in (None, one) and not task.done()]
        for task in wanted:
            task.cancel()
        return bool(wanted)

    async def close(self) -> None:
        """Returns when all have cleaned up; no other begins."""
        self._closed = True
        self.stop()
        if self._tasks:
            await asyncio.wait(list(self._tasks))


def _stopped() -> UntilgreenError:
    return UntilgreenError("Stopped; nothing was written.")
