"""One watched workspace: does what the pilot decides, and tells it what came of it. Two doors use it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Mapping

from untilgreen.choosing import WHOLE
from untilgreen.engine import Engine
from untilgreen.errors import Busy, UntilgreenError, WorkspaceChanged
from untilgreen.events import BaselineDone, Undone
from untilgreen.job import Job
from untilgreen.model import Goal, Verdict
from untilgreen.solve.findings import chosen
from untilgreen.watching import causes
from untilgreen.watching.clock import Clock
from untilgreen.watching.door import Door
from untilgreen.watching.eye import Eye
from untilgreen.watching.modes import Mode
from untilgreen.watching.notes import Began, Ended, Happened, Offered, Result, Said, Standing, Wrote
from untilgreen.watching.pace import Pace
from untilgreen.watching.pilot import Pilot
from untilgreen.watching.solving import Solving
from untilgreen.watching.steps import Apply, Look, Offer, Solve, Step, Stop, Test, Tested
from untilgreen.watching.taken_back import signature_of_record
from untilgreen_sandbox.report import Report

log = logging.getLogger(__name__)


class Watch:
    """Use `start`, and `close` in the end; everything else returns at once."""

    def __init__(
        self, engine: Engine, goal: Goal, door: Door, mode: Mode, clock: Clock, pace: Pace | None = None
    ) -> None:
        self.goal = goal
        self.clock = clock
        settings = engine.settings
        self.pilot = Pilot(
            mode, pace or Pace(settle=settings.watch_settle_ms / 1000, fixes=settings.watch_fixes)
        )
        self._engine = engine
        self._door = door
        self._eye = Eye(engine, goal.root)
        self._solving = Solving(engine, goal.root)
        self._news = asyncio.Event()
        self._rested = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._job: Job | None = None
        self._held: dict[str, Job] = {}
        self._files = asyncio.Lock()
        """Nobody looks at files while we write some."""
        self._standing: Standing | None = None

    # What doors do.

    async def start(self, *, may_solve: bool, run: bool = True) -> None:
        """See what is there, and run all tests; with `may_solve`, fixes are looked for at once, too."""
        await asyncio.to_thread(self._eye.begin)
        if run:
            self.pilot.begin(self.clock.now(), causes.STARTED, may_solve=may_solve)
        self._spawn(self._live(), "watch")

    def touched(self, paths: Iterable[str] | None) -> None:
        self.pilot.touched(paths, self.clock.now())
        self._news.set()

    def typed(self, path: str, content: bytes) -> None:
        """An editor holds this now; it may be our own fix, or what is saved already."""
        if self._eye.expects(path, content):
            return
        self.pilot.typed(path, self.clock.now())
        if self._eye.saw(path, content):
            self.pilot.saved(path)

    def saved(self, path: str) -> None:
        self.pilot.saved(path)
        self.touched([path])

    def switch(self, mode: Mode) -> None:
        before = self.pilot.mode
        self.pilot.switch(mode, self.clock.now())
        if before == "off" and mode != "off":
            self.touched(None)
        self._news.set()

    def pause(self, why: str = "") -> None:
        """Empty: go on."""
        self.pilot.paused = why
        self._news.set()

    def rerun(self) -> None:
        self.pilot.begin(self.clock.now(), causes.ASKED, may_solve=True)
        self._news.set()

    def stop(self, job_id: str | None = None) -> bool:
        """The user does not want what runs, or just this job; it begins anew with the next save."""
        if self._job is None or job_id not in (None, self._job.id):
            return False
        self.pilot.drop()
        self._job.stop()
        return True

    def accepted(self, job: Job, verdict: Verdict, paths: tuple[str, ...]) -> None:
        """The user had a fix written, not through here."""
        contents = {path: change.content for path, change in verdict.patch if path in paths}
        self._eye.expect(contents)
        self._noted(job, verdict, paths, {path: job.pristine.get(path) for path in paths})

    async def accept(self, job_id: str) -> tuple[str, ...]:
        """Write a fix that was offered."""
        return await self._write(self._held[job_id])

    async def undo(self, job_id: str | None = None) -> Undone:
        """Take a fix back; it is not tried again."""
        async with self._files:
            undone = await self._engine.undo(self.goal.root, self._door.desk(), job_id, cause="watch: undo")
            await self._was_undone(undone)
        return undone

    async def was_undone(self, undone: Undone) -> None:
        """Somebody else took a fix back, in this process."""
        async with self._files:
            await self._was_undone(undone)

    async def close(self) -> None:
        """Whatever runs is stopped, and nothing is left."""
        if self._job is not None:
            self._job.stop()
            await self._job.ended()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def rested(self) -> None:
        """Until nothing is left to do, but for what waits for an idle moment."""
        await self._rested.wait()

    @property
    def at_work(self) -> bool:
        """Whether something is being done at this moment."""
        return len(self._tasks) > 1

    @property
    def green(self) -> bool:
        """Whether tests ran, and all that are known do well."""
        return self.pilot.knows and not self.pilot.red

    # What it does by itself.

    async def _live(self) -> None:
        while True:
            self._news.clear()
            now = self.clock.now()
            while (step := self.pilot.next(now)) is not None:
                self._act(step)
            self._tell_standing()
            if self.pilot.at_rest:
                self._rested.set()
            else:
                self._rested.clear()
            await self.clock.wait(self._news, self.pilot.wake(now))

    def _act(self, step: Step) -> None:
        if isinstance(step, Look):
            self._spawn(self._look(step), "look")
        elif isinstance(step, Stop):
            if self._job is not None:
                self._job.stop()
        else:
            self.pilot.started(step)
            self._tell_standing()
            self._spawn(self._do(step), type(step).__name__.lower())

    async def _look(self, step: Look) -> None:
        async with self._files:
            seen = await asyncio.to_thread(self._eye.look, step.paths)
        self.pilot.looked(seen, self.clock.now())

    async def _do(self, step: Test | Solve | Apply | Offer) -> None:
        try:
            if isinstance(step, Test):
                await self._test(step)
            elif isinstance(step, Solve):
                await self._solve(step)
            elif isinstance(step, Apply):
                await self._apply(step)
            else:
                self._offer(step)
        except UntilgreenError as error:
            again = isinstance(error, Busy | WorkspaceChanged)
            self.pilot.failed(str(error), self.clock.now(), again=again)
            if not again:
                self._door.tell(Said(str(error)))

    async def _test(self, step: Test) -> None:
        job = self._engine.retest(self.goal, self._door.desk(), step.cause, step.part)
        verdict = await self._follow(job, step.cause)
        if verdict.kind == "stopped":
            self.pilot.interrupted()
        elif verdict.after is None:
            self.pilot.failed(verdict.reason, self.clock.now(), again=False)
        else:
            affected = job.affected if step.part == "first" else ()
            ran = tuple(case.id for case in verdict.after.cases)
            self.pilot.tested(Tested(job.affected is None, _red(verdict.after), ran, affected, job.left))

    async def _solve(self, step: Solve) -> None:
        settings = self._solving.settings(self.clock.now())
        goal = Goal(self.goal.root, step.tests)
        job = self._engine.solve(goal, self._door.desk(), step.cause, settings=settings, gives_way=True)
        verdict = await self._follow(job, step.cause)
        if verdict.kind == "stopped":
            self.pilot.interrupted()
            return
        job.verdict = verdict = chosen(verdict, self._engine.settings.findings)
        solved = await asyncio.to_thread(self._solving.judged, job, verdict, self.clock.now())
        if solved.refused:
            self._door.tell(Said(solved.reason))
        elif verdict.patch:
            self._held = {job.id: job}
        self.pilot.solved(solved)

    async def _apply(self, step: Apply) -> None:
        job = self._held[step.job]
        assert job.verdict is not None
        if unsaved := self._door.unsaved(job.verdict.patch.paths):
            self.pilot.typed(unsaved[0], self.clock.now())
            self.pilot.put_off()
            return
        try:
            await self._write(job)
        except WorkspaceChanged as error:
            self.pilot.not_applied(str(error))

    async def _write(self, job: Job) -> tuple[str, ...]:
        desk = self._door.desk()
        fix = await self._engine.prove(job, desk, WHOLE)
        async with self._files:
            if self._door.unsaved(fix.verdict.patch.paths):
                raise WorkspaceChanged("You are changing these files just now; nothing was written.")
            contents = {path: change.content for path, change in fix.verdict.patch}
            self._eye.expect(contents)
            paths = await self._engine.write(job, desk, fix)
            # An editor keeps its own line ends.
            self._eye.expect({path: (await desk.read(path)).data for path in paths})
        self._noted(job, fix.verdict, paths, {path: now.data for path, now in fix.expected.items()})
        self._door.tell(Wrote(job, fix.verdict, paths))
        return paths

    def _noted(
        self, job: Job, verdict: Verdict, paths: tuple[str, ...], before: Mapping[str, bytes | None]
    ) -> None:
        now = self.clock.now()
        contents = {path: change.content for path, change in verdict.patch}
        self._solving.wrote(before, contents, now)
        after = verdict.after or Report("lost")
        ran = tuple(case.id for case in after.cases)
        self.pilot.applied(paths, Tested(True, _red(after), ran, ()), now)
        self._news.set()

    def _offer(self, step: Offer) -> None:
        job = self._held[step.job]
        assert job.verdict is not None
        self.pilot.offered()
        self._door.tell(Offered(job, job.verdict, step.why))

    async def _follow(self, job: Job, cause: str) -> Verdict:
        self._job = job
        self._door.tell(Began(job, cause))
        try:
            async for event in job.events():
                self._door.tell(Happened(job, event))
                if isinstance(event, BaselineDone):
                    self._door.tell(Result(job, event.report))
            verdict = await job.wait()
        finally:
            if not job.done:
                job.stop()
                await job.ended()
            self._job = None
        self._door.tell(Ended(job, verdict.reason))
        return verdict

    async def _was_undone(self, undone: Undone) -> None:
        records = await asyncio.to_thread(self._engine.undone, self.goal.root)
        for record in records:
            if record.job == undone.undoes:
                self._eye.expect({path: change.content for path, change in record.before.items()})
                self._solving.refuse(signature_of_record(record))
        self.pilot.taken_back()
        self._news.set()

    def _tell_standing(self) -> None:
        standing = Standing(self.pilot.mode, self.pilot.message, self.pilot.busy)
        if standing != self._standing:
            self._standing = standing
            self._door.tell(standing)

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._news.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("watching %s broke", self.goal.root, exc_info=error)
            self._door.tell(Said(f"Watch mode stopped: something went wrong inside ({error!r})."))


def _red(report: Report) -> tuple[str, ...]:
    """What a change of the code could mend."""
    return tuple(case.id for case in report.red if not case.environment)
