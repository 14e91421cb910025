"""What it takes to check a verdict again: the tree that it spoke about, and the bytes of its fix."""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilgreen.intent import write_atomic
from untilgreen.model import Entry, FileChange, Patch
from untilgreen.undo_records import JOB_ID

# Whether a tree is the same is decided by the digest of the whole; these only name what differs.
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a job's verdict rests on."""

    job: str
    tree: str
    """Digest of the snapshot."""
    patch: Patch
    files: Mapping[str, str]
    """Path → mode and the beginning of the digest; empty when that is not known any more."""


class EvidenceRoom:
    """Trees are kept once, however many jobs saw them."""

    def __init__(self, folder: Path) -> None:
        self._evidence = folder / "evidence"
        self._trees = folder / "trees"

    def save(self, job: str, tree: str, entries: Mapping[str, Entry], patch: Patch) -> None:
        for folder in (self._evidence, self._trees):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = self._trees / f"{tree}.z"
        if place.exists():
            # Used again: it is as young as the youngest job.
            os.utime(place)
        else:
            write_atomic(place, zlib.compress(json.dumps(files_of(entries)).encode("utf-8", "surrogatepass")))
        files = {
            path: [None if change.content is None else base64.b64encode(change.content).decode(), change.mode]
            for path, change in patch
        }
        value = {"v": 1, "job": job, "tree": tree, "patch": files}
        write_atomic(self._evidence / f"{job}.json", json.dumps(value).encode())

    def load(self, job: str) -> Evidence | None:
        """None when there is none, or when it cannot be read."""
        if not JOB_ID.fullmatch(job):
            return None
        try:
            value: dict[str, Any] = json.loads((self._evidence / f"{job}.json").read_bytes())
            patch = {
                path: FileChange(None if text is None else base64.b64decode(text, validate=True), int(mode))
                for path, (text, mode) in value["patch"].items()
            }
            return Evidence(job, str(value["tree"]), Patch(patch), self._tree(str(value["tree"])))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def _tree(self, digest: str) -> dict[str, str]:
        try:
            value = json.loads(zlib.decompress((self._trees / f"{digest}.z").read_bytes()))
        except (OSError, ValueError, zlib.error):
            return {}
        return value if isinstance(value, dict) else {}


def files_of(entries: Mapping[str, Entry]) -> dict[str, str]:
    """Each file in one word; two trees with the same words are as good as the same."""
    return {path: f"{entry.mode:o} {entry.digest[:_DIGITS]}" for path, entry in sorted(entries.items())}


def different(one: Mapping[str, str], other: Mapping[str, str]) -> tuple[str, ...]:
    """The paths that two trees do not have in common."""
    return tuple(sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path)))
