"""What services send beside a call and want back with it, word for word: thoughts, and their signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST = 512


class Asides:
    """Remembered by the id of the call. Nobody but the service that sent it ever sees one again."""

    def __init__(self) -> None:
        self._of: dict[str, Mapping[str, Any]] = {}

    def keep(self, id: str, aside: Mapping[str, Any]) -> None:
        """An id that comes again has a new one, or none."""
        self._of.pop(id, None)
        if aside:
            self._of[id] = aside
        while len(self._of) > MOST:
            del self._of[next(iter(self._of))]

    def of(self, id: str) -> Mapping[str, Any]:
        return self._of.get(id, {})
