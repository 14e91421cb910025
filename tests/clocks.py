"""A clock that can run ahead, and the one of the file system."""

from __future__ import annotations

import os
import time
from pathlib import Path

LATER_NS = 3_600_000_000_000


class Clock:
    """Runs ahead by an hour when asked, so that what was written a moment ago counts as old."""

    def __init__(self) -> None:
        self.late = True

    def __call__(self) -> int:
        return time.time_ns() + (LATER_NS if self.late else 0)


def next_tick(scratch: Path) -> None:
    """Wait until a change gets a later time than one just now; a clock that runs ahead needs this."""
    scratch.write_text("")
    begun = scratch.stat().st_ctime_ns
    while scratch.stat().st_ctime_ns == begun:
        os.utime(scratch)
