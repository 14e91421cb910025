"""What a job stands on: the project as it is now, a snapshot of it, and boxes that hold it."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from untilgreen.desk import Desk
from untilgreen.errors import WorkspaceChanged
from untilgreen.events import BoxOpened, Preparing, SnapshotTaken
from untilgreen.job import Emit
from untilgreen.pool import Pool
from untilgreen.project import Project, discover, repository_table
from untilgreen.project.installed import installed_modules
from untilgreen.settings import Settings, with_repository
from untilgreen.solve.bench import Bench
from untilgreen.solve.guard import Protection, protect
from untilgreen.solve.plan import Plan
from untilgreen.workspace import Snapshot, StatIndex, take_snapshot
from untilgreen_sandbox.box import Backend, BoxSpec, Building, Limits, Packages, choose_backend

MOST_LOOKS = 3
"""How often a workspace is looked at that changes while it is copied."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of one job."""

    settings: Settings
    """The user's, with what the repository may say."""
    project: Project
    snapshot: Snapshot
    bench: Bench
    pool: Pool
    """Where its boxes come from, as long as the workspace has no other one."""

    def protection(self, plan: Plan, *, may_change_tests: bool) -> Protection:
        return protect(
            self.snapshot.entries,
            plan.files,
            self.project.import_roots,
            installed_modules(self.project.interpreter) | self.project.dependencies.modules,
            may_change_tests=may_change_tests,
            read=self.snapshot.read,
        )


@dataclass(frozen=True, slots=True)
class OnDisk:
    """The files of a workspace as they are saved."""

    snapshot: Snapshot
    ignores: Callable[[str], bool]
    """Whether git ignores a file that is copied."""


@dataclass(frozen=True, slots=True)
class _SeenWith:
    """What decides which files of a workspace are copied, as of the last look."""

    asked: Settings
    narrowed: Settings
    """With what the repository says."""
    import_roots: tuple[str, ...]


class Grounds:
    """Prepares them, and keeps the boxes of each workspace warm between jobs."""

    def __init__(self) -> None:
        self._pools: dict[Path, Pool] = {}
        self._index = StatIndex()
        self._seen_with: dict[Path, _SeenWith] = {}

    async def prepare(
        self,
        root: Path,
        desk: Desk,
        settings: Settings,
        emit: Emit,
        seen: Callable[[Snapshot], None] = lambda _snapshot: None,
        *,
        gives_way: bool = False,
    ) -> Ground:
        """Look at the project and open a box; `seen` hears of the snapshot first.

        What gives way lets others have the processor.
        """
        for _again in range(MOST_LOOKS - 1):
            # Somebody saved a file between the look and the copy: then once more, with that.
            with contextlib.suppress(WorkspaceChanged):
                return await self._prepare(root, desk, settings, emit, seen, gives_way)
        return await self._prepare(root, desk, settings, emit, seen, gives_way)

    async def _prepare(
        self,
        root: Path,
        desk: Desk,
        settings: Settings,
        emit: Emit,
        seen: Callable[[Snapshot], None],
        gives_way: bool,
    ) -> Ground:
        settings, project = await asyncio.to_thread(_discover, root, settings)
        for problem in project.problems:
            emit(Preparing(problem))
        snapshot = await self._look(root, desk, settings, project)
        seen(snapshot)
        emit(SnapshotTaken(len(snapshot.entries), snapshot.total_bytes, snapshot.digest))
        loop = asyncio.get_running_loop()

        def progress(text: str) -> None:
            # Images are built in threads; events belong to the loop.
            loop.call_soon_threadsafe(emit, Preparing(text))

        spec = _spec(project, settings)
        pool = await self._pool(root, settings.sandbox, spec, progress)
        pool.gives_way = gives_way
        if pool.chosen.backend == "docker" and not spec.image:
            for problem in project.dependencies.problems:
                emit(Preparing(problem))
        async with pool.lane(snapshot) as box:
            emit(BoxOpened(box.backend, pool.chosen.why, box.description))
        return Ground(settings, project, snapshot, Bench(pool, snapshot, settings.pytest_args), pool)

    def on_disk(self, root: Path, settings: Settings, only: Collection[str] | None) -> OnDisk:
        """The saved files of a workspace; with `only`, nothing but these can have changed. Blocking."""
        seen = self._seen_with.get(root)
        if only is None or seen is None or seen.asked != settings or "pyproject.toml" in only:
            narrowed, project = _discover(root, settings)
            seen = self._seen_with[root] = _SeenWith(settings, narrowed, project.import_roots)
        narrowed = seen.narrowed
        rules = narrowed.exclude, narrowed.include, seen.import_roots
        tree = self._index.tree(root, *rules)
        snapshot = take_snapshot(
            root,
            max_mb=narrowed.workspace_max_mb,
            exclude=rules[0],
            include=rules[1],
            import_roots=rules[2],
            index=self._index,
            only=only if tree.folders else None,
        )
        return OnDisk(snapshot, tree.ignores)

    async def look(self, root: Path, desk: Desk, settings: Settings) -> Snapshot:
        """The workspace as it is now; no box is opened for it."""
        settings, project = await asyncio.to_thread(_discover, root, settings)
        return await self._look(root, desk, settings, project)

    async def look_again(self, ground: Ground, desk: Desk) -> Snapshot | None:
        """The workspace of an earlier ground as it is now; None when its boxes are not its own any more."""
        root = ground.snapshot.root
        if self._pools.get(root) is not ground.pool:
            return None
        return await self._look(root, desk, ground.settings, ground.project)

    async def _look(self, root: Path, desk: Desk, settings: Settings, project: Project) -> Snapshot:
        overlay = desk.overlay()
        return await asyncio.to_thread(
            lambda: take_snapshot(
                root,
                overlay,
                max_mb=settings.workspace_max_mb,
                exclude=settings.exclude,
                include=settings.include,
                import_roots=project.import_roots,
                index=self._index,
            )
        )

    async def close(self) -> None:
        pools, self._pools = list(self._pools.values()), {}
        await asyncio.gather(*(pool.close() for pool in pools))
        await asyncio.to_thread(self._index.close)

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
