"""Runs in the test process: forks that work and may die, and a board that each of them writes on.

What a fork has written stays when it dies; where it was tells what killed it. Its source comes to that
process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import select
import signal
import struct
import time
import warnings
from typing import Any, Callable, List, Tuple

HEAD = struct.Struct("=III")
SIZE = 1 << 20
TIME_OVER, FULL, BROKE = 3, 4, 5
"""Why a fork ended itself, as its exit code."""
TICK = 0.02
ASLEEP = 0.3
"""Seconds that a test may sleep, besides some times of what it slept on the user's own code."""


class Board:
    """Memory that a fork shares with its maker: where it is, and lines of JSON one after the other."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, SIZE)
        self.end = HEAD.size
        self.read = HEAD.size

    def at(self, n: int, step: int) -> None:
        HEAD.pack_into(self.memory, 0, self.end, n, step)

    def say(self, *record: Any) -> None:
        line = json.dumps(record).encode() + b"\n"
        if self.end + len(line) > SIZE:
            os._exit(FULL)
        self.memory[self.end : self.end + len(line)] = line
        self.end += len(line)
        self.memory[0:4] = struct.pack("=I", self.end)

    def position(self) -> Tuple[int, int]:
        _, n, step = HEAD.unpack_from(self.memory, 0)
        return n, step

    def news(self) -> List[Any]:
        """What was written since the last look; what is none of ours is not looked at."""
        end = min(HEAD.unpack_from(self.memory, 0)[0], SIZE)
        lines = self.memory[self.read : end].split(b"\n")[:-1]
        self.read = max(self.read, end)
        found = []
        for line in lines:
            with contextlib.suppress(ValueError, RecursionError):
                record = json.loads(line)
                if isinstance(record, list) and record:
                    found.append(record)
        return found


class Worker:
    """One fork at its work."""

    def __init__(self, work: Callable[[Board], None], patience: Callable[[int], Tuple[float, float]]) -> None:
        self.board = Board()
        self.patience = patience
        """CPU seconds and wall seconds that a step may take."""
        self.ended = False
        self.killed = False
        self.status = 0
        self.cpu = 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setpgid(0, 0)
                work(self.board)
            except BaseException as error:
                with contextlib.suppress(BaseException):
                    self.board.say("broke", "%s: %s" % (type(error).__name__, str(error)[:200]))
                os._exit(BROKE)
            finally:
                os._exit(0)
        self.process = os.pidfd_open(self.pid)
        self.seen = (self.board.position(), time.monotonic(), 0.0)
        self.asleep, self.last = 0, 0.0

    @property
    def crashed(self) -> bool:
        return self.status != 0

    def used(self) -> float:
        """CPU seconds so far."""
        if self.ended:
            return self.cpu
        try:
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            return 0.0

    def look(self) -> None:
        """End it when it has stood in the same place for too long."""
        position, cpu, now = self.board.position(), self.used(), time.monotonic()
        if position != self.seen[0]:
            self.seen, self.asleep = (position, now, cpu), 0
            return
        _, since, cpu_since = self.seen
        idle = cpu - self.last < TICK / 10 and _state(self.pid) in "SDT"
        self.asleep, self.last = self.asleep + 1 if idle else 0, cpu
        limit, wall = self.patience(position[1])
        stuck = cpu - cpu_since > 4 * limit + 0.1
        sleeps = self.asleep * TICK > ASLEEP + 4 * wall
        if stuck or sleeps or now - since > 60:
            self.kill()

    def kill(self) -> None:
        self.killed = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def reap(self) -> None:
        _, self.status, usage = os.wait4(self.pid, 0)
        self.cpu = usage.ru_utime + usage.ru_stime
        self.ended = True
        os.close(self.process)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


def wait(workers: List[Worker], seconds: float = TICK) -> List[Worker]:
    """Those that have ended by now, or within so many seconds; others are looked after."""
    by_process = {worker.process: worker for worker in workers}
    ready = select.select(list(by_process), [], [], seconds)[0] if by_process else []
    ended = [by_process[process] for process in ready]
    for worker in ended:
        worker.reap()
    if seconds:
        for worker in workers:
            if not worker.ended:
                worker.look()
    return ended


def _state(pid: int) -> str:
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            return file.read().rpartition(b")")[2].split()[0].decode()
    except (OSError, LookupError):
        return "?"
