"""Writing a verified fix, and taking it back. The user's edits win over both."""

from __future__ import annotations

import codecs
import dataclasses
from pathlib import Path

from untilgreen.desk import Content, Desk
from untilgreen.errors import NothingToUndo, WorkspaceChanged
from untilgreen.events import Applied
from untilgreen.job import Job
from untilgreen.journal import Journal, UndoRecord
from untilgreen.model import FileChange, Patch
from untilgreen.workspace import Snapshot, digest_of


async def apply_fix(journal: Journal, job: Job, desk: Desk) -> tuple[str, ...]:
    """Write the patch of a job's verdict, all of it or nothing; its undo is kept first."""
    assert job.verdict is not None and job.snapshot is not None
    patch = job.verdict.patch
    expected = {path: await desk.read(path) for path in patch.paths}
    if changed := [path for path in patch.paths if not _is_as_seen(job.snapshot, path, expected[path])]:
        names = ", ".join(changed)
        raise WorkspaceChanged(f"You changed {names} meanwhile; nothing was written. Solve again.")
    record = _undo_record(job, job.snapshot, patch, expected)
    journal.save_undo(record)
    try:
        await desk.write(patch, expected)
    finally:
        await _note_outcome(journal, patch, record, desk)
    job.note(Applied(patch.paths, desk.where))
    return patch.paths


async def undo_fix(
    journal: Journal, root: Path, desk: Desk, job_id: str | None, *, force: bool
) -> tuple[str, ...]:
    """Give the files back; refuses when they were edited since, unless forced."""
    record = journal.load_undo(root, job_id)
    now = {path: await desk.read(path) for path in record.before}
    if all(now[path].data == change.content for path, change in record.before.items()):
        # Its write never happened, or somebody took it back by hand; an older one may be left.
        journal.mark_undone(record.job)
        return await undo_fix(journal, root, desk, job_id, force=force)
    edited = [path for path, content in now.items() if _digest(content) != record.after[path]]
    if edited and not force:
        raise NothingToUndo(
            f"{', '.join(edited)} was edited since; nothing was changed. Use --force to lose those edits."
        )
    await desk.write(Patch(record.before), now)
    journal.mark_undone(record.job)
    return tuple(sorted(record.before))


async def _note_outcome(journal: Journal, patch: Patch, record: UndoRecord, desk: Desk) -> None:
    """An undo is offered for what really holds our fix: an editor may refuse a part, or all of it."""
    now = {path: await desk.read(path) for path in patch.paths}
    taken = [path for path, change in patch if _same_lines(now[path].data, change.content)]
    if not taken:
        journal.mark_undone(record.job)
        return
    before = {path: record.before[path] for path in taken}
    after = {path: _digest(now[path]) for path in taken}
    journal.save_undo(dataclasses.replace(record, before=before, after=after))


def _undo_record(job: Job, snapshot: Snapshot, patch: Patch, before: dict[str, Content]) -> UndoRecord:
    modes = {path: entry.mode for path, entry in snapshot.entries.items()}
    return UndoRecord(
        job.id,
        job.goal.root,
        {path: FileChange(content.data, modes.get(path, 0o644)) for path, content in before.items()},
        {path: _digest(Content(change.content)) for path, change in patch},
    )


def _same_lines(one: bytes | None, other: bytes | None) -> bool:
    """An editor keeps its own line ends and byte order mark, whatever it was sent."""
    if one is None or other is None:
        return one is other
    return _bare(one) == _bare(other)


def _bare(data: bytes) -> bytes:
    return data.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")


def _is_as_seen(snapshot: Snapshot, path: str, content: Content) -> bool:
    entry = snapshot.entries.get(path)
    return _digest(content) == ("" if entry is None else entry.digest)


def _digest(content: Content) -> str:
    return "" if content.data is None else digest_of(content.data)
