"""Who shows what watch mode does, and knows the user's files: a terminal, or an editor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from untilgreen.desk import Desk
from untilgreen.watching.notes import Note


class Door(Protocol):
    """Two doors, one engine."""

    def desk(self) -> Desk:
        """For one job."""

    def unsaved(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those that the user is in the middle of changing."""

    def tell(self, note: Note) -> None:
        """At once; whoever needs longer makes a task of it."""
