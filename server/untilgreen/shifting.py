"""Three ways by lines: a fix moves along with edits that do not touch it. Pure, and byte for byte.

Only whole lines are taken from one side or the other, so line ends, encoding and byte order mark stay.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeVar

Line = TypeVar("Line", bytes, str)

# Comparing lines takes time in the square of their number; nobody edits so much while waiting.
MOST_LINES = 4000
# Each pair of equal lines is looked at; of lines that are all alike there are millions, and seconds.
MOST_PAIRS = 200_000
_MOST_BYTES = 4000


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


def contains(before: bytes | None, after: bytes | None, now: bytes | None) -> bool:
    """Whether a change is in a file that somebody may have edited since: it is nearer to the outcome.

    None: there is no such file.
    """
    if after is None or now is None:
        return after is now
    before, after = dressed(before or b"", now), dressed(after, now)
    if now in (before, after):
        return now == after
    to_after, to_before = _hunks(_lines(after), _lines(now)), _hunks(_lines(before), _lines(now))
    if to_after is None or to_before is None:
        return False
    lines_to_after, lines_to_before = _size(to_after), _size(to_before)
    if lines_to_after != lines_to_before:
        return lines_to_after < lines_to_before
    # Somebody typed in the very lines that were changed.
    return _likeness(after, now) > _likeness(before, now)


def dressed(data: bytes, like: bytes) -> bytes:
    """The same lines with the line ends and the byte order mark of another text: an editor keeps its own."""
    bare = data.removeprefix(codecs.BOM_UTF8)
    n_ends, n_windows = like.count(b"\n"), like.count(b"\r\n")
    if n_ends and n_windows in (0, n_ends):
        bare = bare.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n" if n_windows else b"\n")
    return codecs.BOM_UTF8 + bare if like.startswith(codecs.BOM_UTF8) else bare


def changed_lines(
    old: Sequence[Line], new: Sequence[Line], *, quickly: bool = False
) -> list[tuple[int, int, int, int]] | None:
    """Which lines give way to which, with a common line between any two places; None: too much to compare.

    Who has to be quick may find larger places where too many lines are alike.
    """
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    ours, theirs = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(ours), len(theirs)) > MOST_LINES:
        return None
    # Without autojunk: a line that occurs often is as good an anchor as any other, only slower.
    rough = quickly and _equal_pairs(ours, theirs) > MOST_PAIRS
    matcher = SequenceMatcher(None, ours, theirs, autojunk=rough)
    return [
        (head + start, head + end, head + first, head + last)
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag != "equal"
    ]


def _equal_pairs(ours: Sequence[Line], theirs: Sequence[Line]) -> int:
    how_often = Counter(theirs)
    return sum(how_often[line] for line in ours)


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
    places = changed_lines(base, changed)
    if places is None:
        return None
    return [Hunk(start, end, tuple(changed[first:last])) for start, end, first, last in places]


def _size(hunks: Sequence[Hunk]) -> int:
    return sum(hunk.end - hunk.start + len(hunk.lines) for hunk in hunks)


def _likeness(one: bytes, other: bytes) -> float:
    """Of what differs; texts that differ in too much are not alike."""
    head = 0
    while head < min(len(one), len(other)) and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < min(len(one), len(other)) - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    left, right = one[head : len(one) - tail], other[head : len(other) - tail]
    if max(len(left), len(right)) > _MOST_BYTES:
        return float("-inf")
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return 2.0 * sum(block.size for block in matcher.get_matching_blocks()) - len(left) - len(right)


def _lines(data: bytes) -> list[bytes]:
    *lines, last = data.split(b"\n")
    return [line + b"\n" for line in lines] + ([last] if last else [])
