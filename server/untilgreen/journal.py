"""Every job on disk: what happened as JSON lines, and what it takes to undo it."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from untilgreen.errors import NothingToUndo
from untilgreen.events import Event, to_json
from untilgreen.intent import write_atomic
from untilgreen.model import FileChange

KEPT_JOBS = 200

_JOB_ID = re.compile(r"[0-9a-z][0-9a-z-]{0,63}")


@dataclass(frozen=True, slots=True)
class UndoRecord:
    """How the files of one job were before it, and what they must still be for an undo."""

    job: str
    root: Path
    before: Mapping[str, FileChange]
    """A change back to what was there; without content: the job created the file."""
    after: Mapping[str, str]
    """Digest of what the job wrote; empty: it deleted the file."""


class Journal:
    """The folder of all jobs. It holds source code of every project, so only its user may read it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._jobs = folder / "jobs"
        self._undo = folder / "undo"

    @property
    def intents(self) -> Path:
        """Where the disk desk keeps what it is about to write."""
        return self.folder / "intents"

    def start(self, job_id: str, root: Path) -> JobLog:
        """A new log; the oldest jobs make room for it."""
        self._make_folders()
        _prune(self._jobs, keep=KEPT_JOBS - 1)
        # Watching makes many jobs and few fixes: the number of jobs must not decide what can be undone.
        _prune(self._undo, keep=KEPT_JOBS)
        return JobLog(job_id, root, self._jobs / f"{job_id}.jsonl")

    def save_undo(self, record: UndoRecord) -> None:
        """Keep it before anything is written, so that no write is without its undo."""
        self._make_folders()
        before = {path: [_text(change.content), change.mode] for path, change in record.before.items()}
        after = dict(record.after)
        value = {"v": 1, "job": record.job, "root": _name(record.root), "before": before, "after": after}
        write_atomic(self._undo / f"{record.job}.json", json.dumps(value).encode())

    def load_undo(self, root: Path, job: str | None = None) -> UndoRecord:
        """The newest record of this workspace that is not undone, or the one of this job."""
        if job is not None:
            return self._undo_of(root, job)
        for path in sorted(self._undo.glob("*.json"), reverse=True):
            record = _load_undo(path)
            if record and _name(record.root) == _name(root):
                return record
        raise NothingToUndo(f"No fix in {root} is left to undo.")

    def mark_undone(self, job: str) -> None:
        """Its record is not offered again; also for a record whose write never happened."""
        with contextlib.suppress(FileNotFoundError):
            (self._undo / f"{job}.json").replace(self._undo / f"{job}.undone")

    def _undo_of(self, root: Path, job: str) -> UndoRecord:
        if not _JOB_ID.fullmatch(job):
            raise NothingToUndo(f"{job!r} is not the name of a job. `untilgreen history` lists them.")
        if (self._undo / f"{job}.undone").exists():
            raise NothingToUndo(f"Job {job} is undone already, or it was never written.")
        record = _load_undo(self._undo / f"{job}.json")
        if record is None:
            raise NothingToUndo(f"Job {job} wrote nothing that could be undone.")
        if _name(record.root) != _name(root):
            raise NothingToUndo(f"Job {job} belongs to {record.root}. Run the undo there.")
        return record

    def _make_folders(self) -> None:
        for folder in (self.folder, self._jobs, self._undo):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


class JobLog:
    """The log of one job: one line per event, on disk before anybody else hears of it."""

    def __init__(self, job: str, root: Path, path: Path) -> None:
        self.job = job
        self.root = root
        self.path = path
        self._seq = 0

    def append(self, event: Event) -> dict[str, Any]:
        """Write the event; returns the line, for whoever else shows it."""
        line = to_json(event, job=self.job, seq=self._seq, t=time.time())
        self._seq += 1
        # Opened anew each time: a fix may be applied, and that noted, long after its job ended.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with os.fdopen(os.open(self.path, flags, 0o600), "a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        return line


def default_folder(environ: Mapping[str, str]) -> Path:
    """The user's state folder, or what UNTILGREEN_STATE names."""
    named = environ.get("UNTILGREEN_STATE", "")
    return Path(named) if named else platformdirs.user_state_path("untilgreen")


def new_job_id() -> str:
    """Milliseconds and six random digits, in hexadecimal: short, unique, and newer ones sort last."""
    return f"{time.time_ns() // 1_000_000:011x}-{secrets.token_hex(3)}"


def _prune(folder: Path, *, keep: int) -> None:
    names = sorted(path.name for path in folder.iterdir())
    for name in names[: max(0, len(names) - keep)]:
        (folder / name).unlink(missing_ok=True)


def _load_undo(path: Path) -> UndoRecord | None:
    """None when there is no such record, or when it cannot be read: it is then nothing to rely on."""
    try:
        value: dict[str, Any] = json.loads(path.read_bytes())
        before = {
            name: FileChange(None if text is None else base64.b64decode(text, validate=True), mode)
            for name, (text, mode) in value["before"].items()
        }
        return UndoRecord(value["job"], Path(value["root"]), before, value["after"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _text(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _name(root: Path) -> str:
    """One name for a workspace, however somebody came to it."""
    return os.path.normcase(root.resolve())
