"""Whose is this? A name for one process that outlives it, so that what it left behind can be taken away."""

from __future__ import annotations

import os
import sys
import uuid
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Owner:
    """One process of one machine. A pid alone is not enough: pids are used again."""

    machine: str
    boot: str
    """Empty where the system does not tell; so are the namespace and the start time."""
    namespace: str
    """Inode of the pid namespace: a container's pids mean nothing outside of it."""
    pid: int
    started: str
    """Start time in clock ticks since boot."""

    def text(self) -> str:
        """One word, fit for a label and for a file name."""
        return f"{self.machine}.{self.boot}.{self.namespace}.{self.pid}.{self.started}"

    @classmethod
    def parse(cls, text: str) -> Owner | None:
        """The owner that `text()` wrote, or None when it did not."""
        parts = text.split(".")
        if len(parts) != 5 or not parts[0] or not (parts[3].isascii() and parts[3].isdigit()):
            return None
        machine, boot, namespace, pid, started = parts
        return cls(machine, boot, namespace, int(pid), started)


def this_process() -> Owner:
    pid = os.getpid()
    stat = _stat(pid)
    return Owner(_machine(), _boot(), _namespace(), pid, stat.started if stat else "")


def is_gone(owner: Owner) -> bool:
    """True only when the process certainly runs no more.

    What we cannot see, on another machine or in another pid namespace, is never gone for us.
    """
    if owner.machine != _machine() or owner.namespace != _namespace():
        return False
    if owner.boot != _boot():
        return True
    stat = _stat(owner.pid)
    if stat is None:
        return not _answers(owner.pid)
    # A zombie has a pid, but it will never touch anything again.
    return stat.state in "ZX" or (owner.started != "" and owner.started != stat.started)


@dataclass(frozen=True, slots=True)
class _Stat:
    state: str
    started: str


def _stat(pid: int) -> _Stat | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    return parse_stat(text)


def parse_stat(text: str) -> _Stat | None:
    """State and start time of a `/proc/PID/stat`; the command may itself hold spaces and parentheses."""
    fields = text.rpartition(")")[2].split()
    return _Stat(fields[0], fields[19]) if len(fields) > 19 else None


def _answers(pid: int) -> bool:
    # On Windows signal 0 is a real Ctrl-C, so nobody is asked there, and nobody is gone.
    if sys.platform == "win32" or pid <= 0:
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


@lru_cache(maxsize=1)
def _machine() -> str:
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        machine = _line(Path(path))
        if machine.isalnum():
            return machine
    return f"{uuid.getnode():012x}"


@lru_cache(maxsize=1)
def _boot() -> str:
    return _line(_PROC / "sys/kernel/random/boot_id")


@lru_cache(maxsize=1)
def _namespace() -> str:
    try:
        return str((_PROC / "self/ns/pid").stat().st_ino)
    except OSError:
        return ""


def _line(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
