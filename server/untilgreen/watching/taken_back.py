"""Fixes that the user did not want: the same change is not made again. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from untilgreen.model import Patch
from untilgreen.undo_records import UndoRecord

REMEMBER_SECONDS = 3600.0
"""How long a fix that was written is known: whoever brings the very same lines back took it back by hand."""

Change = tuple[str, tuple[str, ...], tuple[str, ...]]
Signature = frozenset[Change]
"""Of each file the lines that go and the lines that come, wherever they stand."""


def signature(before: Mapping[str, bytes | None], after: Mapping[str, bytes | None]) -> Signature:
    return frozenset(_change(path, before.get(path), content) for path, content in after.items())


def signature_of_patch(patch: Patch, pristine: Mapping[str, bytes | None]) -> Signature:
    return signature(pristine, {path: change.content for path, change in patch})


def signature_of_record(record: UndoRecord) -> Signature:
    return signature({path: change.content for path, change in record.before.items()}, record.after)


class TakenBack:
    """What this session wrote, and what was undone ever."""

    def __init__(self) -> None:
        self._wrote: dict[Signature, tuple[str, float]] = {}
        self._refused: set[Signature] = set()

    def wrote(self, fix: Signature, job: str, now: float) -> None:
        self._wrote[fix] = job, now

    def written(self, now: float) -> list[str]:
        """The jobs whose fixes are known."""
        return [job for job, moment in self._wrote.values() if now - moment < REMEMBER_SECONDS]

    def refuse(self, fix: Signature) -> None:
        self._refused.add(fix)

    def knows(self, fix: Signature, undone: Iterable[UndoRecord], now: float) -> bool:
        """Whether the user has taken just this change back before."""
        written = self._wrote.get(fix)
        if written is not None and now - written[1] < REMEMBER_SECONDS:
            # It was there and is needed again: so somebody took it out.
            self._refused.add(fix)
        return fix in self._refused or any(signature_of_record(record) == fix for record in undone)


def _change(path: str, before: bytes | None, after: bytes | None) -> Change:
    old, new = _lines(before), _lines(after)
    removed: list[str] = []
    added: list[str] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what != "equal":
            removed += old[a:b]
            added += new[c:d]
    return path, tuple(removed), tuple(added)


def _lines(content: bytes | None) -> list[str]:
    text = (content or b"").decode("utf-8", "surrogateescape")
    return [line.rstrip() for line in text.splitlines()]
