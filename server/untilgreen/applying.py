"""Writing a verified fix, and taking it back. The user's edits win over both."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path

from untilgreen.desk import Content, Desk
from untilgreen.diff import unified_diff
from untilgreen.errors import EditedSince, NothingToUndo
from untilgreen.events import Applied, JobStarted, Undone
from untilgreen.inverse import Inverse, inverse
from untilgreen.job import Job
from untilgreen.journal import Journal, new_job_id
from untilgreen.lock import Lock, acquire
from untilgreen.model import FileChange, Patch
from untilgreen.shifting import contains, dressed
from untilgreen.unbroken import unbroken
from untilgreen.undo_records import UndoRecord

_PATIENCE_SECONDS = 20.0
_MOST_BACK = 20
"""Of the fixes that were taken out by hand so many are looked for again."""


async def write_fix(
    journal: Journal, job: Job, desk: Desk, patch: Patch, expected: Mapping[str, Content]
) -> None:
    """Write a verified patch, all of it or nothing; its undo is kept first."""
    root = job.goal.root
    async with _writing(journal, root, f"writing the fix of job {job.id}"):
        record = _record(job.id, root, desk, patch, expected)
        await _begin(journal, record)
        try:
            await desk.write(patch, expected)
        except BaseException:
            # A disk takes all or nothing; an editor may have taken a part.
            await _stands(journal, record, await _read(desk, patch.paths))
            raise
        # It was written: whatever is in a file beside it by now, the user typed.
        await _stands(journal, record, await _read(desk, patch.paths), patch.paths)
    job.note(Applied(patch.paths, desk.where))


async def note_taken(
    journal: Journal, job: Job, desk: Desk, patch: Patch, pristine: Mapping[str, bytes | None]
) -> tuple[str, ...]:
    """An editor made the edit by itself: an undo is kept for what really holds it. Returns those files."""
    root = job.goal.root
    before = {path: Content(pristine.get(path)) for path in patch.paths}
    async with _writing(journal, root, f"noting the fix of job {job.id}"):
        record = _record(job.id, root, desk, patch, before)
        await _begin(journal, record)
        taken = await _stands(journal, record, await _read(desk, patch.paths))
    if taken:
        job.note(Applied(taken, desk.where))
    return taken


async def note_gone(journal: Journal, root: Path, desk: Desk, job_id: str) -> None:
    """A fix that the user took out by hand counts as undone; one that is still in the files does not."""
    async with _writing(journal, root, f"looking for the fix of job {job_id}"):
        if journal.undo.state(job_id) != "applied":
            return
        record = journal.undo.find(root, job_id)
        now = {path: content.data for path, content in (await _read(desk, record.before)).items()}
        back = await asyncio.to_thread(inverse, record, now)
        if not back.patch:
            await unbroken(journal.undo.mark, job_id, applied=False)


async def undo_fix(
    journal: Journal,
    root: Path,
    desk: Desk,
    job_id: str | None,
    cause: str,
    *,
    force: bool,
    by: str = "",
) -> Undone:
    """Take the fix out of the files; what was edited beside it stays. It can itself be undone.

    Refuses when edits meet it, unless forced to lose those.
    """
    async with _writing(journal, root, f"undoing job {job_id}" if job_id else "undoing the last fix"):
        record, now, back = await _standing(journal, root, desk, job_id)
        if back.met and not force:
            raise _edited_since(record, now, back.met, desk)
        mine = _record(by or new_job_id(), root, desk, back.patch, now, undoes=record.job)
        await _begin(journal, mine)
        try:
            await desk.write(back.patch, {path: now[path] for path in back.patch.paths})
        except BaseException:
            await _taken_back_in_part(journal, record, mine, await _read(desk, back.patch.paths))
            raise
        await unbroken(journal.undo.finish, mine)
    undone = Undone(record.job, mine.job, back.patch.paths, desk.where)
    log = journal.start(mine.job, root)
    log.append(JobStarted("undo", root, (), cause))
    log.append(undone)
    return undone


async def _standing(
    journal: Journal, root: Path, desk: Desk, job_id: str | None
) -> tuple[UndoRecord, dict[str, Content], Inverse]:
    """What is to be undone, its files as they are now, and the way back."""
    while True:
        try:
            # All records may have to be read.
            record = await asyncio.to_thread(journal.undo.find, root, job_id)
        except NothingToUndo:
            if (back_again := await _came_back(journal, root, desk, job_id)) is None:
                raise
            await unbroken(journal.undo.mark, back_again.job, applied=True)
            continue
        now = await _read(desk, record.before)
        data = {path: content.data for path, content in now.items()}
        back = await asyncio.to_thread(inverse, record, data)
        if back.patch:
            return record, now, back
        # Somebody took it back by hand; an older one may be left.
        await unbroken(journal.undo.mark, record.job, applied=False)


async def can_undo(journal: Journal, root: Path, desk: Desk) -> bool:
    """Whether a fix of this workspace is in its files, also one that was taken out by hand and came back."""
    written = await asyncio.to_thread(journal.undo.stands, root)
    return written or await _came_back(journal, root, desk, None) is not None


async def _came_back(journal: Journal, root: Path, desk: Desk, job_id: str | None) -> UndoRecord | None:
    """A fix that was taken out by hand and is in its files again, if there is one: it stands."""
    records = await asyncio.to_thread(
        lambda: list(islice(journal.undo.out_by_hand(root, job_id), _MOST_BACK))
    )
    for record in records:
        now = {path: content.data for path, content in (await _read(desk, record.before)).items()}
        back = await asyncio.to_thread(inverse, record, now)
        if back.patch and not back.met:
            return record
    return None


def _record(
    job: str, root: Path, desk: Desk, patch: Patch, now: Mapping[str, Content], undoes: str = ""
) -> UndoRecord:
    before = {
        path: FileChange(now[path].data, _mode(root / path, change.mode), exact_mode=True)
        for path, change in patch
    }
    after = {path: change.content for path, change in patch}
    return UndoRecord(job, root, before, after, _missing_folders(root, patch), desk.where, undoes)


async def _begin(journal: Journal, record: UndoRecord) -> None:
    """Nothing is written before this returns. A disk may take its time, and no editor waits for it."""
    try:
        await unbroken(journal.undo.begin, record)
    except asyncio.CancelledError:
        # Nobody will write what it was kept for.
        journal.undo.drop(record.job)
        raise


async def _stands(
    journal: Journal, record: UndoRecord, now: Mapping[str, Content], sure: Collection[str] = ()
) -> tuple[str, ...]:
    """An undo is offered for what really holds our fix: an editor may refuse a part, or all of it."""
    taken = tuple(
        path
        for path, after in record.after.items()
        if path in sure or contains(record.before[path].content, after, now[path].data)
    )
    if taken:
        await unbroken(journal.undo.finish, _only(record, taken, now))
    else:
        journal.undo.drop(record.job)
    return taken


async def _taken_back_in_part(
    journal: Journal, record: UndoRecord, mine: UndoRecord, now: Mapping[str, Content]
) -> None:
    """An undo that was refused: what is left of the fix can still be undone."""
    if not (taken := await _stands(journal, mine, now)):
        return
    if left := [path for path in record.before if path not in taken]:
        before, after = (
            {path: record.before[path] for path in left},
            {path: record.after[path] for path in left},
        )
        await unbroken(journal.undo.finish, dataclasses.replace(record, before=before, after=after))


def _only(record: UndoRecord, paths: Collection[str], now: Mapping[str, Content]) -> UndoRecord:
    """The record of a part, with the line ends and marks that its files have now."""
    after = {path: _as_it_is(record.after[path], now[path].data) for path in paths}
    return dataclasses.replace(record, before={path: record.before[path] for path in paths}, after=after)


def _as_it_is(content: bytes | None, now: bytes | None) -> bytes | None:
    return content if content is None or now is None else dressed(content, now)


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


def _edited_since(
    record: UndoRecord, now: Mapping[str, Content], edited: tuple[str, ...], desk: Desk
) -> EditedSince:
    edits = Patch({path: FileChange(now[path].data, record.before[path].mode) for path in edited})
    names, was = ", ".join(edited), "was" if len(edited) == 1 else "were"
    said = f"{names} {was} edited since, just where the fix is; nothing was changed."
    # An editor asks whether those edits may go; who sits at a terminal has to say so.
    way = " Use --force to lose those edits." if desk.where == "disk" else ""
    return EditedSince(said + way, unified_diff(record.after.get, edits))


async def _read(desk: Desk, paths: Iterable[str]) -> dict[str, Content]:
    return {path: await desk.read(path) for path in paths}


def _missing_folders(root: Path, patch: Patch) -> tuple[str, ...]:
    created = [path.split("/") for path, change in patch if change.content is not None]
    folders = {"/".join(parts[:depth]) for parts in created for depth in range(1, len(parts))}
    return tuple(sorted(folder for folder in folders if not (root / folder).exists()))


def _mode(path: Path, otherwise: int) -> int:
    try:
        return path.stat(follow_symlinks=False).st_mode & 0o777
    except OSError:
        return otherwise
