"""What a test process gives up between fork and exec: user, limits, system calls."""

from __future__ import annotations

import ctypes
import os
import resource
import signal

from untilgreen_sandbox.inside import seccomp

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_KEEPCAPS = 8
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 47, 2
_CAPABILITY_VERSION = 0x20080522
_CAP_SETGID, _CAP_SETUID = 6, 7
_SETUID_AND_SETGID = 1 << _CAP_SETGID | 1 << _CAP_SETUID


class Confinement:
    """The limits of one run, as numbers the kernel takes."""

    def __init__(self, message: dict[str, object], grouped: bool) -> None:
        self.uid = _mapped(_number(message, "uid"))
        self.template_uid = self.uid + 1
        self.memory = _number(message, "memory_mb") << 20
        self.processes = _number(message, "processes")
        self.open_files = _number(message, "open_files")
        self.file_size = _number(message, "file_mb") << 20
        self.grouped = grouped

    def enter(self, seconds: float) -> None:
        """For a process that runs tests, just before exec; when anything here fails, nothing runs."""
        self._enter(seconds, template=False)

    def enter_template(self) -> None:
        """For the process that each warm run is forked from; it runs the user's own code, and no candidate's.

        It has a user of its own where there can be two, so that no test can signal it, and keeps the right to
        make its forks the tests' user, which the filter narrows to just that. How long it may compute is told
        to each fork.
        """
        self._enter(None, template=True)

    def _enter(self, seconds: float | None, template: bool) -> None:
        try:
            self._give_up(seconds, template)
        except Exception as error:
            os.write(2, ("the tests cannot be confined: %r\n" % error).encode())
            os._exit(126)

    def _give_up(self, seconds: float | None, template: bool) -> None:
        os.umask(0o022)
        _prefer_for_the_oom_killer()
        self._limit_all()
        if seconds is not None:
            _limit(resource.RLIMIT_CPU, cpu_seconds(seconds))
        changes_user = template and os.getuid() == 0
        if os.getuid() == 0:
            uid = self.template_uid if template else self.uid
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_KEEPCAPS, int(changes_user), 0, 0, 0)
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        # The change of user took the others; bubblewrap leaves those that exec hands on.
        _set_capabilities(_SETUID_AND_SETGID if changes_user else 0)
        if changes_user:
            _hand_on(_CAP_SETGID, _CAP_SETUID)
        if 0 in os.getresuid() or 0 in os.getresgid():
            raise PermissionError("tests may not run as root")
        # After the change of user, so that it counts against that user.
        _limit(resource.RLIMIT_NPROC, self.processes)
        # Files without a name are memory that only a control group can count.
        seccomp.install(nameless_files=self.grouped, only_user=self.uid if changes_user else None)

    def _limit_all(self) -> None:
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_FSIZE, self.file_size)
        _limit(resource.RLIMIT_NOFILE, self.open_files)
        # Counts what a process really asks for; RLIMIT_AS would also count numpy's reservations.
        if self.memory:
            _limit(resource.RLIMIT_DATA, self.memory)


class OtherUser:
    """Work on files as the tests' user, so that they own them; our real user stays out of their reach."""

    def __init__(self, uid: int | None) -> None:
        self.uid = uid

    def __enter__(self) -> None:
        if self.uid is not None:
            os.setegid(self.uid)
            os.seteuid(self.uid)

    def __exit__(self, *_: object) -> None:
        if self.uid is not None:
            os.seteuid(0)
            os.setegid(0)
            die_with_parent()


def cpu_seconds(seconds: float) -> int:
    """Of processor time for one process, when a run may take this long."""
    return int(seconds) + 5


def hide_this_process() -> None:
    """Nobody but root may read this process's memory, environment or descriptors, not even its own user."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def die_with_parent() -> None:
    """End when the process that opened the box ends; the kernel forgets this at every change of user."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _set_capabilities(mask: int) -> None:
    """Have exactly these, and hand on exactly these."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    if libc.capset(header, (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, "capabilities cannot be set: " + os.strerror(number))


def _hand_on(*capabilities: int) -> None:
    """Keep them over exec, which takes them from every other user than root."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in capabilities:
        if libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "the capability to change the user cannot be kept")


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
