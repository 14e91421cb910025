"""A fix for a tree that moved on, or a part of a fix, or its rival: taken along where edits do not meet it,
and proved anew before it may be written."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from untilgreen.choosing import WHOLE, Choice, chosen_patch
from untilgreen.desk import Content, Desk
from untilgreen.diff import unified_diff
from untilgreen.errors import WorkspaceChanged
from untilgreen.events import Event, Shifted
from untilgreen.ground import Grounds
from untilgreen.job import Job
from untilgreen.model import FileChange, Patch, Verdict
from untilgreen.settings import Settings
from untilgreen.shifting import shift
from untilgreen.solve.again import Proved, verify_again
from untilgreen.workspace import Snapshot, digest_of


@dataclass(frozen=True, slots=True)
class Fix:
    """What may be written now."""

    verdict: Verdict
    expected: Mapping[str, Content]
    """What the files must still be at that moment."""


async def move_along(
    job: Job,
    desk: Desk,
    grounds: Grounds,
    settings: Settings,
    tell: Callable[[Event], None],
    alone: Callable[[], AbstractContextManager[object]],
    choice: Choice = WHOLE,
) -> Fix:
    """The job's own verdict when all of it is wanted and nothing has changed, in whatever file.

    Else WorkspaceChanged, or one that was verified anew.
    """
    verdict, snapshot = job.verdict, job.snapshot
    assert verdict is not None and snapshot is not None
    patch = chosen_patch(verdict, choice)
    others = differences(snapshot, await grounds.look(job.goal.root, desk, settings)) - patch.files.keys()
    now = {path: await desk.read(path) for path in patch.paths}
    changed = [path for path in now if not is_as_seen(snapshot, path, now[path])]
    if not changed and not others and patch.files == verdict.patch.files:
        return Fix(verdict, now)
    names = _named([*changed, *sorted(others)])
    moved = await asyncio.to_thread(_moved, patch, job.pristine, now, changed)
    if moved is None:
        raise WorkspaceChanged(
            f"You changed {_named(changed)} meanwhile, where the fix goes; nothing was written. Solve again."
        )

    def emit(event: Event) -> None:
        job.note(event)
        tell(event)

    with alone():
        ground = await grounds.prepare(job.goal.root, desk, settings, emit)
        if not all(is_as_seen(ground.snapshot, path, now[path]) for path in now):
            what = _named(changed or list(now))
            raise WorkspaceChanged(f"You are changing {what} just now; nothing was written. Solve again.")
        proved = await verify_again(
            job.goal,
            ground.snapshot,
            ground.bench,
            moved,
            verdict.fixed,
            lambda plan: ground.protection(plan, may_change_tests=job.goal.may_change_tests),
            emit,
            some=bool(choice.files),
            verify_seconds=ground.settings.verify_seconds,
        )
    if isinstance(proved, str):
        raise WorkspaceChanged(_refusal(names, proved))
    if changed:
        emit(Shifted(tuple(changed)))
    diff = unified_diff(lambda path: now[path].data, moved)
    since = _since(_named(changed), _named(sorted(others)))
    return Fix(dataclasses.replace(_anew(verdict, proved, choice, since), patch=moved, diff=diff), now)


def differences(one: Snapshot, other: Snapshot) -> set[str]:
    """The files that are not the same in both."""
    if one.digest == other.digest:
        return set()
    return {path for path, _ in one.entries.items() ^ other.entries.items()}


def _since(moved: str, others: str) -> str:
    if moved:
        return f" You edited {moved} meanwhile: the fix moved along with your lines and was verified again."
    return f" {others} changed meanwhile: the fix was verified again." if others else ""


def _named(paths: list[str]) -> str:
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return ", ".join(paths[:3]) + more


def _anew(verdict: Verdict, proved: Proved, choice: Choice, since: str) -> Verdict:
    left = tuple(test_id for test_id in verdict.fixed if test_id not in proved.fixed)
    said = verdict.reason
    if choice != WHOLE:
        what = f"rival {choice.rival}" if choice.rival else f"{', '.join(choice.files)} alone"
        said = f"{len(proved.fixed)} of {len(verdict.fixed)} tests pass with {what}: verified again."
    return dataclasses.replace(
        verdict,
        kind="better" if left or verdict.kind == "better" else verdict.kind,
        reason=said + since,
        after=proved.proof.report,
        fixed=proved.fixed,
        still_failing=(*verdict.still_failing, *left),
        findings=proved.findings,
        weak=proved.proof.weak,
        scope=proved.proof.scope,
    )


def _refusal(changed: str, why: str) -> str:
    if changed:
        return (
            f"You changed {changed} meanwhile, and with your edits the fix does not hold; "
            f"nothing was written. {why} Solve again."
        )
    return f"This does not hold by itself; nothing was written. {why}"


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


def is_as_seen(snapshot: Snapshot, path: str, content: Content) -> bool:
    """Whether a file is what the snapshot saw, or is as missing as it was there."""
    entry = snapshot.entries.get(path)
    digest = "" if content.data is None else digest_of(content.data)
    return digest == ("" if entry is None else entry.digest)
