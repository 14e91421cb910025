"""Whoever works in the foreground goes first: what runs for watch mode has a lower priority."""

from __future__ import annotations

import contextlib
import os

from untilgreen_sandbox.priority import NICER


def lower_me() -> None:
    """This process, and what it starts from now on."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICER)
