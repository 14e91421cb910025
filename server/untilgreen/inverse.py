"""How a fix is taken out of files that may have been edited since. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from untilgreen.model import FileChange, Patch
from untilgreen.shifting import dressed, shift
from untilgreen.undo_records import UndoRecord


@dataclass(frozen=True, slots=True)
class Inverse:
    """The way back."""

    patch: Patch
    """What there is to write; edits of other lines stay. A file that is back by itself is not in it."""
    met: tuple[str, ...]
    """Files that were edited where the fix is: as the patch has them, those edits would be lost."""


def inverse(record: UndoRecord, now: Mapping[str, bytes | None]) -> Inverse:
    """Out of each file what the job put there, and nothing else."""
    files: dict[str, FileChange] = {}
    met: list[str] = []
    for path, change in record.before.items():
        merged = _without(change.content, record.after[path], now[path])
        if merged is None:
            met.append(path)
            files[path] = change
        elif merged.content != now[path]:
            files[path] = dataclasses.replace(change, content=merged.content)
    return Inverse(Patch(files), tuple(sorted(met)))


@dataclass(frozen=True, slots=True)
class _Merged:
    content: bytes | None


def _without(before: bytes | None, after: bytes | None, now: bytes | None) -> _Merged | None:
    """None when an edit and the fix meet."""
    if now in (before, after):
        return _Merged(before)
    # Where a file came or went there are no lines to compare.
    if before is None or after is None or now is None:
        return _Merged(now) if now is None and before is None else None
    before, after = dressed(before, now), dressed(after, now)
    content = shift(after, before, now)
    return None if content is None else _Merged(content)
