"""How a test process ends: seen to the end, with all that it started, and nothing left in its pipes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterable
from typing import Protocol

CHUNK = 1 << 16
LEAVING_SECONDS = 5.0
"""For the kernel to end a process that has much memory, and has said that it ends."""
_ONE_BY_ONE = 3
GONE = -1


class Process(Protocol):
    """A test process under watch: where its events and output come from, and how its end is known."""

    pid: int
    events: int
    output: int
    ended: int
    """Readable when the process has ended."""
    leaving: int
    """Readable when it says that it is about to; -1 where nobody asks."""

    def said(self) -> int | None:
        """With which status it says that it ends; None when what was said there is nothing it would say."""

    def status(self) -> int:
        """How it ended, as the kernel says it. Called once, when it has ended or was killed."""

    def release(self) -> None:
        """Close what belongs to this run alone."""


def see_off(process: Process, status: int, keep: Iterable[int] = ()) -> tuple[bool, bool]:
    """Wait for a process that said it would end so: whether it did, and whether it left others behind."""
    if not select.select([process.ended], [], [], LEAVING_SECONDS)[0]:
        kill(process)
    found, left_over = end(process, keep, lambda _data: None, lambda _data: None)
    return os.WIFEXITED(found) and os.WEXITSTATUS(found) == status, left_over


def end(
    process: Process, keep: Iterable[int], events: Callable[[bytes], None], output: Callable[[bytes], None]
) -> tuple[int, bool]:
    """How it ended, and whether others were left, which are gone; and what its pipes still held."""
    try:
        status = process.status()
    finally:
        left_over = end_all_others(keep)
        # As much as a pipe holds: nobody is left who could write into it.
        drain(process.events, events)
        drain(process.output, output)
        process.release()
    return status, left_over


def kill(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)


def end_all_others(keep: Iterable[int] = ()) -> bool:
    """Kill every process of this pid namespace but its first, this one, those in `keep` and their children.

    What a test starts is never a child of those: when its maker is gone, the first process takes it. Returns
    whether there were any. Processes that start others faster than they can be found take those in `keep`
    with them: only a signal to all at once ends such a crowd for certain.
    """
    kept = {1, os.getpid(), *keep}
    kept_parents = {GONE, *keep}
    deadline = time.monotonic() + 10
    seen: set[int] = set()
    rounds = 0
    while True:
        others = [pid for pid in _all_pids() if pid not in kept and _parent(pid) not in kept_parents]
        if not others:
            return bool(seen)
        # One that takes its time to die is no crowd; new ones are.
        rounds += not seen.issuperset(others)
        seen.update(others)
        if rounds <= _ONE_BY_ONE:
            for pid in others:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        else:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        reap_orphans(0)
        if time.monotonic() > deadline:
            raise TimeoutError("a process of the tests cannot be ended")
        time.sleep(0.0005)


def reap_orphans(but: int) -> None:
    """Collect dead children that are not ours to wait for; in a container this is the first process."""
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if found is None or found.si_pid == but:
            return
        os.waitpid(found.si_pid, 0)


def _all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _parent(pid: int) -> int:
    """Who started it, or has it now; GONE when it lives no more."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return GONE
    return GONE if state in (b"Z", b"X") else int(parent)


def drain(descriptor: int, take: Callable[[bytes], None], most: int = 1 << 62) -> None:
    """What is in the pipe now, or about as much of it as said."""
    taken = 0
    while taken < most:
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return
        if not data:
            return
        taken += len(data)
        take(data)
