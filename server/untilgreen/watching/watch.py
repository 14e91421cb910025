"""One watched workspace: does what the pilot decides, and tells it what came of it. Two doors use it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable

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
from untilgreen.watching.fixes import Fixes
from untilgreen.watching.hand import Hand
from untilgreen.watching.modes import Mode
from untilgreen.watching.notes import Began, Ended, Happened, Result
from untilgreen.watching.pace import Pace, pace_of
from untilgreen.watching.pilot import Pilot
from untilgreen.watching.quota import Allowance
from untilgreen.watching.reading import tested, untold
from untilgreen.watching.solving import TAKEN_BACK
from untilgreen.watching.steps import Apply, Look, Offer, Solve, Solved, Step, Stop, Test
from untilgreen.watching.voice import Voice


class Watch:
    """Use `start`, and `close` in the end; everything else returns at once."""

    def __init__(
        self,
        engine: Engine,
        goal: Goal,
        door: Door,
        mode: Mode,
        clock: Clock,
        pace: Pace | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        """An allowance that others had before is what is left of it."""
        allowance = allowance or Allowance()
        self.goal = goal
        self.clock = clock
        now = pace or pace_of(engine.settings_of(goal.root))
        self.pilot = Pilot(mode, now, Hand(now, allowance.fixes))
        self._engine = engine
        self._door = door
        self._voice = Voice(door, goal.root)
        self._eye = Eye(engine, goal.root)
        self.fixes = Fixes(engine, goal, door, self._eye, self.pilot, clock, allowance.models)
        self._pace = pace
        self._news = asyncio.Event()
        self._rested = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._job: Job | None = None
        self._overtaken = False
        """What runs is to stop, also when its job has not begun."""
        self._trouble = 0
        """The exit code of what could not be done last."""

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
            self.fixes.shown_as_on_disk(path)
            self._news.set()

    def saved(self, path: str) -> None:
        self.pilot.saved(path)
        self.touched([path])

    def closed(self, path: str, *, lost: bool) -> None:
        """An editor does not show the file any more; `lost` when what it showed last is not on disk."""
        self.pilot.closed(path, self.clock.now())
        if lost:
            # It may have been a fix of ours, which nobody typed.
            self.fixes.shown_as_on_disk(path)
        self._news.set()

    def reconsider(self) -> None:
        """The user's settings are others now."""
        self.pilot.repace(self._pace or pace_of(self._engine.settings_of(self.goal.root)))
        # Other files may count from now on.
        self.touched(None)

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
        self.fixes.accepted(job, verdict, paths)
        self._news.set()

    async def accept(self, job_id: str) -> tuple[str, ...]:
        """Write a fix that was offered."""
        paths = await self.fixes.write(self.fixes.held(job_id))
        self._news.set()
        return paths

    async def undo(self, job_id: str | None = None) -> Undone:
        """Take a fix back; it is not tried again."""
        undone = await self.fixes.undo(job_id)
        self._news.set()
        return undone

    async def was_undone(self, undone: Undone) -> None:
        """Somebody else took a fix back, in this process."""
        await self.fixes.was_undone(undone)
        self._news.set()

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
        """Whether tests ran to their end, and all of them do well."""
        return self.pilot.known.green

    @property
    def exit_code(self) -> int:
        """How things stand for a script: the same as after a run of the tests alone."""
        return 0 if self.green else self._trouble or (3 if self.pilot.known.only_blocked else 1)

    # What it does by itself.

    async def _live(self) -> None:
        while True:
            self._news.clear()
            now = self.clock.now()
            while (step := self.pilot.next(now)) is not None:
                self._act(step)
            self._voice.stand(self.pilot)
            if self.pilot.at_rest:
                self._rested.set()
            else:
                self._rested.clear()
            await self.clock.wait(self._news, self.pilot.wake(now))

    def _act(self, step: Step) -> None:
        if isinstance(step, Look):
            self._spawn(self._look(step), "look")
        elif isinstance(step, Stop):
            self._overtaken = True
            if self._job is not None:
                self._job.stop()
        else:
            self._overtaken = False
            self.pilot.started(step)
            self._voice.stand(self.pilot)
            self._spawn(self._do(step), type(step).__name__.lower())

    async def _look(self, step: Look) -> None:
        try:
            async with self.fixes.files:
                seen = await asyncio.to_thread(self._eye.look, step.paths)
        except Exception as error:  # The step's edge, too.
            self.pilot.looked_in_vain(said := self._voice.words_of(error))
            self._voice.complain(said)
        else:
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
                self.fixes.offer(step.job, step.why)
        except Exception as error:  # The step's edge: one that breaks must not leave the user unwatched.
            code = error.exit_code if isinstance(error, UntilgreenError) else 1
            self._failed(self._voice.words_of(error), code, again=isinstance(error, Busy | WorkspaceChanged))

    async def _test(self, step: Test) -> None:
        job = self._engine.retest(self.goal, self._door.desk(), step.cause, step.part)
        verdict = await self._follow(job, step.cause)
        report = verdict.after
        if verdict.kind == "stopped":
            self.pilot.interrupted()
        elif report is None or untold(verdict):
            if report is not None and report.ended == "finished" and not report.cases:
                # There is none any more: what was known of tests is no more, either.
                self._door.tell(Result(job, report))
            self._failed(untold(verdict), 3 if verdict.kind == "blocked" else 1)
        else:
            affected = () if step.part == "rest" else job.affected
            self.pilot.tested(tested(report, whole=job.affected is None, affected=affected, left=job.left))
            self.fixes.withdraw()
            self._trouble = 0
            if self.green:
                self._voice.content()

    async def _solve(self, step: Solve) -> None:
        solving, desk, now = self.fixes.solving, self._door.desk(), self.clock.now()
        goal = Goal(self.goal.root, await solving.wanted(step.tests, desk, now))
        if not goal.tests:
            self._voice.complain(TAKEN_BACK)
            self.pilot.solved(Solved(reason=TAKEN_BACK, refused=True))
            return
        job = self._engine.solve(goal, desk, step.cause, settings=solving.settings(now), gives_way=True)
        verdict = await self._follow(job, step.cause)
        if verdict.kind == "stopped":
            self.pilot.interrupted()
            return
        job.verdict = verdict = chosen(verdict, self._engine.settings_of(self.goal.root).findings)
        solved = await solving.judged(job, verdict, desk, self.clock.now())
        if solved.refused:
            self._voice.complain(solved.reason)
        elif verdict.patch:
            self.fixes.hold(job)
        self.pilot.solved(solved)

    async def _apply(self, step: Apply) -> None:
        job = self.fixes.held(step.job)
        assert job.verdict is not None
        if unsaved := self._door.unsaved(job.verdict.patch.paths):
            self.pilot.typed(unsaved[0], self.clock.now())
            self.pilot.put_off()
            return
        try:
            await self.fixes.write(job, automatic=True)
        except WorkspaceChanged as error:
            self.pilot.not_applied(str(error))

    async def _follow(self, job: Job, cause: str) -> Verdict:
        self._job = job
        if self._overtaken:
            job.stop()
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
            self.fixes.solving.paid(job.cost(), self.clock.now())
        self._door.tell(Ended(job, verdict.reason))
        return verdict

    def _failed(self, reason: str, code: int, *, again: bool = False) -> None:
        self.pilot.failed(reason, self.clock.now(), again=again)
        if not again:
            self._trouble = code
            self._voice.complain(reason)

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._news.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._voice.broke(error)
