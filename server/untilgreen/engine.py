"""The one way in for every door: test, solve, apply, undo. At most one job per workspace."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from untilgreen.applying import apply_fix, undo_fix
from untilgreen.desk import Desk, recover
from untilgreen.diff import unified_diff
from untilgreen.errors import Busy, UsageError
from untilgreen.events import BoxOpened, JobStarted, Preparing, SnapshotTaken
from untilgreen.job import Emit, Job
from untilgreen.journal import Journal, new_job_id
from untilgreen.model import Goal, Patch, Verdict
from untilgreen.pool import Pool
from untilgreen.project import Project, discover, repository_table
from untilgreen.project.installed import installed_modules
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
from untilgreen.workspace import Snapshot, StatIndex, take_snapshot
from untilgreen_sandbox.box import Backend, BoxSpec, Building, Limits, Packages, choose_backend
from untilgreen_sandbox.errors import NoSandbox


class Engine:
    """Owns the running jobs. One per process."""

    def __init__(self, settings: Settings, journal: Journal) -> None:
        self.settings = settings
        self._journal = journal
        self._jobs: dict[Path, Job] = {}
        self._pools: dict[Path, Pool] = {}
        self._index = StatIndex()
        self.recovered = recover(journal.intents)
        """What an earlier process left half done and was put right just now."""
        sweep(journal.folder / "scratch")

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def test(self, goal: Goal, desk: Desk, cause: str) -> Job:
        """Run the goal's tests once. Returns at once."""
        return self._start("test", goal, desk, cause, ())

    def solve(self, goal: Goal, desk: Desk, cause: str) -> Job:
        """Make the goal's tests pass. Returns at once; nothing is written before `apply`."""
        return self._start("solve", goal, desk, cause, _solvers(self.settings.solver))

    async def apply(self, job: Job, desk: Desk) -> tuple[str, ...]:
        """Write a verdict's patch; the user's edits win, and then nothing is written."""
        return await apply_fix(self._journal, job, desk)

    async def undo(
        self, root: Path, desk: Desk, job_id: str | None = None, *, force: bool = False
    ) -> tuple[str, ...]:
        """Give back the files as they were before the last applied job, or before the one named."""
        return await undo_fix(self._journal, root, desk, job_id, force=force)

    def clean(self, *, everything: bool) -> tuple[str, ...]:
        """Remove our images, and with everything the journal, too; returns what is gone. Blocking."""
        from untilgreen_sandbox.inventory import remove_images

        removed: tuple[str, ...] = ()
        with contextlib.suppress(NoSandbox):
            removed = remove_images()
        if everything and self._journal.folder.is_dir():
            shutil.rmtree(self._journal.folder)
            removed = (*removed, str(self._journal.folder))
        return removed

    async def close(self) -> None:
        """Stop all jobs, wait until they have cleaned up, and close the boxes that are kept warm."""
        jobs = list(self._jobs.values())
        for job in jobs:
            job.stop()
        await asyncio.gather(*(job.ended() for job in jobs))
        pools, self._pools = list(self._pools.values()), {}
        await asyncio.gather(*(pool.close() for pool in pools))

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

    async def _pool(
        self, root: Path, wanted: Backend, spec: BoxSpec, progress: Callable[[str], None]
    ) -> Pool:
        """The boxes of this workspace: those of the last job, as long as they are what this one needs."""
        pool = self._pools.get(root)
        if pool is None or not pool.warm or pool.spec != spec or wanted not in ("auto", pool.chosen.backend):
            if pool is not None:
                del self._pools[root]
                await pool.close()
            pool = Pool(await choose_backend(wanted, spec, progress), spec)
            self._pools[root] = pool
        pool.progress = progress
        return pool

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
                import_roots=project.import_roots,
                index=self._index,
            )
        )
        job.snapshot = snapshot
        emit(SnapshotTaken(len(snapshot.entries), snapshot.total_bytes, snapshot.digest))
        loop = asyncio.get_running_loop()

        def progress(text: str) -> None:
            # Images are built in threads; events belong to the loop.
            loop.call_soon_threadsafe(emit, Preparing(text))

        spec = _spec(project, settings)
        pool = await self._pool(goal.root, settings.sandbox, spec, progress)
        if pool.chosen.backend == "docker" and not spec.image:
            for problem in project.dependencies.problems:
                emit(Preparing(problem))
        async with pool.lane(snapshot) as box:
            emit(BoxOpened(box.backend, pool.chosen.why, box.description))
        bench = Bench(pool, snapshot, settings.pytest_args)
        if kind == "test":
            return await run_once(goal, snapshot, bench, emit)
        budget = Budget(settings.max_attempts, settings.max_seconds)

        def protection(plan: Plan) -> Protection:
            return protect(
                snapshot.entries,
                plan.files,
                project.import_roots,
                installed_modules(project.interpreter) | project.dependencies.modules,
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
    needed = project.dependencies
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
        packages=Packages(
            needed.requirements, needed.constraints, needed.name, needed.version, needed.entry_points
        ),
        building=Building(
            settings.sandbox_build_network, settings.sandbox_ca, settings.sandbox_source_builds
        ),
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
