"""Why a job of watch mode ran, in words: the journal tells it, and so do the doors. Pure."""

from __future__ import annotations

STARTED = "watch: started"
ASKED = "watch: asked to run again"
THE_REST = "watch: the other tests"
MEANWHILE = "watch: files changed meanwhile"
_SAVED = "watch: saved "
_MOST_NAMES = 3


def saved(before: str, changed: tuple[str, ...]) -> str:
    """`watch: saved a.py, b.py`; what was saved before and not tested yet is named as well."""
    if before and not before.startswith(_SAVED):
        return before
    known = before.removeprefix(_SAVED).split(", ") if before else []
    names = [name for name in dict.fromkeys([*known, *changed]) if not name.endswith(" more")]
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    return _SAVED + ", ".join([*names[:_MOST_NAMES], *more])


def joined(before: str, later: str) -> str:
    """One run for both, when the first did not come to its end."""
    if before.startswith(_SAVED) and later.startswith(_SAVED):
        return saved(before, tuple(later.removeprefix(_SAVED).split(", ")))
    return later or before


def because(said: str) -> str:
    return f"watch: {said}"


def solving(cause: str) -> str:
    return f"{cause}; tests fail" if cause else "watch: tests fail"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
