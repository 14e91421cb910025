"""What a run may be given: a project with some of its files changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agreement.project import Project

MOVED = "files come or go that code may look for"
LOST = "the process to fork from was lost"
HANGING_SECONDS = 5.0
"""Enough for a new process to come to where it hangs, on a busy machine, too."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change to a project, and how warm a run of it can be."""

    project: Project
    name: str
    files: Mapping[str, str | bytes | None] = field(repr=False)
    cold_because: str = ""
    """Why it cannot be forked; empty when it can."""
    seconds: float | None = None
    """A limit of its own, for what would never end."""

    @property
    def output_is_chance(self) -> bool:
        """Two processes that print at once are never told alike."""
        return self.name == "forks a second runner"

    def __str__(self) -> str:
        return f"{self.project.name}: {self.name}"
