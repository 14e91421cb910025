"""Watches one test process from start to end, and ends all it started."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable

from untilgreen_sandbox.inside.meter import Meter

CHUNK = 1 << 16
MAX_EVENTS = 64 << 20
_TICK = 0.25


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


class Watch:
    """How a watched process ended: exited, signalled, timeout, flooded or hangup (the host went away)."""

    def __init__(self, how: str, over: str, status: int, seconds: float, output: Capture) -> None:
        self.how = how
        self.over = over
        """Of what the box held too much, when it was ended for that."""
        self.status = status
        self.seconds = seconds
        self.output = output


def watch(
    start: Callable[[int, int], int],
    seconds: float,
    output_limit: int,
    host: int,
    forward: Callable[[bytes], None],
    meter: Meter,
) -> Watch:
    """Start a process, pass on its events, keep its output; wait for the pid and not for the end of pipes.

    `start(events, output)` gets the write ends and returns the pid. `host` is the descriptor whose hangup
    means that nobody is interested any more.
    """
    events_read, events_write = os.pipe()
    output_read, output_write = os.pipe()
    output = Capture(output_limit)
    begun = time.monotonic()
    try:
        pid = start(events_write, output_write)
    except OSError:
        os.close(events_read)
        os.close(output_read)
        raise
    finally:
        os.close(events_write)
        os.close(output_write)
    process = os.pidfd_open(pid)
    n_events = 0
    how = over = ""
    with selectors.DefaultSelector() as selector:
        for descriptor in (events_read, output_read, host, process):
            selector.register(descriptor, selectors.EVENT_READ)
        while not how:
            left = begun + seconds - time.monotonic()
            if left <= 0:
                how = "timeout"
                break
            over = meter.over()
            if over:
                how = "over"
                break
            for key, _ in selector.select(min(left, _TICK, meter.wait())):
                if key.fd == process:
                    how = "ended"
                elif key.fd == host:
                    # The host says nothing while a run is under way: this is its end.
                    how = "hangup"
                else:
                    data = os.read(key.fd, CHUNK)
                    if not data:
                        selector.unregister(key.fd)
                    elif key.fd == output_read:
                        output.feed(data)
                    else:
                        n_events += len(data)
                        if n_events > MAX_EVENTS:
                            how = "flooded"
                        else:
                            forward(data)
            reap_orphans(pid)
    if how != "ended":
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(process)
    end_all_others()
    for descriptor, take in ((events_read, forward), (output_read, output.feed)):
        _drain(descriptor, take)
    output.finish()
    if how in ("ended", "over"):
        how = "signalled" if os.WIFSIGNALED(status) else "exited"
    code = os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return Watch(how, over, code, time.monotonic() - begun, output)


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


def end_all_others() -> None:
    """Kill every process of this pid namespace but its first and this one."""
    deadline = time.monotonic() + 10
    while True:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        reap_orphans(0)
        others = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        if not [pid for pid in others if pid not in (1, os.getpid()) and _lives(pid)]:
            return
        if time.monotonic() > deadline:
            raise TimeoutError("a process of the tests cannot be ended")
        time.sleep(0.002)


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


def _lives(pid: int) -> bool:
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except (FileNotFoundError, ProcessLookupError):
        return False


def _drain(descriptor: int, take: Callable[[bytes], None]) -> None:
    """What is still in the pipe; nobody can write any more, so this ends."""
    os.set_blocking(descriptor, False)
    while True:
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            break
        if not data:
            break
        take(data)
    os.close(descriptor)
