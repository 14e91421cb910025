"""What a model can ask for, in whatever form it said so. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListFiles:
    glob: str


@dataclass(frozen=True, slots=True)
class ReadFile:
    path: str
    start: int = 1
    end: int | None = None
    """The last line, 1-based; None means as far as there is room."""


@dataclass(frozen=True, slots=True)
class Search:
    pattern: str
    glob: str = ""


@dataclass(frozen=True, slots=True)
class EditFile:
    path: str
    old: str
    """Empty for a new file."""
    new: str


@dataclass(frozen=True, slots=True)
class WriteFile:
    path: str
    content: str


@dataclass(frozen=True, slots=True)
class RunTests:
    ids: tuple[str, ...] = ()
    """Empty means all that should turn green."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    reason: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that cannot be understood, and what to do about it."""

    text: str
    of_edit: bool = False
    """It was meant as an edit, so no other edit of the reply is made either."""


Request = ListFiles | ReadFile | Search | EditFile | WriteFile | RunTests | GiveUp | Mistake


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, and the id of the call that it came in; empty when it came as text."""

    request: Request
    call: str = ""
