"""Programs that take all there is: each meets a limit, and the next honest run in the same box is right."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from boxes import HONEST, Rig, assert_honest, only, run_one
from hostile.unprivileged import Unprivileged
from untilgreen_sandbox.report import Report

FORKS = """\
    import os, time
    def test_bomb():
        made = 0
        try:
            while True:
                if os.fork() == 0:
                    time.sleep(600)
                made += 1
        except BlockingIOError:
            raise ValueError(f"made {made}")
    """
WILD_FORKS = """\
    import os
    def test_bomb():
        while True:
            try: os.fork()
            except OSError: pass
    """
SHELL = """\
    import subprocess
    def test_bomb():
        subprocess.run(["/bin/sh", "-c", "f() { f | f & }; f; wait; sleep 600"])
        while True: pass
    """
THREADS = """\
    import threading
    def test_bomb():
        made, stop = 0, threading.Event()
        try:
            while True:
                threading.Thread(target=stop.wait, daemon=True).start()
                made += 1
        except RuntimeError:
            stop.set()
            raise ValueError(f"made {made}")
    """
FULL = """\
    import os, errno
    def test_bomb():
        total = 0
        for folder in (".", "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
            try:
                for n in range(1000):
                    with open(f"{folder}/fill{n}", "wb", buffering=0) as file:
                        for _ in range(4):
                            total += file.write(b"x" * (1 << 20))
            except OSError as error:
                assert error.errno in (errno.ENOSPC, errno.ENOMEM)
        raise ValueError(f"made {total >> 20}")
    """
ONE_FILE = """\
    import errno, os, signal
    def test_bomb():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with open("large", "wb", buffering=0) as file:
            file.truncate(8 << 20)
            try: os.pwrite(file.fileno(), b"x", 9 << 20)
            except OSError as error: raise ValueError(errno.errorcode[error.errno])
    """
DESCRIPTORS = """\
    import errno, os
    def test_bomb():
        held = []
        try:
            while True: held.append(os.open("/dev/null", os.O_RDONLY))
        except OSError as error:
            name = errno.errorcode[error.errno]
        for descriptor in held: os.close(descriptor)
        raise ValueError(f"{name} {len(held)}")
    """


def made(report: Report) -> int:
    found = re.search(r"made (\d+)", only(report).message)
    assert found, only(report).message
    return int(found[1])


async def test_processes_and_threads(rig: Rig) -> None:
    async with rig.box(HONEST, processes=40) as box:
        assert 20 <= made(await run_one(box, FORKS)) < 40
        await assert_honest(box)
        assert 20 <= made(await run_one(box, THREADS)) < 40
        for bomb in (WILD_FORKS, SHELL):
            report = await run_one(box, bomb, seconds=1)
            assert report.ended == "timeout"
            assert report.seconds < 8
        await assert_honest(box)


async def test_disk(rig: Rig) -> None:
    free = shutil.disk_usage(rig.root.parent).free
    async with rig.box(HONEST, disk_mb=20, file_mb=8) as box:
        # The workspace, /tmp and /var/tmp have 20 each, /dev/shm 64.
        assert 50 <= made(await run_one(box, FULL)) <= 3 * 20 + 64
        await assert_honest(box)
        assert only(await run_one(box, ONE_FILE)).message == "EFBIG"
        assert re.fullmatch(r"EMFILE 10\d\d", only(await run_one(box, DESCRIPTORS)).message)
        await assert_honest(box)
    assert shutil.disk_usage(rig.root.parent).free > free - (200 << 20)


async def test_output(rig: Rig) -> None:
    flood = """\
        import os
        def test_bomb():
            block = b"x" * (1 << 16)
            for _ in range(200 << 4): os.write(1, block)
            raise ValueError("all written")
        """
    before = memory()
    async with rig.box(HONEST) as box:
        report = await run_one(box, flood, arguments=("-s",), seconds=60)
        assert only(report).message == "all written"
        assert report.output.capped
        assert report.output.dropped > 190 << 20
        await assert_honest(box)
    assert memory() - before < 40 << 20


async def test_a_message_of_any_size(rig: Rig) -> None:
    async with rig.box(HONEST) as box:
        report = await run_one(box, "def test_a(): raise ValueError('x' * 5_000_000)\n")
        assert len(only(report).message) <= 5000
        report = await run_one(box, "def test_a(): assert 'x' * 200_000 == 'y'\n")
        failure = only(report).failure
        assert failure is not None and failure.actual is not None and len(failure.actual) <= 5000
        await assert_honest(box)


def test_unprivileged(unprivileged: Unprivileged) -> None:
    forks, threads, honest = unprivileged({"test_it.py": FORKS}, {"test_it.py": THREADS}, {}, processes=40)
    for outcome in (forks, threads):
        found = re.search(r"made (\d+)", outcome.cases["test_it.py::test_bomb"][1])
        assert found and 20 <= int(found[1]) < 40
    assert honest_outcomes(honest.cases) == HONEST_OUTCOMES
    full, honest = unprivileged({"test_it.py": FULL}, {}, disk_mb=20, file_mb=8)
    found = re.search(r"made (\d+)", full.cases["test_it.py::test_bomb"][1])
    assert found and int(found[1]) <= 3 * 20 + 64
    assert honest_outcomes(honest.cases) == HONEST_OUTCOMES


HONEST_OUTCOMES = {"test_right": "passed", "test_wrong": "failed", "test_nothing_is_left": "passed"}


def honest_outcomes(cases: dict[str, tuple[str, str]]) -> dict[str, str]:
    return {test_id.split("::")[1]: outcome for test_id, (outcome, _) in cases.items()}


def memory() -> int:
    """What this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
