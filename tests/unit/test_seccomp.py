"""The filter, decided by a small interpreter of its own kind of program. The real kernel is in hostile/."""

from __future__ import annotations

import errno
import struct
from functools import cache

import pytest

from untilgreen_sandbox.inside import seccomp

ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
MACHINES = list(seccomp.ARCHITECTURES)


def decide(machine: str, number: int, argument: int = 0, arch: int | None = None) -> int:
    """What the kernel would answer to one system call."""
    data = struct.pack(
        "=IIQ6Q", number, seccomp.ARCHITECTURES[machine][0] if arch is None else arch, 0, argument, *[0] * 5
    )
    steps = steps_of(machine)
    value, at = 0, 0
    while True:
        code, if_true, if_false, k = steps[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("=I", data, k)
        elif code == 0x06:
            return k
        else:
            hit = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[code]
            at += if_true if hit else if_false


@cache
def steps_of(machine: str) -> list[tuple[int, int, int, int]]:
    return list(struct.iter_unpack("=HBBI", seccomp.program(machine)))


@pytest.mark.parametrize("machine", MACHINES)
def test_the_program_is_well_formed(machine: str) -> None:
    code = seccomp.program(machine)
    assert len(code) % 8 == 0
    assert len(code) // 8 < 4096, "the kernel takes no more"
    n = len(code) // 8
    for index in range(n):
        kind, if_true, if_false, _ = struct.unpack_from("=HBBI", code, index * 8)
        if kind in (0x15, 0x35, 0x45):
            assert index + 1 + max(if_true, if_false) < n, "a jump stays inside"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", seccomp.DENIED)
def test_denied(machine: str, name: str) -> None:
    column = seccomp.ARCHITECTURES[machine][1]
    assert decide(machine, seccomp.DENIED[name][column]) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_all_others_are_allowed(machine: str) -> None:
    column = seccomp.ARCHITECTURES[machine][1]
    closed = {numbers[column] for numbers in seccomp.DENIED.values()} | {seccomp.CLONE3[column]}
    for number in set(range(600)) - closed:
        assert decide(machine, number) == ALLOW, number


@pytest.mark.parametrize("machine", MACHINES)
def test_namespaces(machine: str) -> None:
    column = seccomp.ARCHITECTURES[machine][1]
    clone, unshare = seccomp.CLONE[column], seccomp.UNSHARE[column]
    for flag in (0x10000000, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x20000000, 0x40000000):
        assert decide(machine, clone, flag | 17) == EPERM
        assert decide(machine, unshare, flag | 0x400) == EPERM
    assert decide(machine, unshare, 0x80) == EPERM
    # A fork, a thread as the C library makes it, and an unshare of the file table.
    for flags in (17, 0x3D0F00, 0x1200011):
        assert decide(machine, clone, flags) == ALLOW
    assert decide(machine, unshare, 0x400) == ALLOW
    assert decide(machine, seccomp.CLONE3[column]) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_sockets(machine: str) -> None:
    number = seccomp.SOCKET[seccomp.ARCHITECTURES[machine][1]]
    closed = set(seccomp.CLOSED_FAMILIES.values())
    assert {17, 38, 40} <= closed
    for family in range(64):
        assert decide(machine, number, family) == (EPERM if family in closed else ALLOW), family


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_is_killed(machine: str) -> None:
    for arch in (0x40000003, 0x40000028, 0, 0xFFFFFFFF):
        assert decide(machine, 0, arch=arch) == KILL
    assert decide("x86_64", seccomp.X32_BIT | 39) == EPERM
