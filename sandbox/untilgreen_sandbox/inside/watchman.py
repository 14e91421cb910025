"""Watches one test process from start to end, and ends all it started."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterable

from untilgreen_sandbox.inside.ending import Process, drain, end, kill, reap_orphans
from untilgreen_sandbox.inside.meter import Meter

MAX_EVENTS = 64 << 20
_TICK = 0.02
_F_SETPIPE_SZ = 1031
PIPE = 1 << 20
MOST_PER_TICK = 16 << 20
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
        leaving: bool = False,
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
        self.leaving = leaving
        """True when it only said that it ends; `see_off` finds out whether it did."""


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
        self.leaving = -1

    def said(self) -> int | None:
        return None

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

    A fork that says that it is about to end is believed for the moment: its answer can be on its way while
    the kernel takes its memory apart. `host` is the descriptor whose hangup means that nobody is interested
    any more. The processes in `keep` outlive the run; all others do not.
    """
    begun = time.monotonic()
    n_events = 0
    last_events = bytearray()
    how = over = ""
    said: int | None = None

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
        ends = {process.leaving: "leaving", process.ended: "ended", host: "hangup"}
        for descriptor in ends.keys() - {-1}:
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
            ready = {key.fd for key, _ in selector.select(min(left, _TICK, meter.wait()))}
            for descriptor, end_of in ends.items():
                # The host says nothing while a run is under way: this is its end.
                how = end_of if descriptor in ready else how
            if how == "leaving":
                said = process.said()
                if said is None:
                    # Somebody wrote there who writes everywhere; only its end tells when it ends.
                    selector.unregister(process.leaving)
                    how = ""
            reap_orphans(process.pid)
            if not how:
                drain(process.events, take_events, MOST_PER_TICK)
                drain(process.output, output.feed, MOST_PER_TICK)
            if n_events > MAX_EVENTS:
                how = "flooded"
    if how == "leaving" and said is not None:
        drain(process.events, last_events.extend, MAX_EVENTS)
        drain(process.output, output.feed, MOST_PER_TICK)
        output.finish()
        return Watch("exited", "", said, time.monotonic() - begun, output, False, bytes(last_events), True)
    if how != "ended":
        kill(process)
    status, left_over = end(process, keep, last_events.extend, output.feed)
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


def _widen(pipe: int) -> None:
    """Room for what is written between two looks; a user who has many pipes gets no more."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(pipe, _F_SETPIPE_SZ, PIPE)
    os.set_blocking(pipe, False)
