"""The user that tests run as when we are root: a number nobody else has."""

from __future__ import annotations

import itertools
import os

# Above every range that distributions, container managers and subordinate ids use, below 2**31.
FIRST = 1_879_048_192
PER_PROCESS = 63
_MAX_PID = 1 << 22
_COUNT = itertools.count()


def unused_uid() -> int:
    """A new number for each box, and the next one is free for its template, too.

    Two living processes never share one, because they do not share a pid.
    """
    return FIRST + (os.getpid() % _MAX_PID) * PER_PROCESS + 2 * (next(_COUNT) % (PER_PROCESS // 2))
