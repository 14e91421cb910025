"""Three ways by lines: a fix moves along with edits that do not touch it. Pure, and byte for byte.

Only whole lines are taken from one side or the other, so line ends, encoding and byte order mark stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# Comparing lines takes time in the square of their number; nobody edits so much while waiting.
MOST_LINES = 4000


@dataclass(frozen=True, slots=True)
class Hunk:
    """These lines of the base become those."""

    start: int
    end: int
    lines: tuple[bytes, ...]


def shift(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Their file with our change in it; None when both changed the same lines, or lines side by side."""
    lines = _lines(base)
    mine, others = _hunks(lines, _lines(ours)), _hunks(lines, _lines(theirs))
    if mine is None or others is None:
        return None
    # Where both did the very same, once is enough.
    mine = [hunk for hunk in mine if hunk not in others]
    if any(_touch(one, other) for one in mine for other in others):
        return None
    return b"".join(_merged(lines, sorted([*mine, *others], key=lambda hunk: (hunk.start, hunk.end))))


def _merged(lines: Sequence[bytes], hunks: Sequence[Hunk]) -> Iterator[bytes]:
    at = 0
    for hunk in hunks:
        yield from lines[at : hunk.start]
        yield from hunk.lines
        at = hunk.end
    yield from lines[at:]


def _touch(one: Hunk, other: Hunk) -> bool:
    """Also when only their borders meet: neighbours often mean each other."""
    return one.start <= other.end and other.start <= one.end


def _hunks(base: Sequence[bytes], changed: Sequence[bytes]) -> list[Hunk] | None:
    """None when there is too much to compare."""
    head = 0
    while head < min(len(base), len(changed)) and base[head] == changed[head]:
        head += 1
    tail = 0
    while tail < min(len(base), len(changed)) - head and base[-1 - tail] == changed[-1 - tail]:
        tail += 1
    old, new = base[head : len(base) - tail], changed[head : len(changed) - tail]
    if max(len(old), len(new)) > MOST_LINES:
        return None
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Hunk(head + start, head + end, tuple(new[first:last]))
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag != "equal"
    ]


def _lines(data: bytes) -> list[bytes]:
    *lines, last = data.split(b"\n")
    return [line + b"\n" for line in lines] + ([last] if last else [])
