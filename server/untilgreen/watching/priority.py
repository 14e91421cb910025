"""Whoever works in the foreground goes first: what runs for watch mode has a lower priority."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

NICER = 5


def lower_me() -> None:
    """This process, and what it starts from now on."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICER)


def lower_children(pid: int | None = None) -> None:
    """All processes below this one, and what they start from now on, but not the one itself.

    Only Linux tells who they are; elsewhere they stay as they are.
    """
    for child in _children(pid or os.getpid()):
        for thread in _threads(child):
            # It may be gone by now, or belong to somebody else.
            with contextlib.suppress(OSError):
                if os.getpriority(os.PRIO_PROCESS, thread) < NICER:
                    os.setpriority(os.PRIO_PROCESS, thread, NICER)
        lower_children(child)


def _threads(pid: int) -> list[int]:
    try:
        return [int(path.name) for path in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for thread in _threads(pid):
        with contextlib.suppress(OSError):
            found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return found
