"""Which old jobs make room for new ones: by age and by size, and undo records last of all."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from untilgreen.errors import Busy
from untilgreen.lock import acquire
from untilgreen_sandbox.owner import Owner, is_gone

_DAY = 86400.0
# What goes first when there is no room: a log is a story, an undo record is somebody's work.
_ORDER = ("reviews", "trees", "evidence", "jobs", "undone", "undo")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of the past is kept."""

    megabytes: int = 200
    days: int = 90
    jobs: int = 5000


@dataclass(frozen=True, slots=True)
class Stored:
    """One file of the journal."""

    path: Path
    kind: str
    """One of the kinds above; `used` is never dropped."""
    size: int
    age: float
    """In seconds since it was last changed."""


def prune(folder: Path, locks: Path, limits: Limits) -> None:
    """Remove what is too old or too much. Somebody else who does it just now is enough."""
    try:
        with acquire(locks, folder, "prune", "making room in the journal"):
            for stored in too_much(look(folder), limits):
                if not (stored.kind == "jobs" and in_use(stored.path)):
                    stored.path.unlink(missing_ok=True)
    except Busy:
        return


def look(folder: Path) -> list[Stored]:
    """All that may ever be dropped; a write that is under way is not."""
    now, found = time.time(), []
    for room in ("reviews", "trees", "evidence", "jobs", "undo"):
        place = folder / room
        for path in place.iterdir() if place.is_dir() else ():
            try:
                status = path.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            age = now - status.st_mtime
            kind = {".undone": "undone", ".pending": "used"}.get(path.suffix, room)
            if path.suffix == ".tmp":
                kind = "trees" if age > _DAY else "used"
            found.append(Stored(path, kind, status.st_size, age))
    return found


def too_much(stored: Sequence[Stored], limits: Limits) -> list[Stored]:
    """What has to go. The newest of each kind always stays, and fixes that stand know no age."""
    dropped: list[Stored] = []
    left = sum(one.size for one in stored)
    for kind in _ORDER:
        # By name: job ids sort by time. Trees are named by digest, so their times must do.
        some = [one for one in stored if one.kind == kind]
        some.sort(key=lambda one: (-one.age if kind == "trees" else 0.0, one.path.name))
        many = len(some) - limits.jobs if kind == "jobs" else 0
        for n, one in enumerate(some[:-1]):
            old = one.age > limits.days * _DAY and kind != "undo"
            if old or n < many or left > limits.megabytes << 20:
                dropped.append(one)
                left -= one.size
    return dropped


def in_use(log: Path) -> bool:
    """Whether a living process still writes this log: it began a job and has not ended it."""
    try:
        with log.open("rb") as file:
            first = file.readline()
            owner = Owner.parse(str(json.loads(first).get("owner", "")))
            if owner is None or is_gone(owner):
                return False
            return not any(
                b'"type":"finished"' in line[:200] or b'"type":"failed"' in line[:200] for line in file
            )
    except (OSError, ValueError, AttributeError):
        return False
