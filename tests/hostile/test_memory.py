"""Programs that take memory where it is not seen at once: limits hold for all processes and files."""

from __future__ import annotations

import re

import pytest

from boxes import HONEST, Rig, assert_honest, only, run_one
from hostile.unprivileged import Unprivileged
from untilgreen_sandbox import bubblewrap

# All limits of these boxes together are 200 MB; every program stops by itself at three times that, and keeps
# it for a while: without a control group somebody has to come and measure.
LIMITS = {"memory_mb": 150, "disk_mb": 50}
BOMBS = {
    "shared pages": """\
        import mmap, time
        def test_bomb():
            held = []
            for _ in range(40):
                held.append(mmap.mmap(-1, 1 << 24))
                held[-1].write(b"x" * (1 << 24))
            time.sleep(5)
        """,
    "many processes": """\
        import os, time
        def test_bomb():
            for _ in range(12):
                if os.fork() == 0:
                    held = bytearray(os.urandom(1 << 20)) * 50
                    time.sleep(60)
            time.sleep(5)
        """,
    "pages of nobody": """\
        import ctypes, time
        def test_bomb():
            libc = ctypes.CDLL(None)
            libc.shmat.restype = ctypes.c_void_p
            for _ in range(40):
                number = libc.shmget(0, 1 << 24, 0o1600)
                place = libc.shmat(number, None, 0)
                assert place != ctypes.c_void_p(-1).value
                ctypes.memset(place, 1, 1 << 24)
                assert libc.shmdt(ctypes.c_void_p(place)) == 0
            time.sleep(5)
        """,
    "files and memory": """\
        import os, time
        def test_bomb():
            for folder in (".", "/tmp", "/var/tmp"):
                with open(folder + "/large", "wb") as file:
                    for _ in range(45): file.write(b"x" * (1 << 20))
            held = bytearray(os.urandom(1 << 20)) * 110
            time.sleep(5)
        """,
}
NAMELESS = """\
    import os
    def test_bomb():
        held = []
        for n in range(40):
            held.append(os.memfd_create(str(n)))
            os.write(held[-1], b"x" * (1 << 24))
    """
# 5 × 110 MB as each process tells it, 110 MB in truth.
SHARING = """\
    import os, time
    def test_shares():
        held = bytearray(os.urandom(1 << 20)) * 110
        children = [os.fork() for _ in range(4) if os.getpid() == PARENT]
        time.sleep(1.2)
        if os.getpid() != PARENT: os._exit(0)
        for child in children: assert os.waitpid(child, 0)[1] == 0
    PARENT = os.getpid()
    """
DETAIL = "the memory limit was reached while test_it.py::test_bomb was running"


@pytest.mark.dealt
@pytest.mark.parametrize("name", [*BOMBS, "nameless files"])
async def test_memory(rig: Rig, name: str) -> None:
    async with rig.box(HONEST, **LIMITS) as box:
        report = await run_one(box, BOMBS.get(name, NAMELESS), seconds=30)
        assert report.ended == "oom"
        # In a group the kernel chooses who dies; it may leave those who wait for the others.
        assert report.detail == DETAIL or name == "many processes"
        assert report.seconds < 15
        await assert_honest(box)
        assert only(await run_one(box, SHARING)).message == ""


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_without_a_control_group(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program inside measures, as it does for users who cannot have a group."""
    monkeypatch.setattr(bubblewrap, "make_group", lambda limits: None)
    async with rig.box(HONEST, **LIMITS) as box:
        for name, bomb in BOMBS.items():
            report = await run_one(box, bomb, seconds=30)
            assert (report.ended, report.detail) == ("oom", DETAIL), name
        assert "Function not implemented" in only(await run_one(box, NAMELESS)).message
        assert only(await run_one(box, SHARING)).message == ""
        await assert_honest(box)


def test_unprivileged(unprivileged: Unprivileged) -> None:
    runs = ({"test_it.py": source} for source in (*BOMBS.values(), NAMELESS, SHARING))
    *bombs, nameless, sharing, honest = unprivileged(*runs, {}, **LIMITS)
    for name, outcome in zip(BOMBS, bombs, strict=True):
        assert (outcome.ended, outcome.detail) == ("oom", DETAIL), name
    assert "Function not implemented" in nameless.cases["test_it.py::test_bomb"][1]
    assert sharing.cases["test_it.py::test_shares"] == ("passed", "")
    assert honest.cases["test_honest.py::test_right"][0] == "passed"


INODES = """\
    import os, errno
    def test_bomb():
        made = 0
        try:
            for n in range(60_000):
                os.mkdir(f"/{('tmp', 'var/tmp')[n % 2]}/{n}")
                made += 1
        except OSError as error:
            raise ValueError(f"{errno.errorcode[error.errno]} {made}")
        import time; time.sleep(10)
    """
TOO_MANY = "more than 20,000 files and folders were made; the test process was ended by SIGKILL"


async def test_number_of_files(rig: Rig) -> None:
    async with rig.box(HONEST, n_files=20_000) as box:
        report = await run_one(box, INODES, seconds=30)
        if report.ended == "finished":
            # A container's own limit on each folder may be faster than we are.
            assert rig.backend == "docker"
            assert re.fullmatch(r"ENOSPC \d+", only(report).message)
        else:
            assert (report.ended, report.detail[: len(TOO_MANY)]) == ("killed", TOO_MANY)
        await assert_honest(box)


def test_number_of_files_unprivileged(unprivileged: Unprivileged) -> None:
    report, honest = unprivileged({"test_it.py": INODES}, {}, n_files=20_000)
    assert (report.ended, report.detail[: len(TOO_MANY)]) == ("killed", TOO_MANY)
    assert honest.cases["test_honest.py::test_nothing_is_left"] == ("passed", "")
