"""One piece of work for one workspace: its events, how to stop it, how it ended."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Literal

from untilgreen.errors import SandboxUnavailable, UntilgreenError
from untilgreen.events import Event, Failed, Finished, State, Tested, Testing, Told, state_after
from untilgreen.journal import JobLog
from untilgreen.model import Attempt, Goal, Patch, Spent, Verdict
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.errors import SandboxError

log = logging.getLogger(__name__)

Emit = Callable[[Event], None]
Work = Callable[[Emit], Awaitable[Verdict]]


class Job:
    """Starts at once as a task of its own; that task owns all clean-up."""

    def __init__(
        self, job_id: str, kind: Literal["test", "solve"], goal: Goal, journal: JobLog, work: Work
    ) -> None:
        self.id = job_id
        self.kind = kind
        self.goal = goal
        self.verdict: Verdict | None = None
        self.error: UntilgreenError | None = None
        self.state: State = "preparing"
        self.snapshot: Snapshot | None = None
        """What the verdict speaks about; None until it was taken."""
        self.moved = False
        """The verdict speaks of later edits, too: its fix was verified again with them."""
        self.pristine: Mapping[str, bytes | None] = {}
        """What the snapshot saw of each file that a proposal touches: the user may have edited it since."""
        self.gives_way = False
        """Nobody asked for it: it is stopped when somebody asks for something else."""
        self.affected: tuple[str, ...] | None = None
        """Of a run after a change the tests that it can affect; None: any."""
        self.left = False
        """Whether tests, or a look at what they execute, were put off until nobody waits."""
        self.tried: dict[int, Patch] = {}
        """What each attempt changed, for whoever wants to look at it."""
        self.most_attempts = 0
        """How many it may make, as the project at hand allows; 0 until that was looked at."""
        self.cost: Callable[[], Spent] = Spent
        """What was spent so far, also on what led to nothing."""
        self._journal = journal
        self._incomplete = False
        self._events: list[Event] = []
        self._news = asyncio.Event()
        self._attempts: list[Attempt] = []
        self._begun = False
        self._stopped = False
        self._task = asyncio.get_running_loop().create_task(self._live(work), name=f"untilgreen job {job_id}")

    async def events(self) -> AsyncIterator[Event]:
        """Everything from the beginning; ends after Finished or Failed."""
        seen = 0
        while True:
            while seen < len(self._events):
                event = self._events[seen]
                seen += 1
                yield event
                if isinstance(event, Finished | Failed):
                    return
            news = self._news
            await news.wait()

    def stop(self) -> None:
        """The verdict `stopped` follows as soon as the box is closed."""
        if self._task.done() or self._stopped:
            # A second wish must not disturb the clean-up after the first.
            return
        self._stopped = True
        if self._begun:
            self._task.cancel()

    async def ended(self) -> None:
        """Returns when the job has cleaned up, however it went."""
        await asyncio.wait([self._task])

    def when_ended(self, call: Callable[[], None]) -> None:
        """Called once when the job has cleaned up, however it went, before anybody who waits goes on."""
        self._task.add_done_callback(lambda _task: call())

    async def wait(self) -> Verdict:
        """The verdict; raises when the job could not go on."""
        await self.ended()
        if self.error is not None:
            raise self.error
        assert self.verdict is not None
        return self.verdict

    @property
    def done(self) -> bool:
        return self._task.done()

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Those that were tested so far."""
        return tuple(self._attempts)

    def saw(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def note(self, event: Event) -> None:
        """Keep something that happened to the job's fix after its end."""
        self._keep(event)

    def emit(self, event: Event) -> None:
        if (why := self._keep(event)) is not None:
            self._tell(Told("history", f"what happens in this job cannot be kept: {why}"))
        self._tell(event)

    def _keep(self, event: Event) -> str | None:
        """A disk that is full must not keep a job from its end, nor anybody from hearing of it.

        Why it could not be kept, once.
        """
        try:
            self._journal.append(event)
        except OSError as error:
            known, self._incomplete = self._incomplete, True
            if not known:
                log.warning("the history of job %s is not complete: %s", self.id, error)
                return error.strerror or str(error)
        return None

    def _tell(self, event: Event) -> None:
        self._events.append(event)
        self.state = state_after(self.state, event)
        if isinstance(event, Testing):
            self.tried[event.attempt] = event.patch
        if isinstance(event, Tested):
            self._attempts.append(event.attempt)
        # Whoever waits holds the old one; it is set once and never again.
        self._news.set()
        self._news = asyncio.Event()

    async def _live(self, work: Work) -> None:
        begun = time.monotonic()
        self._begun = True
        if self._stopped:
            # A task that is cancelled before its first step would end without a word; so at the next one.
            self._task.cancel()
        try:
            self.verdict = await work(self.emit)
        except asyncio.CancelledError:
            self.verdict = self._stopped_after(time.monotonic() - begun)
            if not self._stopped:
                raise
        except UntilgreenError as error:
            self.error = error
        except SandboxError as error:
            self.error = SandboxUnavailable(str(error))
        except Exception as error:  # The job's edge: a bug in one job must not take the server down.
            log.exception("job %s failed", self.id)
            self.error = UntilgreenError(f"Something went wrong inside untilgreen: {error!r}")
        finally:
            if self.error is not None:
                self.emit(Failed(str(self.error), self.error.exit_code))
            elif self.verdict is not None:
                self.emit(Finished(self.verdict))

    def _stopped_after(self, seconds: float) -> Verdict:
        """What was spent is told all the same."""
        return Verdict(
            "stopped",
            "Stopped; nothing was changed.",
            attempts=tuple(self._attempts),
            seconds=round(seconds, 3),
            spent=self.cost(),
        )
