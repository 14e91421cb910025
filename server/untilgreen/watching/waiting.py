"""Files that somebody is in the middle of: nobody looks for a fix, for a while. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Waiting:
    """What was begun a minute ago and left is not being written any more."""

    def __init__(self) -> None:
        self._begun: dict[str, tuple[str, float]] = {}

    def saved(self, paths: Iterable[str], unfinished: Mapping[str, str], until: float) -> None:
        """Each file counts by its last save."""
        for path in paths:
            self._begun.pop(path, None)
            if why := unfinished.get(path, ""):
                self._begun[path] = why, until

    def expire(self, now: float) -> None:
        self._begun = {path: begun for path, begun in self._begun.items() if begun[1] > now}

    @property
    def why(self) -> str:
        """In a clause; empty when nobody has to be waited for."""
        return next((why for why, _ in self._begun.values()), "")

    @property
    def until(self) -> float | None:
        """When nobody has to be waited for any more; None when nobody has to be now."""
        return max((until for _, until in self._begun.values()), default=None)
