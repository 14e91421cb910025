"""The one way in for every door: test, solve, apply, undo. At most one job per workspace."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import time
from pathlib import Path
from typing import Literal

from untilgreen.desk import Content, Desk, recover
from untilgreen.diff import unified_diff
from untilgreen.errors import Busy, NothingToUndo, UsageError, WorkspaceChanged
from untilgreen.events import Applied, BoxOpened, JobStarted, Preparing, SnapshotTaken
from untilgreen.installed import installed_modules
from untilgreen.job import Emit, Job
from untilgreen.journal import Journal, UndoRecord, new_job_id
from untilgreen.model import FileChange, Goal, Patch, Verdict
from untilgreen.project import Project, discover, repository_table
from untilgreen.scratch import sweep
from untilgreen.settings import Settings, with_repository
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.guard import Protection, protect
from untilgreen.solve.loop import solve
from untilgreen.solve.once import run_once
from untilgreen.solve.plan import Plan
from untilgreen.solvers import Solver
from untilgreen.solvers.scripted import ScriptedSolver
from untilgreen.workspace import Snapshot, digest_of, take_snapshot
from untilgreen_sandbox.box import BoxSpec, Limits, choose_backend


class Engine:
    """Owns the running jobs. One per process."""

    def __init__(self, settings: Settings, journal: Journal) -> None:
        self.settings = settings
        self._journal = journal
        self._jobs: dict[Path, Job] = {}
        self.recovered = recover(journal.intents)
        """What an earlier process left half done and was put right just now."""
        sweep(journal.folder / "scratch")

    def test(self, goal: Goal, desk: Desk, cause: str) -> Job:
        """Run the goal's tests once. Returns at once."""
        return self._start("test", goal, desk, cause, ())

    def solve(self, goal: Goal, desk: Desk, cause: str) -> Job:
        """Make the goal's tests pass. Returns at once; nothing is written before `apply`."""
        return self._start("solve", goal, desk, cause, _solvers(self.settings.solver))

    async def apply(self, job: Job, desk: Desk) -> tuple[str, ...]:
        """Write a verdict's patch; the user's edits win, and then nothing is written."""
        assert job.verdict is not None and job.snapshot is not None
        patch = job.verdict.patch
        expected = {path: await desk.read(path) for path in patch.paths}
        if changed := [path for path in patch.paths if not _is_as_seen(job.snapshot, path, expected[path])]:
            names = ", ".join(changed)
            raise WorkspaceChanged(f"You changed {names} meanwhile; nothing was written. Solve again.")
        record = _undo_record(job, expected)
        self._journal.save_undo(record)
        try:
            await desk.write(patch, expected)
        finally:
            await self._note_outcome(record, desk)
        job.note(Applied(patch.paths, desk.where))
        return patch.paths

    async def _note_outcome(self, record: UndoRecord, desk: Desk) -> None:
        """Keep what is really there now: an editor has its own line ends, and may take a part only."""
        now = {path: await desk.read(path) for path in record.before}
        if all(now[path].data == change.content for path, change in record.before.items()):
            self._journal.mark_undone(record.job)
        else:
            after = {path: _digest(content) for path, content in now.items()}
            self._journal.save_undo(dataclasses.replace(record, after=after))

    async def undo(
        self, root: Path, desk: Desk, job_id: str | None = None, *, force: bool = False
    ) -> tuple[str, ...]:
        """Give back the files as they were before the last applied job, or before the one named."""
        record = self._journal.load_undo(root, job_id)
        now = {path: await desk.read(path) for path in record.before}
        if all(now[path].data == change.content for path, change in record.before.items()):
            # Its write never happened, or somebody took it back by hand; an older one may be left.
            self._journal.mark_undone(record.job)
            return await self.undo(root, desk, job_id, force=force)
        edited = [path for path, content in now.items() if _digest(content) != record.after[path]]
        if edited and not force:
            raise NothingToUndo(
                f"{', '.join(edited)} was edited since; nothing was changed. Use --force to lose those edits."
            )
        await desk.write(Patch(record.before), now)
        self._journal.mark_undone(record.job)
        return tuple(sorted(record.before))

    async def close(self) -> None:
        """Stop all jobs and wait until they have cleaned up."""
        jobs = list(self._jobs.values())
        for job in jobs:
            job.stop()
        await asyncio.gather(*(job.ended() for job in jobs))

    def _start(
        self,
        kind: Literal["test", "solve"],
        goal: Goal,
        desk: Desk,
        cause: str,
        solvers: tuple[Solver, ...],
    ) -> Job:
        running = self._jobs.get(goal.root)
        if running is not None and not running.done:
            raise Busy(f"A {running.kind} job is already running in {goal.root}; stop it or wait for it.")
        job_id = new_job_id()

        async def work(emit: Emit) -> Verdict:
            emit(JobStarted(kind, goal.root, goal.tests, cause))
            begun = time.monotonic()
            verdict = await self._work(job, kind, desk, solvers)
            return dataclasses.replace(verdict, seconds=round(time.monotonic() - begun, 3))

        job = Job(job_id, kind, goal, self._journal.start(job_id, goal.root), work)
        self._jobs[goal.root] = job
        return job

    async def _work(self, job: Job, kind: str, desk: Desk, solvers: tuple[Solver, ...]) -> Verdict:
        goal, emit = job.goal, job.emit
        settings, project = await asyncio.to_thread(_discover, goal.root, self.settings)
        for problem in project.problems:
            emit(Preparing(problem))
        overlay = desk.overlay()
        snapshot = await asyncio.to_thread(
            lambda: take_snapshot(
                goal.root,
                overlay,
                max_mb=settings.workspace_max_mb,
                exclude=settings.exclude,
                include=settings.include,
            )
        )
        job.snapshot = snapshot
        emit(SnapshotTaken(len(snapshot.entries), snapshot.total_bytes, snapshot.digest))
        loop = asyncio.get_running_loop()

        def progress(text: str) -> None:
            # Images are built in threads; events belong to the loop.
            loop.call_soon_threadsafe(emit, Preparing(text))

        spec = _spec(project, settings)
        chosen = await choose_backend(settings.sandbox, spec, progress)
        async with Bench(chosen, spec, snapshot, settings.pytest_args, progress) as bench:
            box = await bench.box()
            emit(BoxOpened(box.backend, chosen.why, box.description))
            if kind == "test":
                return await run_once(goal, snapshot, bench, emit)
            budget = Budget(settings.max_attempts, settings.max_seconds)

            def protection(plan: Plan) -> Protection:
                return protect(
                    snapshot.entries,
                    plan.files,
                    project.import_roots,
                    installed_modules(project.interpreter),
                    may_change_tests=goal.may_change_tests,
                )

            verdict = await solve(goal, snapshot, bench, solvers, budget, protection, emit)
        pristine = await asyncio.to_thread(_pristine, snapshot, verdict.patch)
        return dataclasses.replace(verdict, diff=unified_diff(pristine.get, verdict.patch))


def _discover(root: Path, settings: Settings) -> tuple[Settings, Project]:
    """The project, and the settings with what its repository may say."""
    table, problems = repository_table(root)
    settings, more = with_repository(settings, table)
    project = discover(root, settings, os.environ)
    return settings, dataclasses.replace(project, problems=(*problems, *more, *project.problems))


def _spec(project: Project, settings: Settings) -> BoxSpec:
    return BoxSpec(
        project.root,
        project.interpreter,
        project.import_roots,
        Limits(
            seconds=settings.test_seconds,
            memory_mb=settings.memory_mb,
            processes=settings.processes,
            disk_mb=max(1024, 2 * settings.workspace_max_mb),
        ),
        base_image=settings.sandbox_base,
        image=settings.sandbox_image,
    )


def _solvers(name: str) -> tuple[Solver, ...]:
    """The ladder of solvers a setting names."""
    if name.startswith("scripted:"):
        return (ScriptedSolver.load(Path(name.removeprefix("scripted:"))),)
    if name == "auto":
        return ()
    raise UsageError(f"The solver {name!r} does not exist in this version; use scripted:FILE.")


def _pristine(snapshot: Snapshot, patch: Patch) -> dict[str, bytes | None]:
    """What the snapshot saw of each file a patch touches."""
    return {path: snapshot.read(path) if snapshot.exists(path) else None for path in patch.paths}


def _undo_record(job: Job, before: dict[str, Content]) -> UndoRecord:
    assert job.verdict is not None and job.snapshot is not None
    entries = job.snapshot.entries
    return UndoRecord(
        job.id,
        job.goal.root,
        {
            path: FileChange(content.data, entries[path].mode if path in entries else 0o644)
            for path, content in before.items()
        },
        {path: _digest(Content(change.content)) for path, change in job.verdict.patch},
    )


def _is_as_seen(snapshot: Snapshot, path: str, content: Content) -> bool:
    entry = snapshot.entries.get(path)
    return _digest(content) == ("" if entry is None else entry.digest)


def _digest(content: Content) -> str:
    return "" if content.data is None else digest_of(content.data)
