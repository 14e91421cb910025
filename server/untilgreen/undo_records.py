"""What it takes to undo: kept before anything is written, and true whenever a process is killed.

A record is `pending` while its write is under way, `json` when the write stands, `undone` when it was taken
back. An undo has a record of its own, which names what it undoes: undoing that one is a redo.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from untilgreen.errors import NothingToUndo, WorkspaceError
from untilgreen.intent import content_of, locate, write_atomic
from untilgreen.model import FileChange
from untilgreen_sandbox.owner import Owner, is_gone, this_process

State = Literal["", "applied", "undone"]

JOB_ID = re.compile(r"[0-9a-z][0-9a-z-]{0,63}")


@dataclass(frozen=True, slots=True)
class UndoRecord:
    """How the files of one job were before it, and what they must still be for an undo."""

    job: str
    root: Path
    before: Mapping[str, FileChange]
    """A change back to what was there; without content: the job created the file."""
    after: Mapping[str, bytes | None]
    """What the job wrote; None: it deleted the file."""
    folders: tuple[str, ...] = ()
    """The folders that the job created, outermost first."""
    where: Literal["disk", "editor"] = "disk"
    undoes: str = ""
    """The job that this one took back; empty for a fix."""


class UndoRecords:
    """All records of all workspaces. Whoever changes something here holds the lock to write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self, record: UndoRecord) -> None:
        """Keep it before anything is written, so that no write is without its undo."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(self._path(record.job, "pending"), _encode(record))

    def finish(self, record: UndoRecord) -> None:
        """The write stands: from now on it can be undone, and what it undid cannot."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(self._path(record.job, "json"), _encode(record))
        self._path(record.job, "undone").unlink(missing_ok=True)
        if record.undoes:
            self.mark(record.undoes, applied=False)
            self._remove_folders(record.undoes)
        # Last of all: as long as it is there, all of this is done again after a kill.
        self._path(record.job, "pending").unlink(missing_ok=True)

    def drop(self, job: str) -> None:
        """The write never happened."""
        self._path(job, "pending").unlink(missing_ok=True)

    def mark(self, job: str, *, applied: bool) -> None:
        """Whether the job's write stands. When an undo stands, what it undid does not, and so on."""
        stands, undone = self._path(job, "json"), self._path(job, "undone")
        old, new = (undone, stands) if applied else (stands, undone)
        with contextlib.suppress(FileNotFoundError):
            old.replace(new)
        record = _load(new)
        if record is not None and record.undoes:
            self.mark(record.undoes, applied=not applied)

    def find(self, root: Path, job: str | None = None) -> UndoRecord:
        """The newest fix of this workspace that stands, or the one of this job."""
        if job is not None:
            return self._of(root, job)
        for record in self._all("json"):
            if not record.undoes and one_name(record.root) == one_name(root):
                return record
        last = next((r for r in self._all("json") if r.undoes and one_name(r.root) == one_name(root)), None)
        way = f" To take the last undo back: untilgreen undo {last.job}" if last is not None else ""
        raise NothingToUndo(f"No fix in {root} is left to undo.{way}")

    def stands(self, root: Path) -> bool:
        """Whether there is something to undo."""
        return any(
            not record.undoes and one_name(record.root) == one_name(root) for record in self._all("json")
        )

    def undone(self, root: Path) -> Iterator[UndoRecord]:
        """Fixes of this workspace that were taken back, the newest first."""
        for record in self._all("undone"):
            if not record.undoes and one_name(record.root) == one_name(root):
                yield record

    def out_by_hand(self, root: Path, job: str | None = None) -> Iterator[UndoRecord]:
        """Fixes that were found to be out of their files though no undo took them out, the newest first, or
        the one of this job: files may be brought back, too, as by a change of branches."""
        taken_out = {record.undoes for record in self._all("json") if record.undoes}
        for record in self.undone(root):
            if record.job not in taken_out and job in (None, record.job):
                yield record

    def state(self, job: str) -> State:
        if self._path(job, "json").exists():
            return "applied"
        return "undone" if self._path(job, "undone").exists() else ""

    def settle(self) -> None:
        """Decide what processes left pending that are gone: did their write happen or not?"""
        for path in sorted(self.folder.glob("*.pending")):
            record, owner = _load(path), _owner(path)
            if owner is not None and not is_gone(owner):
                continue
            if record is None or (record.where == "disk" and _never_happened(record)):
                path.unlink(missing_ok=True)
            else:
                self.finish(record)

    def _of(self, root: Path, job: str) -> UndoRecord:
        if not JOB_ID.fullmatch(job):
            raise NothingToUndo(f"{job!r} is not the name of a job. `untilgreen history` lists them.")
        if self.state(job) == "undone":
            by = next((record.job for record in self._all("json") if record.undoes == job), "")
            way = f" To take that back: untilgreen undo {by}" if by else ""
            raise NothingToUndo(f"Job {job} is undone already.{way}")
        record = _load(self._path(job, "json"))
        if record is None:
            raise NothingToUndo(f"Job {job} wrote nothing that could be undone.")
        if one_name(record.root) != one_name(root):
            raise NothingToUndo(f"Job {job} belongs to {record.root}. Run the undo there.")
        return record

    def _remove_folders(self, job: str) -> None:
        """Those that the job had made, when nobody else has put something into them."""
        record = _load(self._path(job, "undone"))
        if record is None:
            return
        for folder in reversed(record.folders):
            with contextlib.suppress(OSError):
                (record.root / folder).rmdir()

    def _all(self, suffix: str) -> Iterator[UndoRecord]:
        """The newest first; what cannot be read is nothing to rely on."""
        for path in sorted(self.folder.glob(f"*.{suffix}"), reverse=True):
            if (record := _load(path)) is not None:
                yield record

    def _path(self, job: str, suffix: Literal["pending", "json", "undone"]) -> Path:
        return self.folder / f"{job}.{suffix}"


def one_name(root: Path) -> str:
    """One name for a workspace, however somebody came to it."""
    return os.path.normcase(root.resolve())


def _never_happened(record: UndoRecord) -> bool:
    """True when every file is as it was before."""
    try:
        return all(
            content_of(locate(record.root, path)) == change.content for path, change in record.before.items()
        )
    except (OSError, WorkspaceError):
        return False


def _encode(record: UndoRecord) -> bytes:
    value = {
        "v": 2,
        "job": record.job,
        "root": one_name(record.root),
        "owner": this_process().text(),
        "before": {path: [_text(change.content), change.mode] for path, change in record.before.items()},
        "after": {path: _text(content) for path, content in record.after.items()},
        "folders": record.folders,
        "where": record.where,
        "undoes": record.undoes,
    }
    return json.dumps(value).encode()


def _load(path: Path) -> UndoRecord | None:
    """None when there is no such record, or when it cannot be read."""
    try:
        value: dict[str, Any] = json.loads(path.read_bytes())
        before = {
            name: FileChange(_bytes(text), int(mode), exact_mode=True)
            for name, (text, mode) in value["before"].items()
        }
        after = {name: _bytes(text) for name, text in value["after"].items()}
        if before.keys() != after.keys():
            return None
        where: Literal["disk", "editor"] = "editor" if value["where"] == "editor" else "disk"
        folders = tuple(str(folder) for folder in value["folders"])
        undoes = str(value["undoes"])
        return UndoRecord(str(value["job"]), Path(value["root"]), before, after, folders, where, undoes)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _owner(path: Path) -> Owner | None:
    try:
        return Owner.parse(str(json.loads(path.read_bytes())["owner"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _text(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)
