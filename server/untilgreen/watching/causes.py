"""Why a job of watch mode ran, in words: the journal tells it, and so do the doors. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from untilgreen.model import Part

STARTED = "watch: started"
ASKED = "watch: asked to run again"
THE_REST = "watch: the other tests"
TAKEN_BACK = "watch: a fix was taken back"
MEANWHILE = "watch: files changed meanwhile"
_SAVED = "watch: saved "
_MOST_NAMES = 3


def saved(before: str, changed: Iterable[str], more: int = 0) -> str:
    """`watch: saved a.py, b.py`; what was saved before and not tested yet is named as well."""
    if before and not before.startswith(_SAVED):
        return before
    names, hidden = _names(before)
    for name in changed:
        if name not in names and len(names) < _MOST_NAMES:
            names.append(name)
        elif name not in names:
            hidden += 1
    hidden += more
    return _SAVED + ", ".join([*names, *([f"{hidden} more"] if hidden else [])])


def joined(before: str, later: str) -> str:
    """One run for both, when the first did not come to its end."""
    if before == ASKED:
        return before
    if before.startswith(_SAVED) and later.startswith(_SAVED):
        return saved(before, *_names(later))
    return later or before


def _names(cause: str) -> tuple[list[str], int]:
    """The files that a cause names, and how many it does not."""
    names = cause.removeprefix(_SAVED).split(", ") if cause else []
    if names and names[-1].endswith(" more"):
        return names[:-1], int(names[-1].removesuffix(" more"))
    return names, 0


def part(cause: str) -> Part:
    """Which tests run: who asks for them means all, also those that no change can affect."""
    return "all" if cause == ASKED else "first"


def because(said: str) -> str:
    return f"watch: {said}"


def dropped(path: str) -> str:
    return f"watch: {path} was closed without saving"


def solving(cause: str) -> str:
    return f"{cause}; tests fail" if cause else "watch: tests fail"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
