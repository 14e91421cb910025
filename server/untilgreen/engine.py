"""The one way in for every door: test, solve, apply, undo. At most one job per workspace."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from untilgreen.applying import can_undo, note_taken, undo_fix, write_fix
from untilgreen.checking import check_again
from untilgreen.choosing import WHOLE, Choice
from untilgreen.cleaning import clean
from untilgreen.desk import Desk
from untilgreen.diff import unified_diff
from untilgreen.errors import Busy, UntilgreenError, UsageError
from untilgreen.events import Event, JobStarted, Undone
from untilgreen.ground import Grounds, OnDisk
from untilgreen.history import JobSummary, Step, jobs_of, summary_of, timeline
from untilgreen.job import Emit, Job
from untilgreen.journal import Journal, new_job_id
from untilgreen.ladder import NO_WISHES, Wishes, build
from untilgreen.lock import Lock, acquire
from untilgreen.model import Goal, Part, Verdict
from untilgreen.moving import Fix, differences, move_along
from untilgreen.proving import Proving
from untilgreen.pruning import Limits
from untilgreen.recovery import put_right
from untilgreen.retesting import Retests
from untilgreen.settings import Settings
from untilgreen.solve.budget import Budget
from untilgreen.solve.findings import held_back
from untilgreen.solve.loop import solve
from untilgreen.solve.once import run_once
from untilgreen.solvers import Solver
from untilgreen.solvers.keeping import Keeping
from untilgreen.undo_records import one_name
from untilgreen.workspace import Snapshot

Kind = Literal["test", "solve"]


class Engine:
    """Owns the running jobs. One per process."""

    def __init__(self, settings: Settings, journal: Journal) -> None:
        self._journal = journal
        self.configure(settings)
        self._jobs: dict[Path, Job] = {}
        self._proved: set[Path] = set()
        """Where a fix is verified again just now."""
        self.proving = Proving()
        self._wanted: list[Path] = []
        """Where somebody wants a fix written: nobody who gives way begins there."""
        self._grounds = Grounds()
        self._retests = Retests(self._grounds)
        self.recovered = put_right(journal)
        """What an earlier process left half done and was put right just now."""

    def configure(self, settings: Settings, of_folders: Mapping[Path, Settings] | None = None) -> None:
        """Other settings, from the next job on; a folder may have its own."""
        self.settings, self._of_folders = settings, of_folders or {}
        self._journal.limits = Limits(settings.journal_max_mb, settings.journal_days)

    def settings_of(self, root: Path) -> Settings:
        return self._of_folders.get(root, self.settings)

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def test(self, goal: Goal, desk: Desk, cause: str) -> Job:
        """Run the goal's tests once. Returns at once."""

        async def work(job: Job) -> Verdict:
            settings = self.settings_of(goal.root)
            ground = await self._grounds.prepare(goal.root, desk, settings, job.emit, job.saw)
            verdict = await run_once(goal, ground.snapshot, ground.bench, job.emit)
            await self._keep_evidence(job, ground.snapshot, verdict)
            return verdict

        return self._start("test", goal, cause, work)

    def retest(self, goal: Goal, desk: Desk, cause: str, part: Part) -> Job:
        """Run what a change since the last time can affect, or what is left of it. It gives way to others."""

        async def work(job: Job) -> Verdict:
            return await self._retests.run(job, desk, self.settings_of(goal.root), part)

        return self._start("test", goal, cause, work, gives_way=True)

    def solve(
        self,
        goal: Goal,
        desk: Desk,
        cause: str,
        wishes: Wishes = NO_WISHES,
        *,
        settings: Settings | None = None,
        gives_way: bool = False,
    ) -> Job:
        """Make the goal's tests pass. Returns at once; nothing is written before `apply`."""
        asked = settings or self.settings_of(goal.root)
        ladder = build(asked, os.environ, wishes)

        async def work(job: Job) -> Verdict:
            try:
                await ladder.check()
                return await climb(job, ladder.solvers)
            finally:
                await ladder.close()

        async def climb(job: Job, solvers: tuple[Solver, ...]) -> Verdict:
            prepare = self._grounds.prepare
            ground = await prepare(goal.root, desk, asked, job.emit, job.saw, gives_way=gives_way)
            kept: dict[str, bytes | None] = {}
            job.pristine, job.most_attempts = kept, ground.settings.max_attempts
            budget = _budget(ground.settings)
            job.cost = lambda: budget.spent
            verdict = await solve(
                goal,
                ground.snapshot,
                ground.bench,
                tuple(Keeping(solver, kept) for solver in solvers),
                budget,
                lambda plan: ground.protection(plan, may_change_tests=goal.may_change_tests),
                job.emit,
                ground.settings.verify_seconds,
            )
            await self._keep_evidence(job, ground.snapshot, verdict)
            if ladder.hint and verdict.kind in ("stuck", "better", "budget") and verdict.still_failing:
                verdict = dataclasses.replace(verdict, reason=f"{verdict.reason} {ladder.hint}")
            rivals = tuple(unified_diff(kept.get, rival) for rival in verdict.rivals)
            diff = unified_diff(kept.get, verdict.patch)
            return dataclasses.replace(verdict, diff=diff, rival_diffs=rivals)

        return self._start("solve", goal, cause, work, gives_way=gives_way)

    def check_again(self, root: Path, desk: Desk, job_id: str, cause: str) -> Job:
        """Check an old verdict in a fresh box, when the tree is still what it spoke about."""
        summary = self.summary(root, job_id)
        goal = Goal(root, summary.tests)

        async def work(job: Job) -> Verdict:
            evidence = self._journal.evidence.load(job_id)
            ground = await self._grounds.prepare(root, desk, self.settings_of(root), job.emit, job.saw)
            return await check_again(goal, summary, evidence, ground, job.emit)

        return self._start("test", goal, cause, work)

    async def apply(
        self, job: Job, desk: Desk, tell: Callable[[Event], None] = lambda _event: None
    ) -> tuple[str, ...]:
        """Write a verdict's patch, at once when its files are as they were.

        Edits of other lines take the patch along, and it is verified again; any other edit wins.
        """
        return await self.write(job, desk, await self.prove(job, desk, WHOLE, tell))

    async def prove(
        self, job: Job, desk: Desk, choice: Choice, tell: Callable[[Event], None] = lambda _event: None
    ) -> Fix:
        """What may be written of a job's fix as the files are now: a part or a rival is verified first."""
        root = job.goal.root
        self._wanted.append(root)
        try:
            running = self._jobs.get(root)
            if running is not None and running.gives_way and not running.done:
                running.stop()
                await running.ended()
            settings = self.settings_of(root)
            moving = move_along(job, desk, self._grounds, settings, tell, lambda: self._alone(job), choice)
            return await self.proving.run(job.id, moving)
        finally:
            self._wanted.remove(root)

    async def is_as_verified(self, job: Job, desk: Desk) -> bool:
        """Whether every file is what it was when the job began; the fix is then as good as it was."""
        now = await self._grounds.look(job.goal.root, desk, self.settings_of(job.goal.root))
        return job.snapshot is not None and not differences(job.snapshot, now)

    async def write(self, job: Job, desk: Desk, fix: Fix) -> tuple[str, ...]:
        """Write what was proved, unless its files changed since, or it has what the user's settings block."""
        if why := held_back(fix.verdict, self.settings_of(job.goal.root).findings, accepted=True):
            raise UntilgreenError(why)
        await write_fix(self._journal, job, desk, fix.verdict.patch, fix.expected)
        job.moved, job.verdict = job.moved or fix.verdict is not job.verdict, fix.verdict
        return fix.verdict.patch.paths

    async def taken(self, job: Job, desk: Desk) -> tuple[str, ...]:
        """An editor made the edit itself: keep what an undo needs. Returns the files that hold it."""
        assert job.verdict is not None
        return await note_taken(self._journal, job, desk, job.verdict.patch, job.pristine)

    async def can_undo(self, root: Path, desk: Desk) -> bool:
        """Whether a fix of this workspace stands, or came back into its files by hand."""
        return await can_undo(self._journal, root, desk)

    async def undo(
        self,
        root: Path,
        desk: Desk,
        job_id: str | None = None,
        *,
        force: bool = False,
        cause: str = "undo",
        by: str = "",
    ) -> Undone:
        """Take the last applied job out of the files, or the one named; edits beside it stay."""
        return await undo_fix(self._journal, root, desk, job_id, cause, force=force, by=by)

    def on_disk(self, root: Path, only: Collection[str] | None = None) -> OnDisk:
        """The saved files of a workspace. Blocking."""
        return self._grounds.on_disk(root, self.settings_of(root), only)

    @property
    def past(self) -> Journal:
        """What was done, written and taken back in all workspaces. To be read; all of it blocks."""
        return self._journal

    def history(self, root: Path, most: int) -> list[JobSummary]:
        """The newest jobs of a workspace; reads only, and waits for nobody. Blocking."""
        return jobs_of(self._journal, root, most)

    def summary(self, root: Path, job_id: str) -> JobSummary:
        summary = summary_of(self._journal, job_id)
        if summary is None:
            raise UsageError(f"There is no job {job_id!r}. `untilgreen history` lists them.")
        if one_name(Path(summary.root)) != one_name(root):
            raise UsageError(f"Job {job_id} belongs to {summary.root}; name that folder with --root.")
        return summary

    def timeline(self, job_id: str) -> list[Step]:
        """The way of one job, step by step. Blocking."""
        return timeline(self._journal, job_id)

    def events(self, job_id: str) -> list[dict[str, Any]]:
        """What happened in one job, as it was told. Blocking."""
        return list(self._journal.lines(job_id))

    def clean(self, *, everything: bool) -> tuple[str, ...]:
        """Remove our images, and with everything the journal, too; returns what is gone. Blocking."""
        return clean(self._journal, everything=everything)

    async def close(self) -> None:
        """Stop all jobs, wait until they have cleaned up, and close the boxes that are kept warm."""
        for job in (jobs := [*self._jobs.values()]):
            job.stop()
        await asyncio.gather(*(job.ended() for job in jobs), self.proving.close())
        await self._grounds.close()

    @contextlib.contextmanager
    def _alone(self, job: Job) -> Iterator[None]:
        """Boxes of a workspace serve one at a time."""
        running = self._jobs.get(job.goal.root)
        if running is not None and not running.done:
            raise Busy(f"A {running.kind} job is running in {job.goal.root}; apply this when it has ended.")
        if job.goal.root in self._proved:
            raise Busy(f"A fix is being verified in {job.goal.root} already; wait for it.")
        with acquire(self._journal.locks, job.goal.root, "work", f"verifying the fix of job {job.id}"):
            self._proved.add(job.goal.root)
            try:
                yield
            finally:
                self._proved.discard(job.goal.root)

    def _start(
        self,
        kind: Kind,
        goal: Goal,
        cause: str,
        act: Callable[[Job], Awaitable[Verdict]],
        *,
        gives_way: bool = False,
    ) -> Job:
        running = self._jobs.get(goal.root)
        if running is not None and not running.done and (gives_way or not running.gives_way):
            raise Busy(f"A {running.kind} job is already running in {goal.root}; stop it or wait for it.")
        if goal.root in self._proved or (gives_way and goal.root in self._wanted):
            raise Busy(f"A fix is being verified in {goal.root}; wait for it.")
        before = running if running is not None and not running.done else None
        job_id = new_job_id()
        what = f"{kind} job {job_id}, {cause}"

        def lock() -> Lock:
            return acquire(self._journal.locks, goal.root, "work", what)

        async def work(emit: Emit) -> Verdict:
            if before is not None:
                before.stop()
                await before.ended()
            # Whoever hears that the job has finished may start the next one.
            with held or lock():
                emit(JobStarted(kind, goal.root, goal.tests, cause))
                begun = time.monotonic()
                verdict = await act(job)
                return dataclasses.replace(verdict, seconds=round(time.monotonic() - begun, 3))

        log = self._journal.start(job_id, goal.root)
        held = lock() if before is None else None
        job = Job(job_id, kind, goal, log, work)
        job.gives_way = gives_way
        if held is not None:
            job.when_ended(held.release)
        self._jobs[goal.root] = job
        return job

    async def _keep_evidence(self, job: Job, snapshot: Snapshot, verdict: Verdict) -> None:
        save = self._journal.evidence.save
        await asyncio.to_thread(save, job.id, snapshot.digest, snapshot.entries, verdict.patch)


def _budget(settings: Settings) -> Budget:
    return Budget(settings.max_attempts, settings.max_seconds, settings.max_tokens, settings.max_usd)
