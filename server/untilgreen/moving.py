"""A fix for a tree that moved on: taken along with the user's edits where they do not meet, proved anew."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Mapping

from untilgreen.desk import Content, Desk
from untilgreen.diff import unified_diff
from untilgreen.errors import WorkspaceChanged
from untilgreen.events import Event, Shifted
from untilgreen.ground import Grounds
from untilgreen.job import Job
from untilgreen.model import FileChange, Patch, Verdict
from untilgreen.settings import Settings
from untilgreen.shifting import shift
from untilgreen.solve.again import verify_again
from untilgreen.workspace import Snapshot, digest_of


async def move_along(
    job: Job, desk: Desk, grounds: Grounds, settings: Settings, tell: Callable[[Event], None]
) -> tuple[Mapping[str, Content], Verdict]:
    """What the files must still be when they are written, and the verdict for them.

    The job's own when nothing it touches has changed; else WorkspaceChanged, or one that was verified anew.
    """
    verdict, snapshot = job.verdict, job.snapshot
    assert verdict is not None and snapshot is not None
    now = {path: await desk.read(path) for path in verdict.patch.paths}
    changed = [path for path in now if not _is_as_seen(snapshot, path, now[path])]
    if not changed:
        return now, verdict
    names = ", ".join(changed)
    moved = await asyncio.to_thread(_moved, verdict.patch, job.pristine, now, changed)
    if moved is None:
        raise WorkspaceChanged(
            f"You changed {names} meanwhile, where the fix goes; nothing was written. Solve again."
        )

    def emit(event: Event) -> None:
        job.note(event)
        tell(event)

    ground = await grounds.prepare(job.goal.root, desk, settings, emit)
    if not all(_is_as_seen(ground.snapshot, path, now[path]) for path in now):
        raise WorkspaceChanged(f"You are changing {names} just now; nothing was written. Solve again.")
    proved = await verify_again(
        job.goal,
        ground.snapshot,
        ground.bench,
        moved,
        verdict.fixed,
        lambda plan: ground.protection(plan, may_change_tests=job.goal.may_change_tests),
        emit,
    )
    if isinstance(proved, str):
        raise WorkspaceChanged(
            f"You changed {names} meanwhile, and with your edits the fix does not hold; nothing was written. "
            f"{proved} Solve again."
        )
    emit(Shifted(tuple(changed)))
    along = f"You edited {names} meanwhile: the fix moved along with your lines and was verified again."
    diff = unified_diff(lambda path: now[path].data, moved)
    reason = f"{verdict.reason} {along}"
    return now, dataclasses.replace(verdict, patch=moved, diff=diff, after=proved, reason=reason)


def _moved(
    patch: Patch, pristine: Mapping[str, bytes | None], now: Mapping[str, Content], changed: list[str]
) -> Patch | None:
    files: dict[str, FileChange] = dict(patch.files)
    for path in changed:
        base, ours, theirs = pristine.get(path), patch.files[path].content, now[path].data
        # Where a file came or went there are no lines to compare.
        if base is None or ours is None or theirs is None:
            return None
        content = shift(base, ours, theirs)
        if content is None:
            return None
        files[path] = dataclasses.replace(files[path], content=content)
    return Patch(files)


def _is_as_seen(snapshot: Snapshot, path: str, content: Content) -> bool:
    entry = snapshot.entries.get(path)
    digest = "" if content.data is None else digest_of(content.data)
    return digest == ("" if entry is None else entry.digest)
