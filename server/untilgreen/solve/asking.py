"""Asking a solver, as long as it may think and has something to say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType

from untilgreen.events import Coding, Planning, Searching, Told
from untilgreen.model import Proposal, Race
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.listing import Emit
from untilgreen.solvers import Solver, Task


class Asking:
    """Use with `async with`: at its end the solver has ended, too, and its share of the budget is closed."""

    def __init__(self, solver: Solver, task: Task, bench: Bench, share: Budget, emit: Emit) -> None:
        self._solver = solver
        self._share = share
        self._emit = emit
        bench.budget, bench.best, bench.reflection, bench.report = share, task.base, None, None
        bench.say = lambda text: emit(Searching(share.attempts + 1, text))
        bench.tell = lambda text: emit(Told(solver.name, text))
        emit(Planning(solver.name, share.max_attempts, round(share.max_seconds, 1), len(task.failing)))
        self._proposals: AsyncIterator[Proposal | Race] = aiter(solver.proposals(task, bench))

    async def __aenter__(self) -> Asking:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._share.close()
        if (close := getattr(self._proposals, "aclose", None)) is not None:
            await close()

    async def next(self) -> tuple[Proposal, ...]:
        """One proposal, or those of a race; none when the solver has nothing left or its share is used."""
        if self._share.exhausted:
            return ()
        self._emit(Coding(self._share.attempts + 1, self._solver.name))
        timer = asyncio.timeout(self._share.seconds_left)
        try:
            async with timer:
                proposed = await anext(self._proposals)
        except StopAsyncIteration:
            return ()
        except TimeoutError:
            if not timer.expired():
                raise
            return ()
        return proposed.proposals if isinstance(proposed, Race) else (proposed,)
