"""Saves that belong together: a formatter and a save of all files write in quick succession. Pure."""

from __future__ import annotations

from collections.abc import Iterable

MOST_WINDOWS = 25
"""After so many windows without a pause somebody looks all the same."""


class Settling:
    """Paths that were touched, until nothing more came for a moment."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._paths: set[str] = set()
        self._everything = False
        self._first = 0.0
        self._last = 0.0

    def __bool__(self) -> bool:
        return self._everything or bool(self._paths)

    def add(self, paths: Iterable[str] | None, now: float) -> None:
        """None: whatever there is may have changed."""
        if not self:
            self._first = now
        self._last = now
        if paths is None:
            self._everything = True
        else:
            self._paths.update(paths)

    @property
    def due(self) -> float | None:
        """When to look; None when there is nothing to look at."""
        if not self:
            return None
        return min(self._last + self.seconds, self._first + MOST_WINDOWS * self.seconds)

    def take(self) -> frozenset[str] | None:
        """What was touched; None: everything may have been."""
        paths = None if self._everything else frozenset(self._paths)
        self._paths, self._everything = set(), False
        return paths
