"""How much a box holds: all its processes together, shared pages, and the files of its scratch folders.

A control group counts memory better, and where there is one this only counts files. Where there is none, for
a user without rights, this is what ends a run that takes more than its share.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import Any

# Looking costs about 20 microseconds a process; it may never take more than a twentieth of the time.
PAUSE, SHORT_PAUSE, SHARE = 0.25, 0.02, 20
GROUP_FILES = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


class Meter:
    """Says when too much is held: "memory", "files" or nothing."""

    def __init__(
        self,
        memory: int,
        files: int,
        folders: Iterable[str],
        grouped: bool,
        as_tests: Callable[[], Any],
    ) -> None:
        self._memory = memory
        self._files = files
        self._folders = tuple(folder for folder in folders if os.path.isdir(folder))
        self._grouped = grouped
        # Root without the right to trace sees less of a process than the process's own user.
        self._as_tests = as_tests
        self._next = 0.0

    def wait(self) -> float:
        """Seconds until there is something to do."""
        return max(0.0, self._next - time.monotonic())

    def over(self) -> str:
        """Measures when it is time to."""
        begun = time.monotonic()
        if begun < self._next:
            return ""
        found, share = self._measure()
        now = time.monotonic()
        self._next = now + max(PAUSE if share < 0.5 else SHORT_PAUSE, SHARE * (now - begun))
        return found

    def _measure(self) -> tuple[str, float]:
        """What is too much, and how near to its limit the nearest is."""
        n_files, size = used(self._folders)
        if n_files > self._files:
            return "files", 1.0
        share = n_files / self._files
        if self._grouped:
            return "", share
        held = size + system_v_memory()
        rough = held + sum(roughly(pid) for pid in others())
        if rough <= self._memory:
            return "", max(share, rough / self._memory)
        # Pages that a fork shares were counted in each process; only now it is worth the time to divide them.
        # They are asked one by one: what ends meanwhile leaves its part to those that are asked later, and it
        # is counted twice. Whoever really holds too much still does at a second look.
        with self._as_tests():
            exact = held + min(sum(exactly(pid) for pid in others()) for _look in range(2))
        return ("memory" if exact > self._memory else ""), 1.0


def others() -> list[int]:
    """The processes of the box but this one."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def roughly(pid: int) -> int:
    """Bytes of a process that are not files of a disk; anybody may ask."""
    return _sum(_read("/proc/%d/status" % pid), (b"RssAnon:", b"RssShmem:", b"VmSwap:"))


def exactly(pid: int) -> int:
    """The same with shared pages divided among those who share them, where the process lets us see."""
    text = _read("/proc/%d/smaps_rollup" % pid)
    if b"Pss_Anon:" not in text:
        return roughly(pid)
    return _sum(text, (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"))


def system_v_memory() -> int:
    """Shared memory that may be attached to no process at all."""
    total = 0
    for line in _read("/proc/sysvipc/shm").splitlines()[1:]:
        words = line.split()
        total += int(words[-2]) + int(words[-1])
    return total


def used(folders: Iterable[str]) -> tuple[int, int]:
    """Files and bytes of these mounts."""
    n_files = size = 0
    for folder in folders:
        found = os.statvfs(folder)
        n_files += found.f_files - found.f_ffree
        size += (found.f_blocks - found.f_bfree) * found.f_frsize
    return n_files, size


def oom_kills(text: str) -> int:
    """How often the kernel killed for want of memory, as either kind of control group tells it."""
    for line in text.splitlines():
        name, _, count = line.partition(" ")
        if name == "oom_kill":
            return int(count)
    return 0


def oom_kills_here(paths: Iterable[str] = GROUP_FILES) -> int:
    """The same for the group that this box shows, if it shows one."""
    for path in paths:
        try:
            with open(path) as file:
                return oom_kills(file.read())
        except OSError:
            continue
    return 0


def _sum(text: bytes, names: tuple[bytes, ...]) -> int:
    total = 0
    for name in names:
        at = text.find(name)
        if at >= 0:
            total += int(text[at + len(name) : text.index(b"kB", at)]) << 10
    return total


def _read(path: str) -> bytes:
    """What it says now; nothing when it is gone or closed to us."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        parts: list[bytes] = []
        while True:
            part = os.read(descriptor, 1 << 16)
            if not part:
                return b"".join(parts)
            parts.append(part)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
