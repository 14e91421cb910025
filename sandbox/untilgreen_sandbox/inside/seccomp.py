"""A system call filter for the tests, assembled here so that both backends have the same one.

It is laid over whatever the engine already forbids. What honest test suites use stays open: threads,
processes, loopback sockets, files. What only an escape needs answers EPERM.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

# Name → (x86_64, aarch64).
DENIED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # Counted for the whole machine: one run could take all that there is.
    "io_setup": (206, 0),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Queues have names that outlive a run, and without a mount of them nobody can see which.
    "mq_open": (240, 180),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
}
NAMELESS_FILES = {"memfd_create": (319, 279), "memfd_secret": (447, 447)}
# Each takes a user or group in all of its arguments, of which there are this many.
USERS = {
    "setuid": (105, 146, 1),
    "setreuid": (113, 145, 2),
    "setresuid": (117, 147, 3),
    "setfsuid": (122, 151, 1),
}
GROUPS = {
    "setgid": (106, 144, 1),
    "setregid": (114, 143, 2),
    "setresgid": (119, 149, 3),
    "setfsgid": (123, 152, 1),
}
SETGROUPS = (116, 159)
# Of another process than one's own; without root the program that watches has the tests' user.
PRLIMIT = (302, 261)
UNCHANGED = 0xFFFFFFFF
CLONE = (56, 220)
CLONE3 = (435, 435)
UNSHARE = (272, 97)
SOCKET = (41, 198)

# Mount, cgroup, uts, ipc, user, pid and net namespaces; time (0x80) exists for unshare alone.
NEW_NAMESPACES = 0x7E020000
NEW_TIME = 0x80
# A process beside its maker: only a template's forks may be the template's children.
AS_SIBLING = 0x8000
# Netlink stays: name look-up of interfaces needs it, and the box has no network to configure.
CLOSED_FAMILIES = {
    "AF_KEY": 15,
    "AF_PACKET": 17,
    "AF_BLUETOOTH": 31,
    "AF_ALG": 38,
    "AF_VSOCK": 40,
    "AF_XDP": 44,
}

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
X32_BIT = 0x40000000

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_PR_SET_SECCOMP, _MODE_FILTER, _PR_SET_NO_NEW_PRIVS = 22, 2, 38


def program(machine: str, nameless_files: bool = True, only_user: int | None = None) -> bytes:
    """The filter as the kernel wants it, for one architecture.

    With `only_user` a process that may change its user can become this one and no other.
    """
    arch, column = ARCHITECTURES[machine]
    steps = [
        _step(_LOAD, _ARCH),
        _step(_EQUAL, arch, 1, 0),
        _step(_RETURN, _KILL_PROCESS),
        _step(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        steps += [_step(_AT_LEAST, X32_BIT, 0, 1), _errno(errno.EPERM)]
    for numbers in DENIED.values():
        steps += [_step(_EQUAL, numbers[column], 0, 1), _errno(errno.EPERM)]
    if not nameless_files:
        # Programs know kernels without them.
        for numbers in NAMELESS_FILES.values():
            steps += [_step(_EQUAL, numbers[column], 0, 1), _errno(errno.ENOSYS)]
    # ENOSYS makes the C library fall back to clone, whose flags a filter can see.
    steps += [_step(_EQUAL, CLONE3[column], 0, 1), _errno(errno.ENOSYS)]
    steps += _when_flags(CLONE[column], NEW_NAMESPACES | AS_SIBLING)
    steps += _when_flags(UNSHARE[column], NEW_NAMESPACES | NEW_TIME)
    steps += _when_families(SOCKET[column])
    steps += _when_only(PRLIMIT[column], 1, 0)
    if only_user is not None:
        for *both, count in (*USERS.values(), *GROUPS.values()):
            steps += _when_only(both[column], count, only_user)
        steps += _when_only(SETGROUPS[column], 1, 0)
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def install(nameless_files: bool = True, only_user: int | None = None) -> None:
    """Put the filter on this process and all its children, for ever. Raises OSError when it cannot."""
    code = program(platform.machine(), nameless_files, only_user)
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    filled = Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    for arguments in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(filled), 0, 0),
    ):
        if libc.prctl(*arguments) != 0:
            number = ctypes.get_errno()
            raise OSError(number, "the system call filter cannot be installed: " + os.strerror(number))


def _when_flags(number: int, mask: int) -> list[bytes]:
    return [
        _step(_EQUAL, number, 0, 4),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_ANY_BIT, mask, 0, 1),
        _errno(errno.EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _when_families(number: int) -> list[bytes]:
    checks: list[bytes] = []
    for family in CLOSED_FAMILIES.values():
        checks += [_step(_EQUAL, family, 0, 1), _errno(errno.EPERM)]
    return [
        _step(_EQUAL, number, 0, len(checks) + 2),
        _step(_LOAD, _FIRST_ARGUMENT),
        *checks,
        _step(_RETURN, _ALLOW),
    ]


def _when_only(number: int, count: int, allowed: int) -> list[bytes]:
    """Each of the first `count` arguments must be the allowed number, or the one that means no change."""
    checks: list[bytes] = []
    for position in range(count):
        checks += [
            _step(_LOAD, _FIRST_ARGUMENT + 8 * position),
            _step(_EQUAL, allowed, 2, 0),
            _step(_EQUAL, UNCHANGED, 1, 0),
            _errno(errno.EPERM),
        ]
    return [_step(_EQUAL, number, 0, len(checks) + 1), *checks, _step(_RETURN, _ALLOW)]


def _step(code: int, k: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, k)


def _errno(number: int) -> bytes:
    return _step(_RETURN, 0x00050000 | number)
