"""Fixes that the user took back: as long as looking for one would only lead there again, nobody looks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from untilgreen.engine import Engine
from untilgreen.errors import NothingToUndo
from untilgreen.shifting import dressed, shift
from untilgreen.undo_records import UndoRecord
from untilgreen.workspace import digest_of

Contents = Mapping[str, bytes | None]
_MOST = 50
"""The newest that are looked at."""


@dataclass(frozen=True, slots=True)
class Unwanted:
    """A fix that was taken back, and what it was made for."""

    before: Contents
    after: Contents
    tests: frozenset[str]
    """Those that it mends."""
    files: Mapping[str, str]
    """The beginning of the digest of each file that these tests are in, as it was then."""

    def paths(self) -> set[str]:
        return {*self.before, *self.files}

    def is_all_there_is(self, now: Contents) -> bool:
        """Whether nothing but this fix can be expected: it still fits, and the tests ask for the same."""
        return all(
            content is not None and digest_of(content).startswith(self.files[path])
            for path, content in ((path, now.get(path)) for path in self.files)
        ) and all(_fits(self.before[path], self.after[path], now.get(path)) for path in self.before)


class Memory:
    """What is known of each job whose fix was taken back. All of it blocks."""

    def __init__(self, engine: Engine, root: Path) -> None:
        self._engine = engine
        self._root = root
        self._known: dict[str, Unwanted | None] = {}

    def unwanted(self, tests: Iterable[str], written: Iterable[str]) -> list[Unwanted]:
        """Of the fixes that would help these tests: those that were undone, and those of these jobs, which
        somebody must have taken back by hand when the tests fail again."""
        wanted = frozenset(tests)
        undo = self._engine.past.undo
        records = {record.job: record for record in islice(undo.undone(self._root), _MOST)}
        for job in written:
            if job not in records and (record := self._standing(job)) is not None:
                records[job] = record
        found = (self._of(record) for record in records.values())
        return [one for one in found if one is not None and wanted & one.tests]

    def _standing(self, job: str) -> UndoRecord | None:
        try:
            return self._engine.past.undo.find(self._root, job)
        except NothingToUndo:
            return None

    def _of(self, record: UndoRecord) -> Unwanted | None:
        if record.job not in self._known:
            self._known[record.job] = self._read(record)
        return self._known[record.job]

    def _read(self, record: UndoRecord) -> Unwanted | None:
        """None when it is not known any more what it was made for."""
        evidence = self._engine.past.evidence.load(record.job)
        tests = _fixed(self._engine.events(record.job))
        if evidence is None or not tests:
            return None
        files = {}
        for path in {test.partition("::")[0] for test in tests}:
            if path not in evidence.files:
                return None
            files[path] = evidence.files[path].rpartition(" ")[2]
        changed = {
            path: old.content for path, old in record.before.items() if old.content != record.after[path]
        }
        return Unwanted(changed, record.after, tests, files)


def _fixed(events: Iterable[dict[str, Any]]) -> frozenset[str]:
    ends = [event["verdict"]["fixed"] for event in events if event["type"] == "finished"]
    return frozenset(ends[-1]) if ends else frozenset()


def _fits(before: bytes | None, after: bytes | None, now: bytes | None) -> bool:
    """Whether the change could be made in the file of now, and is not there."""
    if before is None or after is None or now is None:
        return now == before
    moved = shift(dressed(before, now), dressed(after, now), now)
    return moved is not None and moved != now
