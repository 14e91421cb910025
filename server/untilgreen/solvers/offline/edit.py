"""One small change of one file's text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the characters from `start` to `end` by `text`; all the rest stays as it is."""

    path: str
    start: int
    end: int
    text: str
    template: str
    """Family and name, such as `comparison/boundary`."""
    tier: int
    """1: local tweaks · 2: what the function itself holds, conditions, guards, insertions ·
    3: wide guards, what the file and the project hold."""
    cost: float
    """Bits: the lower, the likelier before anything was run."""
    risk: float = 0.0
    """Bits that say how easily this pleases tests without being right; for choosing among winners."""
    sentence: str = ""
    """Says to a person what was changed."""
    line: int = 0
    """The line of the place that is edited, 1-based."""


def apply(text: str, edit: Edit) -> str:
    """The whole text with the edit in it."""
    return text[: edit.start] + edit.text + text[edit.end :]
