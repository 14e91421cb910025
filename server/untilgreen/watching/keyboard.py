"""Which files somebody is typing in: they are left alone. Pure."""

from __future__ import annotations

from collections.abc import Iterable


class Keyboard:
    """What an editor tells of keystrokes; a terminal hears of none."""

    def __init__(self) -> None:
        self._typed: dict[str, float] = {}
        self._dirty: set[str] = set()

    def typed(self, path: str, now: float) -> None:
        self._typed[path] = now
        self._dirty.add(path)

    def saved(self, path: str) -> None:
        self._dirty.discard(path)

    def closed(self, path: str) -> bool:
        """Nobody sees the file any more; true when unsaved changes went with it."""
        self._typed.pop(path, None)
        dirty = path in self._dirty
        self._dirty.discard(path)
        return dirty

    def last(self, paths: Iterable[str]) -> float:
        """The moment of the last keystroke in one of these files; long ago when there was none."""
        return max((self._typed.get(path, float("-inf")) for path in paths), default=float("-inf"))

    def dirty(self, paths: Iterable[str]) -> str:
        """The first of these files that is not saved; empty when all are."""
        return next((path for path in paths if path in self._dirty), "")
