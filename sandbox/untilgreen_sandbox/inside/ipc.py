"""What outlives its process: shared memory, semaphores and queues of System V. No run may reach the next."""

from __future__ import annotations

import ctypes
import os
import socket
import time
from collections.abc import Callable

_REMOVE = 0


def remove_all() -> None:
    """Remove all that this user made in this namespace. Raises OSError when something stays."""
    libc = ctypes.CDLL(None, use_errno=True)
    calls: dict[str, Callable[[int], int]] = {
        "shm": lambda number: int(libc.shmctl(number, _REMOVE, None)),
        "sem": lambda number: int(libc.semctl(number, 0, _REMOVE)),
        "msg": lambda number: int(libc.msgctl(number, _REMOVE, None)),
    }
    for kind, remove in calls.items():
        for number in _numbers("/proc/sysvipc/" + kind):
            if remove(number) != 0:
                error = ctypes.get_errno()
                raise OSError(error, "%s %d cannot be removed: %s" % (kind, number, os.strerror(error)))


def forget_sockets() -> None:
    """Sockets that lie in each other's queues are held by nobody, names and open files with them."""
    deadline = time.monotonic() + 5
    while unix_sockets():
        # The kernel looks for such rings whenever some socket is closed.
        for one in socket.socketpair():
            one.close()
        if time.monotonic() > deadline:
            raise OSError("a socket of the tests cannot be closed")
        time.sleep(0.001)


def unix_sockets() -> int:
    """How many there are in this network namespace; nobody but tests makes any."""
    try:
        with open("/proc/net/unix", "rb") as file:
            return max(0, file.read().count(b"\n") - 1)
    except OSError:
        return 0


def _numbers(path: str) -> list[int]:
    try:
        with open(path) as file:
            return [int(line.split()[1]) for line in file.readlines()[1:]]
    except FileNotFoundError:
        return []  # This kernel has none of them.
