"""Things of the kernel that are rarely asked for. Runs inside a box only, each in a run of its own."""

import ctypes
import errno
import os
import platform
import resource
import struct

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
COLUMN = {"x86_64": 0, "aarch64": 1}[platform.machine()]


def call(numbers, *arguments):
    """The answer of a system call, or its error as a negative number."""
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    done = LIBC.syscall(ctypes.c_long(numbers[COLUMN]), *given, *[ctypes.c_long(0)] * (6 - len(given)))
    return done if done >= 0 else -ctypes.get_errno()


def until_error(make):
    """How many there were before the kernel refused one more, and how it did."""
    for made in range(100_000):
        if (answer := make()) < 0:
            return made, errno.errorcode[-answer]
    raise AssertionError("there was no end")


def test_inotify_instances():
    made, why = until_error(lambda: call((294, 26), 0))
    assert (why, 1 <= made < 1024) == ("EMFILE", True)


def test_fanotify_groups():
    """An engine's profile refuses; the kernel alone gives a few that can watch what can be read anyway."""
    report_file_handles = 0x200
    made, why = until_error(lambda: call((300, 262), report_file_handles, 0))
    assert why in ("EPERM", "EMFILE", "ENOSYS") and made < 1024
    assert call((300, 262), 4, 0) == -errno.EPERM, "a group that may forbid others to open files"


def test_priority_and_scheduler():
    for number in (-20, -1):
        with pytest.raises(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, number)
    for policy in (os.SCHED_FIFO, os.SCHED_RR):
        with pytest.raises(PermissionError):
            os.sched_setscheduler(0, policy, os.sched_param(1))
    deadline = struct.pack("IIQiIQQQ", 48, 6, 0, 0, 0, 10_000_000, 20_000_000, 20_000_000)
    assert call((314, 274), 0, ctypes.create_string_buffer(deadline), 0) == -errno.EPERM
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def test_after_priority_and_scheduler():
    assert (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)) == (0, os.SCHED_OTHER)


def test_personality():
    """One that makes every page executable; it must not come back in the next run."""
    LIBC.personality(ctypes.c_ulong(0x0400000 | 0x0040000 | 8))
    if os.fork() == 0:
        os.execv("/bin/true", ["true"])
    assert os.wait()[1] == 0


def test_after_personality():
    assert LIBC.personality(ctypes.c_ulong(0xFFFFFFFF)) == 0
    assert platform.machine() == os.uname().machine


def test_another_face_for_its_memory():
    """PR_SET_MM and its kin would let a process claim another program and other arguments."""
    for option in (1, 3, 6, 8, 10, 13):
        assert LIBC.prctl(35, option, 0x10000, 0, 0) == -1 and ctypes.get_errno() in (
            errno.EPERM,
            errno.EINVAL,
        )
    for option, value in ((24, 0), (28, 1)):  # A capability dropped from the bounding set; secure bits.
        assert LIBC.prctl(option, value, 0, 0, 0) == -1 and ctypes.get_errno() == errno.EPERM


def test_ports_of_the_machine():
    if COLUMN == 0:
        assert call((172, 0), 3) in (-errno.EPERM, -errno.ENOSYS)
        assert call((173, 0), 0x80, 1, 1) in (-errno.EPERM, -errno.ENOSYS)


def test_names_of_the_machine():
    for numbers in ((170, 161), (171, 162)):
        assert call(numbers, ctypes.create_string_buffer(b"evil"), 4) == -errno.EPERM
    assert call((153, 58)) == -errno.EPERM, "vhangup"


def test_typing_into_a_terminal():
    import fcntl
    import pty
    import termios

    for descriptor in (0, 1, 2):
        with pytest.raises(OSError) as refused:
            fcntl.ioctl(descriptor, termios.TIOCSTI, b"x")
        assert refused.value.errno == errno.ENOTTY
    _, follower = pty.openpty()
    with pytest.raises(OSError):
        fcntl.ioctl(follower, termios.TIOCCONS)


def test_buffers_of_pipes():
    """Buffers of a megabyte each, filled; a user has few of them, the box's user has its own."""
    import fcntl

    made = 0
    for _ in range(400):
        _, writing = os.pipe()
        try:
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 20)
        except PermissionError:
            break
        os.set_blocking(writing, False)
        os.write(writing, b"x" * (1 << 20))
        made += 1
    assert 0 < made <= 80
    with pytest.raises(PermissionError):
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 22)


def test_landlock():
    """A process may shut itself in; nobody who has to clean up after it is shut in with it."""
    everything = (1 << 13) - 1
    rules = call((444, 444), ctypes.create_string_buffer(struct.pack("Q", everything)), 8, 0)
    if rules in (-errno.ENOSYS, -errno.EOPNOTSUPP, -errno.EPERM):
        return
    assert call((446, 446), rules, 0) == 0
    with pytest.raises(PermissionError):
        os.open("made-in-landlock", os.O_WRONLY | os.O_CREAT)


def test_locked_pages():
    import mmap

    page = mmap.mmap(-1, 1 << 26)
    where = ctypes.addressof(ctypes.c_char.from_buffer(page))
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    locked = LIBC.mlock(ctypes.c_void_p(where), ctypes.c_size_t(1 << 26)) == 0
    assert locked == (limit == resource.RLIM_INFINITY or limit >= 1 << 26)
