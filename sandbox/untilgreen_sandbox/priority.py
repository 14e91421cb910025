"""Who goes first: a box that works for nobody in particular lets all others have the processor.

Niceness says it among the processes of one session. Where the kernel shares the processor out among sessions
first, as it does on most desktops, each session has a niceness of its own, and a new one begins at the front.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

NICER = 5
_MOST_PASSES = 10
_BY_SESSION = Path("/proc/sys/kernel/sched_autogroup_enabled")


def rank(pid: int, *, low: bool) -> bool:
    """Rank a process, all below it, and what they start from now on, with this process or behind it.

    False when they are behind and stay there: only root, or whom root allows it, may bring a process forward.
    Only Linux tells who they are; elsewhere they stay as they are.
    """
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    wanted = max(mine, NICER) if low else mine
    # What was started while we looked has the rank that its parent had.
    for _again in range(_MOST_PASSES):
        others = [thread for thread in _family(pid) if _differs(thread, wanted, low=low)]
        if not others:
            break
        for thread in others:
            try:
                os.setpriority(os.PRIO_PROCESS, thread, wanted)
            except PermissionError:
                if not low:
                    return False
            except OSError:
                pass  # It is gone by now.
    rank_sessions(pid, low=low)
    return True


def goes_by_session() -> bool:
    """Whether sessions that are begun later have to be ranked by themselves."""
    try:
        return _BY_SESSION.read_text().strip() == "1"
    except OSError:
        return False


def rank_sessions(pid: int, *, low: bool) -> None:
    """The sessions of a process and of all below it; where nobody may do that, they stay as they are."""
    if not goes_by_session():
        return
    # Without more rights than a user has, the kernel does this for one session in a tenth of a second.
    for one in sorted(_family(pid), reverse=True):
        session = Path(f"/proc/{one}/autogroup")
        with contextlib.suppress(OSError, ValueError):
            now = int(session.read_text().split()[-1])
            if (now < NICER) if low else (now == NICER):
                session.write_text(str(NICER if low else 0))


def _differs(thread: int, wanted: int, *, low: bool) -> bool:
    try:
        now = os.getpriority(os.PRIO_PROCESS, thread)
    except OSError:
        return False
    return now < wanted if low else now > wanted


def _family(pid: int) -> list[int]:
    """The threads of a process and of all below it."""
    threads = _threads(pid)
    return [*threads, *(thread for child in _children(pid, threads) for thread in _family(child))]


def _threads(pid: int) -> list[int]:
    try:
        return [int(path.name) for path in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []


def _children(pid: int, threads: list[int]) -> list[int]:
    found: list[int] = []
    for thread in threads:
        with contextlib.suppress(OSError):
            found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return found
