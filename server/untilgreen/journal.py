"""Every job on disk: what happened as JSON lines, what it takes to undo it and to check it again."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import platformdirs

from untilgreen.events import Event, to_json
from untilgreen.evidence import EvidenceRoom
from untilgreen.pruning import Limits, prune
from untilgreen.undo_records import JOB_ID, UndoRecords
from untilgreen_sandbox.owner import Owner, this_process

_PRUNE_EVERY_SECONDS = 3600.0


class Journal:
    """The folder of all jobs. It holds source code of every project, so only its user may read it."""

    def __init__(self, folder: Path, limits: Limits = Limits()) -> None:  # noqa: B008 - it is frozen
        self.folder = folder
        self.limits = limits
        self._jobs = folder / "jobs"
        self.undo = UndoRecords(folder / "undo")
        self.evidence = EvidenceRoom(folder)
        self._pruned = float("-inf")

    @property
    def intents(self) -> Path:
        """Where the disk desk keeps what it is about to write."""
        return self.folder / "intents"

    @property
    def locks(self) -> Path:
        """Where processes say that they work in a workspace."""
        return self.folder / "locks"

    def start(self, job_id: str, root: Path) -> JobLog:
        """A new log; now and then the oldest jobs make room for it."""
        for folder in (self.folder, self._jobs):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if time.monotonic() - self._pruned > _PRUNE_EVERY_SECONDS:
            self._pruned = time.monotonic()
            prune(self.folder, self.locks, self.limits)
        return JobLog(job_id, root, self._jobs / f"{job_id}.jsonl")

    def jobs(self) -> Iterator[str]:
        """All jobs, the newest first."""
        if self._jobs.is_dir():
            names = (path.name for path in self._jobs.iterdir() if path.suffix == ".jsonl")
            yield from sorted((name.removesuffix(".jsonl") for name in names), reverse=True)

    def lines(self, job: str) -> Iterator[dict[str, Any]]:
        """What was kept of a job; a line that a killed process left half written is passed over."""
        if not JOB_ID.fullmatch(job):
            return
        try:
            with (self._jobs / f"{job}.jsonl").open("rb") as file:
                for text in file:
                    try:
                        line = json.loads(text)
                    except (ValueError, RecursionError):
                        continue
                    if isinstance(line, dict) and isinstance(line.get("type"), str):
                        yield line
        except FileNotFoundError:
            return


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
        if self._seq == 0:
            # Whose job it is: that of a living process is not interrupted, and nobody may prune it.
            line["owner"] = this_process().text()
        self._seq += 1
        text = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        # Opened anew each time: a fix may be applied, and that noted, long after its job ended.
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with open(descriptor, "ab") as file:  # noqa: PTH123 - a descriptor has no path
            file.write(text)
        return line


def owner_of(line: Mapping[str, Any]) -> Owner | None:
    """Whose job this first line begins."""
    return Owner.parse(str(line.get("owner", "")))


def default_folder(environ: Mapping[str, str]) -> Path:
    """The user's state folder, or what UNTILGREEN_STATE names."""
    named = environ.get("UNTILGREEN_STATE", "")
    return Path(named) if named else platformdirs.user_state_path("untilgreen")


def new_job_id() -> str:
    """Milliseconds and six random digits, in hexadecimal: short, unique, and newer ones sort last."""
    return f"{time.time_ns() // 1_000_000:011x}-{secrets.token_hex(3)}"
