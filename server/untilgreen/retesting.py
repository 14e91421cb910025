"""Tests after a change: those that it can affect, warm, and the others once nobody waits.

A whole run is the base: what was saved since is laid over it like a solver's proposal, so that the processes
that wait for proposals serve it, too. As soon as more than bodies of functions changed, there is a new base.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from untilgreen.desk import Desk
from untilgreen.errors import WorkspaceChanged
from untilgreen.events import BaselineDone, PlanMade, SnapshotTaken
from untilgreen.ground import Ground, Grounds
from untilgreen.job import Job
from untilgreen.model import FileChange, Goal, Part, Patch, Verdict
from untilgreen.settings import Settings
from untilgreen.solve.changed import Edit
from untilgreen.solve.once import run_once, told_once
from untilgreen.solve.plan import surroundings
from untilgreen.solve.selection import select
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import sort_failures
from untilgreen_sandbox.report import CaseResult, Report
from untilgreen_sandbox.trace import Trace

MOST_FILES = 50
"""More changed files than this are a new base."""
MOST_SECONDS = 120.0
"""A suite that takes longer is not looked into: that takes longer still."""


@dataclass(slots=True)
class Base:
    """A whole run, and what is known since."""

    goal: Goal
    asked: Settings
    ground: Ground
    cases: dict[str, CaseResult]
    """What was told last of each test."""
    trace: Trace | None = None
    worth_tracing: bool = True
    digest: str = ""
    """The state of the code that `ran` speaks of."""
    ran: set[str] = field(default_factory=set)
    texts: dict[str, str | None] = field(default_factory=dict)
    """Files that are others than in the base, as they were at the last change."""

    @property
    def red(self) -> tuple[str, ...]:
        return tuple(case.id for case in self.cases.values() if not case.good)


@dataclass(frozen=True, slots=True)
class _Change:
    """What was saved since the base."""

    patch: Patch
    edits: dict[str, Edit]


class Retests:
    """The bases of all workspaces that are tested again and again."""

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds
        self._bases: dict[Path, Base] = {}

    async def run(self, job: Job, desk: Desk, settings: Settings, part: Part) -> Verdict:
        base = self._bases.get(job.goal.root) if part != "all" else None
        if base is not None and base.goal.tests == job.goal.tests and base.asked == settings:
            # A file that is saved while it is read: then everything is looked at anew.
            with contextlib.suppress(WorkspaceChanged):
                snapshot = await self._grounds.look_again(base.ground, desk)
                base.ground.pool.gives_way = True
                verdict = await self._over(base, snapshot, job, part) if snapshot is not None else None
                if verdict is not None:
                    return verdict
        return await self._whole(job, desk, settings, part)

    async def _whole(self, job: Job, desk: Desk, settings: Settings, part: Part) -> Verdict:
        goal = job.goal
        self._bases.pop(goal.root, None)
        ground = await self._grounds.prepare(goal.root, desk, settings, job.emit, job.saw, gives_way=True)
        verdict = await run_once(goal, ground.snapshot, ground.bench, job.emit)
        report = verdict.after
        if report is None or report.ended != "finished" or not report.planned:
            return verdict
        if not goal.tests:
            ground.bench.measure_against(report)
        base = Base(goal, settings, ground, {case.id: case for case in report.cases})
        base.digest, base.ran = ground.snapshot.digest, set(base.cases)
        base.worth_tracing = report.seconds <= MOST_SECONDS and set(report.planned) == set(base.cases)
        self._bases[goal.root] = base
        job.left = base.worth_tracing
        if part == "rest" and base.worth_tracing:
            await self._learn(base, job)
        return verdict

    async def _over(self, base: Base, snapshot: Snapshot, job: Job, part: Part) -> Verdict | None:
        """The change laid over the base; None when it needs a new one."""
        if base.trace is None:
            if part == "first" or snapshot.digest != base.ground.snapshot.digest:
                return None
            await self._learn(base, job)
            return _known(base)
        change = await asyncio.to_thread(_difference, base.ground.snapshot, snapshot)
        if change is None:
            return None
        seconds = {test_id: case.seconds for test_id, case in base.cases.items()}
        selection = select(base.cases, base.trace, change.edits, base.red, seconds)
        if selection.in_doubt:
            return None
        if base.digest != snapshot.digest:
            base.digest, base.ran = snapshot.digest, set()
        ids = selection.first if part == "first" else tuple(id_ for id_ in base.cases if id_ not in base.ran)
        job.saw(snapshot)
        job.emit(SnapshotTaken(len(snapshot.entries), snapshot.total_bytes, snapshot.digest))
        job.emit(PlanMade(len(ids)))
        report = await self._run(base, snapshot, change.patch, ids)
        if report is None:
            return None
        base.cases.update((case.id, case) for case in report.cases)
        base.ran.update(ids)
        job.affected = _affected(base, change)
        base.texts = {path: edit.new for path, edit in change.edits.items()}
        job.left = len(base.ran) < len(base.cases)
        job.emit(BaselineDone(report))
        return told_once(report, ids, scope="affected" if job.left else "full") if ids else _known(base)

    async def _run(self, base: Base, snapshot: Snapshot, patch: Patch, ids: tuple[str, ...]) -> Report | None:
        """None when the tests are not those that were expected."""
        if not ids:
            return Report("finished")
        report = await base.ground.bench.run(patch, ids)
        if report.ended != "finished" or {case.id for case in report.cases} != set(ids):
            return None
        return sort_failures(report, ids, surroundings(snapshot))

    async def _learn(self, base: Base, job: Job) -> None:
        """Which test executes what: it decides about the next change, and about nothing else."""
        ids = tuple(base.cases) if base.goal.tests else ()
        found = await base.ground.bench.trace(ids, seconds=MOST_SECONDS)
        if found.report.ended == "finished" and set(found.trace.tests) >= set(base.cases):
            base.trace = found.trace
        base.worth_tracing = base.trace is not None
        job.left = False


def _known(base: Base) -> Verdict:
    """Nothing had to run."""
    planned = tuple(base.cases)
    return told_once(Report("finished", tuple(base.cases.values()), planned), planned)


def _affected(base: Base, change: _Change) -> tuple[str, ...]:
    """By what was saved since the last time, not by all that was since the base."""
    assert base.trace is not None
    since = {path: Edit(base.texts.get(path, edit.old), edit.new) for path, edit in change.edits.items()}
    return select(base.cases, base.trace, since).first


def _difference(before: Snapshot, now: Snapshot) -> _Change | None:
    """Blocking; None when it is too much to lay over a tree."""
    paths = [
        path
        for path in sorted(before.entries.keys() | now.entries.keys())
        if before.entries.get(path) != now.entries.get(path)
    ]
    if len(paths) > MOST_FILES:
        return None
    files: dict[str, FileChange] = {}
    edits: dict[str, Edit] = {}
    for path in paths:
        entry = now.entries.get(path)
        content = None if entry is None else now.read(path)
        files[path] = FileChange(content) if entry is None else FileChange(content, entry.mode)
        edits[path] = Edit(_text(before, path), None if content is None else _decoded(content))
    return _Change(Patch(files), edits)


def _text(snapshot: Snapshot, path: str) -> str | None:
    return _decoded(snapshot.read(path)) if snapshot.exists(path) else None


def _decoded(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
