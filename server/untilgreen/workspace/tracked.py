"""Which files git tracks: those are never ignored, whatever the rules say.

This is read from its index. A repository's own configuration can make git start programs, so git never runs.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from untilgreen.workspace.content import open_file

MAX_BYTES = 256 << 20
_HEADER = struct.Struct("!4sII")
_BEFORE_FLAGS = 60
_EXTENDED = 0x4000


@dataclass(frozen=True, slots=True)
class Tracked:
    """Paths relative to the repository, and all folders above them."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def has(self, path: str) -> bool:
        return path in self.files or path in self.folders


@dataclass(frozen=True, slots=True)
class GitFolder:
    """Where a repository keeps what we read of it."""

    index: str
    exclude: str


def git_folder(root: Path) -> GitFolder:
    """Of a plain clone, or of a linked working tree, which has a file that points to the place."""
    own = common = str(root / ".git")
    pointer = _text(own)
    if pointer.startswith("gitdir:"):
        own = common = str(root / pointer.removeprefix("gitdir:").strip())
        if shared := _text(f"{own}/commondir").strip():
            common = str(Path(own) / shared)
    return GitFolder(f"{own}/index", f"{common}/info/exclude")


def read_tracked(index: str) -> Tracked:
    """All that an index names; nothing when there is none, or one that we cannot read."""
    try:
        with open_file(index) as file:
            files = frozenset(_paths(file.read(MAX_BYTES)))
    except (OSError, ValueError, IndexError, struct.error):
        return Tracked()
    folders: set[str] = set()
    for path in files:
        while (path := path.rpartition("/")[0]) and path not in folders:
            folders.add(path)
    return Tracked(files, frozenset(folders))


def _paths(data: bytes) -> Iterator[str]:
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("not an index that is known here")
    at, path = _HEADER.size, b""
    for _ in range(count):
        flags = data[at + _BEFORE_FLAGS] << 8 | data[at + _BEFORE_FLAGS + 1]
        start = at + _BEFORE_FLAGS + (4 if flags & _EXTENDED and version > 2 else 2)
        kept = 0
        if version == 4:
            # Only what differs from the path before is there.
            dropped, start = _number(data, start)
            kept = len(path) - dropped
        end = data.index(b"\0", start)
        path = path[:kept] + data[start:end]
        yield os.fsdecode(path)
        at = end + 1 if version == 4 else at + ((end - at + 8) & ~7)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits per byte, as git packs it, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1 << 7) | (data[at] & 0x7F)
    return value, at + 1


def _text(path: str) -> str:
    try:
        with open_file(path) as file:
            return os.fsdecode(file.read(4096))
    except (OSError, ValueError):
        return ""
