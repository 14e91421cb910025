"""Watches one test process from start to end, and ends all it started."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from untilgreen_sandbox.inside.meter import Meter

CHUNK = 1 << 16
MAX_EVENTS = 64 << 20
_TICK = 0.02
_F_SETPIPE_SZ = 1031
PIPE = 1 << 20
MOST_PER_TICK = 16 << 20
_ONE_BY_ONE = 3
GONE = -1
STARTS = b'"ev": "start"'


class Capture:
    """The first and the last part of an endless stream."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self.head = bytearray()
        self.tail = bytearray()
        self.dropped = 0

    def feed(self, data: bytes) -> None:
        room = self._half - len(self.head)
        self.head += data[:room]
        self.tail += data[room:] if room > 0 else data
        if len(self.tail) > 2 * self._half:
            self._trim()

    def finish(self) -> None:
        if len(self.tail) > self._half:
            self._trim()

    def _trim(self) -> None:
        extra = len(self.tail) - self._half
        self.dropped += extra
        del self.tail[:extra]


class Deadlines:
    """Until when a process may run: as a whole, and with each of its tests."""

    def __init__(self, seconds: float, one_test: float = math.inf) -> None:
        self._end = time.monotonic() + seconds
        self._one_test = one_test
        self._end_of_test = math.inf

    def hear(self, events: bytes) -> None:
        """The first test starts when it is told; from then on each word tells that one more has ended."""
        if self._end_of_test < math.inf or STARTS in events:
            self._end_of_test = time.monotonic() + self._one_test

    @property
    def left(self) -> float:
        return min(self._end, self._end_of_test) - time.monotonic()


class Watch:
    """How a watched process ended: exited, signalled, timeout, flooded or hangup (the host went away)."""

    def __init__(
        self,
        how: str,
        over: str,
        status: int,
        seconds: float,
        output: Capture,
        left_over: bool,
        last_events: bytes,
    ) -> None:
        self.how = how
        self.over = over
        """Of what the box held too much, when it was ended for that."""
        self.status = status
        self.seconds = seconds
        self.output = output
        self.left_over = left_over
        """True when it left processes behind; they are gone."""
        self.last_events = last_events
        """What was not passed on while it ran."""


class Process(Protocol):
    """A test process under watch: where its events and output come from, and how its end is known."""

    pid: int
    events: int
    output: int
    ended: int
    """Readable when the process has ended."""

    def status(self) -> int:
        """How it ended, as the kernel says it. Called once, when it has ended or was killed."""

    def release(self) -> None:
        """Close what belongs to this run alone."""


class Started:
    """A new process, started by us, with pipes of its own."""

    def __init__(self, start: Callable[[int, int], int]) -> None:
        """`start(events, output)` gets the write ends and returns the pid."""
        self.events, events_write = os.pipe()
        self.output, output_write = os.pipe()
        try:
            self.pid = start(events_write, output_write)
        except OSError:
            os.close(self.events)
            os.close(self.output)
            raise
        finally:
            os.close(events_write)
            os.close(output_write)
        self.ended = os.pidfd_open(self.pid)

    def status(self) -> int:
        return os.waitpid(self.pid, 0)[1]

    def release(self) -> None:
        for descriptor in (self.events, self.output, self.ended):
            os.close(descriptor)


def watch(
    process: Process,
    deadlines: Deadlines,
    output: Capture,
    host: int,
    forward: Callable[[bytes], None],
    meter: Meter,
    keep: Iterable[int] = (),
) -> Watch:
    """Pass on the events of a process, keep its output; wait for its end and not for the end of pipes.

    `host` is the descriptor whose hangup means that nobody is interested any more. The processes in `keep`
    outlive the run; all others do not.
    """
    begun = time.monotonic()
    n_events = 0
    last_events = bytearray()
    how = over = ""

    def take_events(data: bytes) -> None:
        nonlocal n_events
        n_events += len(data)
        deadlines.hear(data)
        if n_events <= MAX_EVENTS:
            forward(data)

    for descriptor in (process.events, process.output):
        _widen(descriptor)
    with selectors.DefaultSelector() as selector:
        # Pipes are looked into now and then: to be woken for each line would cost a short run its time.
        for descriptor in (host, process.ended):
            selector.register(descriptor, selectors.EVENT_READ)
        while not how:
            left = deadlines.left
            if left <= 0:
                how = "timeout"
                break
            over = meter.over()
            if over:
                how = "over"
                break
            for key, _ in selector.select(min(left, _TICK, meter.wait())):
                # The host says nothing while a run is under way: this is its end.
                how = "hangup" if key.fd == host else "ended"
            reap_orphans(process.pid)
            if not how:
                _drain(process.events, take_events, MOST_PER_TICK)
                _drain(process.output, output.feed, MOST_PER_TICK)
            if n_events > MAX_EVENTS:
                how = "flooded"
    if how != "ended":
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    try:
        status = process.status()
    finally:
        left_over = end_all_others(keep)
        # As much as a pipe holds: nobody is left who could write into it.
        for descriptor, take in ((process.events, last_events.extend), (process.output, output.feed)):
            _drain(descriptor, take)
        process.release()
    output.finish()
    if how in ("ended", "over"):
        how = "signalled" if os.WIFSIGNALED(status) else "exited"
    code = os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return Watch(how, over, code, time.monotonic() - begun, output, left_over, bytes(last_events))


def spawn(
    argv: list[str],
    environment: dict[str, str],
    cwd: str,
    keep: tuple[int, ...],
    output: int,
    enter: Callable[[], None],
) -> int:
    """Start a process whose only open descriptors are /dev/null, its output and `keep`."""
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        env=environment,
        cwd=cwd,
        pass_fds=keep,
        start_new_session=True,
        preexec_fn=enter,
    )
    process.returncode = 0  # We wait for the pid ourselves; the object must not.
    return process.pid


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


def _widen(pipe: int) -> None:
    """Room for what is written between two looks; a user who has many pipes gets no more."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(pipe, _F_SETPIPE_SZ, PIPE)
    os.set_blocking(pipe, False)


def _drain(descriptor: int, take: Callable[[bytes], None], most: int = 1 << 62) -> None:
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
