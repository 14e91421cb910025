"""Where in a text the lines are that a model quotes, as exactly as they can be found. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from untilgreen.solvers.agent.refusal import Refusal

MOST_PLACES = 5
MOST_LINES = 40
MOST_COMPARED = 5_000
_NEAR_LINES = 3
_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f", " "),
        "\u2026": "...",
    }
)


@dataclass(frozen=True, slots=True)
class Match:
    """A span of the text, and what goes there."""

    start: int
    end: int
    new: str


def find(path: str, text: str, old: str, new: str) -> Match:
    """The one place that is meant; refuses when there is none, or more than one."""
    places = _occurrences(text, old)
    if len(places) == 1:
        return Match(places[0], places[0] + len(old), new)
    if len(places) > 1:
        raise _not_unique(path, [text.count("\n", 0, place) + 1 for place in places])
    lines, wanted = text.split("\n"), old.strip("\n").split("\n")
    if not any(line.strip() for line in wanted):
        raise Refusal(f"Nothing was changed: the text to replace in {path} has no words in it.")
    instead = _without_ends(old, new)
    for simple, same in ((str, _trailing), (str, _indentation), (_simple, _indentation)):
        mine, theirs = [simple(line) for line in lines], [simple(line) for line in wanted]
        found = [n for n in _candidates(mine, theirs) if same(mine[n : n + len(wanted)], theirs)]
        if len(found) > 1:
            raise _not_unique(path, [n + 1 for n in found])
        if found:
            return _lines_match(lines, found[0], wanted, instead)
    raise _not_found(path, lines, wanted)


def _occurrences(text: str, old: str) -> list[int]:
    found: list[int] = []
    at = text.find(old)
    while at >= 0 and len(found) <= MOST_PLACES:
        found.append(at)
        at = text.find(old, at + 1)
    return found


def _without_ends(old: str, new: str) -> list[str]:
    """The new lines, without as many empty ones around them as the old ones lose."""
    before = len(old) - len(old.lstrip("\n"))
    after = len(old) - len(old.rstrip("\n"))
    for _ in range(before):
        new = new.removeprefix("\n")
    for _ in range(after):
        new = new.removesuffix("\n")
    return new.split("\n") if new else []


def _candidates(lines: list[str], wanted: list[str]) -> list[int]:
    """Where the words are the same, whatever the space around them."""
    mine, theirs = [line.strip() for line in lines], [line.strip() for line in wanted]
    return [n for n in range(len(mine) - len(theirs) + 1) if mine[n : n + len(theirs)] == theirs]


def _trailing(here: list[str], wanted: list[str]) -> bool:
    return [line.rstrip() for line in here] == [line.rstrip() for line in wanted]


def _indentation(here: list[str], wanted: list[str]) -> bool:
    """All lines are moved by the same amount."""
    return _shift(here, wanted) is not None


def _simple(line: str) -> str:
    return line.translate(_PUNCTUATION)


def _shift(here: list[str], wanted: list[str]) -> Callable[[str], str] | None:
    """How to move a line of the quoted text to where it stands in the file; None when they do not agree."""
    added: set[str] = set()
    removed: set[str] = set()
    for mine, theirs in zip(here, wanted, strict=True):
        if not mine.strip():
            continue
        indent, quoted = _indent(mine), _indent(theirs)
        if indent.endswith(quoted):
            added.add(indent[: len(indent) - len(quoted)])
            removed.add("")
        elif quoted.endswith(indent):
            added.add("")
            removed.add(quoted[: len(quoted) - len(indent)])
        else:
            return None
    if len(added) > 1 or len(removed) > 1:
        return None
    more, less = next(iter(added), ""), next(iter(removed), "")
    return lambda line: more + line.removeprefix(less) if line.strip() else line


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _lines_match(lines: list[str], n: int, wanted: list[str], new: list[str]) -> Match:
    """Quoted lines that come back unchanged stay as the file has them."""
    here = lines[n : n + len(wanted)]
    move = _shift([_simple(line) for line in here], [_simple(line) for line in wanted])
    assert move is not None
    result: list[str] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, wanted, new, autojunk=False).get_opcodes():
        result += here[i1:i2] if tag == "equal" else [move(line) for line in new[j1:j2]]
    start = sum(len(line) + 1 for line in lines[:n])
    end = start + sum(len(line) + 1 for line in here) - 1
    if not new and end < sum(len(line) + 1 for line in lines) - 1:
        # Lines that go take their line end along.
        end += 1
    return Match(start, end, "\n".join(result))


def _not_unique(path: str, at: list[int]) -> Refusal:
    more = " and more" if len(at) > MOST_PLACES else ""
    places = ", ".join(str(line) for line in at[:MOST_PLACES])
    return Refusal(
        f"Nothing was changed: the text to replace is not unique in {path}; "
        f"it begins in lines {places}{more}. Quote more lines around the one you mean."
    )


def _not_found(path: str, lines: list[str], wanted: list[str]) -> Refusal:
    first = next(line.strip() for line in wanted if line.strip())
    some = [line.strip() for line in lines[:MOST_COMPARED] if line.strip()]
    near = difflib.get_close_matches(first, some, 1, 0.5)
    told = f"Nothing was changed: the text to replace is not in {path}."
    if not near:
        return Refusal(f"{told} Read the file and quote its lines exactly.")
    n = next(n for n, line in enumerate(lines) if line.strip() == near[0])
    begin = max(0, n - _NEAR_LINES)
    shown = "\n".join(lines[begin : n + min(len(wanted), MOST_LINES) + _NEAR_LINES])
    return Refusal(f"{told} The nearest lines begin in line {begin + 1}; quote them exactly.", shown)
