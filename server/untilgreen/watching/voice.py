"""What a watch says of itself: how things stand, and what went wrong, each of it once."""

from __future__ import annotations

import logging
from pathlib import Path

from untilgreen.errors import UntilgreenError
from untilgreen.watching.door import Door
from untilgreen.watching.notes import Said, Standing
from untilgreen.watching.pilot import Pilot

log = logging.getLogger(__name__)


class Voice:
    """Of one watched workspace."""

    def __init__(self, door: Door, root: Path) -> None:
        self._door = door
        self._root = root
        self._complaint = ""
        self._standing: Standing | None = None

    def stand(self, pilot: Pilot) -> None:
        """When it is something new."""
        standing = Standing(pilot.mode, pilot.message, pilot.busy)
        if standing != self._standing:
            self._standing = standing
            self._door.tell(standing)

    def complain(self, text: str) -> None:
        """Once, and not with every save."""
        if text != self._complaint:
            self._complaint = text
            self._door.tell(Said(text))

    def content(self) -> None:
        """All is well: what goes wrong from now on is told again."""
        self._complaint = ""

    def words_of(self, error: Exception) -> str:
        """For the user; what nobody foresaw is logged as well."""
        if isinstance(error, UntilgreenError | OSError):
            return str(error)
        log.error("watching %s: something broke", self._root, exc_info=error)
        return f"Something went wrong inside untilgreen: {error!r}"

    def broke(self, error: BaseException) -> None:
        log.error("watching %s broke", self._root, exc_info=error)
        self._door.tell(Said(f"Watch mode stopped: something went wrong inside ({error!r})."))
