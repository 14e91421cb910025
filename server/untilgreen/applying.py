"""Writing a verified fix, and taking it back. The user's edits win over both."""

from __future__ import annotations

import asyncio
import codecs
import dataclasses
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from untilgreen.desk import Content, Desk
from untilgreen.diff import unified_diff
from untilgreen.errors import EditedSince
from untilgreen.events import Applied, JobStarted, Undone
from untilgreen.job import Job
from untilgreen.journal import Journal, new_job_id
from untilgreen.lock import Lock, acquire
from untilgreen.model import FileChange, Patch
from untilgreen.undo_records import UndoRecord

_PATIENCE_SECONDS = 20.0


async def write_fix(
    journal: Journal, job: Job, desk: Desk, patch: Patch, expected: Mapping[str, Content]
) -> None:
    """Write a verified patch, all of it or nothing; its undo is kept first."""
    root = job.goal.root
    async with _writing(journal, root, f"writing the fix of job {job.id}"):
        record = _record(job.id, root, desk, patch, expected)
        journal.undo.begin(record)
        try:
            await desk.write(patch, expected)
        finally:
            await _note_outcome(journal, patch, record, desk)
    job.note(Applied(patch.paths, desk.where))


async def note_taken(
    journal: Journal, job: Job, desk: Desk, patch: Patch, pristine: Mapping[str, bytes | None]
) -> tuple[str, ...]:
    """An editor made the edit by itself: an undo is kept for what really holds it. Returns those files."""
    root = job.goal.root
    before = {path: Content(pristine.get(path)) for path in patch.paths}
    async with _writing(journal, root, f"noting the fix of job {job.id}"):
        record = _record(job.id, root, desk, patch, before)
        journal.undo.begin(record)
        taken = await _note_outcome(journal, patch, record, desk)
    if taken:
        job.note(Applied(taken, desk.where))
    return taken


async def undo_fix(
    journal: Journal, root: Path, desk: Desk, job_id: str | None, cause: str, *, force: bool
) -> Undone:
    """Give the files back; refuses when they were edited since, unless forced. It can itself be undone."""
    async with _writing(journal, root, f"undoing job {job_id}" if job_id else "undoing the last fix"):
        record, now = await _standing(journal, root, desk, job_id)
        edited = [path for path, content in now.items() if content.data != record.after[path]]
        if edited and not force:
            raise _edited_since(record, now, edited)
        back = Patch(record.before)
        mine = _record(new_job_id(), root, desk, back, now, undoes=record.job)
        journal.undo.begin(mine)
        try:
            await desk.write(back, now)
        except BaseException:
            # A disk takes all or nothing; an editor may have taken a part.
            if _happened(Patch(mine.before), await _read(desk, back)):
                journal.undo.drop(mine.job)
            else:
                journal.undo.finish(mine)
            raise
        journal.undo.finish(mine)
    undone = Undone(record.job, mine.job, back.paths, desk.where)
    log = journal.start(mine.job, root)
    log.append(JobStarted("undo", root, (), cause))
    log.append(undone)
    return undone


async def _standing(
    journal: Journal, root: Path, desk: Desk, job_id: str | None
) -> tuple[UndoRecord, dict[str, Content]]:
    """What is to be undone, and its files as they are now."""
    while True:
        record = journal.undo.find(root, job_id)
        now = await _read(desk, Patch(record.before))
        if not _happened(Patch(record.before), now):
            return record, now
        # Somebody took it back by hand; an older one may be left.
        journal.undo.mark(record.job, applied=False)


def _record(
    job: str, root: Path, desk: Desk, patch: Patch, now: Mapping[str, Content], undoes: str = ""
) -> UndoRecord:
    before = {
        path: FileChange(now[path].data, _mode(root / path, change.mode), exact_mode=True)
        for path, change in patch
    }
    after = {path: change.content for path, change in patch}
    return UndoRecord(job, root, before, after, _missing_folders(root, patch), desk.where, undoes)


async def _note_outcome(journal: Journal, patch: Patch, record: UndoRecord, desk: Desk) -> tuple[str, ...]:
    """An undo is offered for what really holds our fix: an editor may refuse a part, or all of it."""
    now = await _read(desk, patch)
    taken = tuple(path for path, change in patch if _same_lines(now[path].data, change.content))
    if not taken:
        journal.undo.drop(record.job)
        return ()
    before = {path: record.before[path] for path in taken}
    after = {path: now[path].data for path in taken}
    journal.undo.finish(dataclasses.replace(record, before=before, after=after))
    return taken


@asynccontextmanager
async def _writing(journal: Journal, root: Path, what: str) -> AsyncIterator[None]:
    """Alone with the files of a workspace; whoever else writes needs a moment only."""
    waiting = asyncio.ensure_future(
        asyncio.to_thread(acquire, journal.locks, root, "write", what, wait=_PATIENCE_SECONDS)
    )
    try:
        lock = await asyncio.shield(waiting)
    except asyncio.CancelledError:
        # A thread cannot be stopped: it may still get the lock, and nobody would give it back.
        waiting.add_done_callback(_release)
        raise
    with lock:
        yield


def _release(got: asyncio.Future[Lock]) -> None:
    if not got.cancelled() and got.exception() is None:
        got.result().release()


def _edited_since(record: UndoRecord, now: Mapping[str, Content], edited: list[str]) -> EditedSince:
    edits = Patch({path: FileChange(now[path].data, record.before[path].mode) for path in edited})
    names, was = ", ".join(edited), "was" if len(edited) == 1 else "were"
    return EditedSince(
        f"{names} {was} edited since; nothing was changed. Use --force to lose those edits.",
        unified_diff(record.after.get, edits),
    )


async def _read(desk: Desk, patch: Patch) -> dict[str, Content]:
    return {path: await desk.read(path) for path in patch.paths}


def _happened(patch: Patch, now: Mapping[str, Content]) -> bool:
    return all(now[path].data == change.content for path, change in patch)


def _missing_folders(root: Path, patch: Patch) -> tuple[str, ...]:
    created = [path.split("/") for path, change in patch if change.content is not None]
    folders = {"/".join(parts[:depth]) for parts in created for depth in range(1, len(parts))}
    return tuple(sorted(folder for folder in folders if not (root / folder).exists()))


def _mode(path: Path, otherwise: int) -> int:
    try:
        return path.stat(follow_symlinks=False).st_mode & 0o777
    except OSError:
        return otherwise


def _same_lines(one: bytes | None, other: bytes | None) -> bool:
    """An editor keeps its own line ends and byte order mark, whatever it was sent."""
    if one is None or other is None:
        return one is other
    return _bare(one) == _bare(other)


def _bare(data: bytes) -> bytes:
    return data.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
