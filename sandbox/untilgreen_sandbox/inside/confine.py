"""What a test process gives up between fork and exec: user, limits, system calls."""

from __future__ import annotations

import ctypes
import os
import resource
import signal

from untilgreen_sandbox.inside import seccomp

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_CAPABILITY_VERSION = 0x20080522


class Confinement:
    """The limits of one run, as numbers the kernel takes."""

    def __init__(self, message: dict[str, object], grouped: bool) -> None:
        self.uid = _mapped(_number(message, "uid"))
        self.memory = _number(message, "memory_mb") << 20
        self.processes = _number(message, "processes")
        self.open_files = _number(message, "open_files")
        self.file_size = _number(message, "file_mb") << 20
        self.grouped = grouped

    def enter(self, seconds: float) -> None:
        """Called in the child just before exec; when anything here fails, nothing runs."""
        try:
            self._give_up(seconds)
        except Exception as error:
            os.write(2, ("the tests cannot be confined: %r\n" % error).encode())
            os._exit(126)

    def _give_up(self, seconds: float) -> None:
        os.umask(0o022)
        _prefer_for_the_oom_killer()
        cpu = int(seconds) + 5
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_CPU, cpu)
        _limit(resource.RLIMIT_FSIZE, self.file_size)
        _limit(resource.RLIMIT_NOFILE, self.open_files)
        # Counts what a process really asks for; RLIMIT_AS would also count numpy's reservations.
        if self.memory:
            _limit(resource.RLIMIT_DATA, self.memory)
        if os.getuid() == 0:
            os.setgroups([])
            os.setresgid(self.uid, self.uid, self.uid)
            os.setresuid(self.uid, self.uid, self.uid)
        _drop_inheritable_capabilities()
        if 0 in os.getresuid() or 0 in os.getresgid():
            raise PermissionError("tests may not run as root")
        # After the change of user, so that it counts against that user.
        _limit(resource.RLIMIT_NPROC, self.processes)
        # Files without a name are memory that only a control group can count.
        seccomp.install(nameless_files=self.grouped)


def hide_this_process() -> None:
    """Nobody but root may read this process's memory, environment or descriptors, not even its own user."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def die_with_parent() -> None:
    """End when the process that opened the box ends; the kernel forgets this at every change of user."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _drop_inheritable_capabilities() -> None:
    """The change of user took the others; bubblewrap leaves these."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    if libc.capset(header, (ctypes.c_uint32 * 6)()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, "capabilities cannot be given up: " + os.strerror(number))


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))


def _prefer_for_the_oom_killer() -> None:
    """When memory runs out the tests die, not the program that watches them."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass  # Closed to a hidden process without root; the limits above still hold.


def _mapped(uid: int) -> int:
    """The wanted user, or one that exists here: a rootless engine maps only the first 65,536."""
    with open("/proc/self/uid_map") as file:
        ranges = [tuple(int(part) for part in line.split()) for line in file]
    if any(first <= uid < first + count for first, _, count in ranges):
        return uid
    return 30_000 + uid % 30_000


def _number(message: dict[str, object], name: str) -> int:
    value = message[name]
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("%s is not a number" % name)
    return value
