"""A box is as good after many warm runs as after few: nothing is left of them, inside or outside."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from boxes import Rig, eventually, run
from shapes.environments import environment_with
from untilgreen_sandbox.box import Box

N_RUNS = 1000 if os.environ.get("UNTILGREEN_SOAK") else 200
WARM_UP = 50
GROWTH = 1.10
FILES = {
    "code_under.py": "N = 0\n",
    "test_it.py": """\
        import os, subprocess, threading, code_under

        def test_number():
            assert code_under.N % 3

        def test_much(tmp_path):
            (tmp_path / "x").write_text("x" * 10_000)
            open("made.txt", "w").write("x")
            threading.Thread(target=threading.Event().wait, daemon=True).start()
            subprocess.Popen(["sleep", "100"])

        def test_nothing_is_left():
            assert not [name for name in os.listdir("/dev/shm")]
            assert sorted(os.listdir("/tmp/home")) == []
    """,
}


@dataclass(frozen=True, slots=True)
class Inside:
    """One process of the box, as the host sees it."""

    pid: int
    descriptors: int
    memory_kb: int
    """What it holds for itself."""


def entries(folder: str) -> set[str]:
    return {path.name for path in Path(folder).iterdir()}


async def at_rest(marker: str) -> list[Inside]:
    """A run is answered before it is cleared away: when nothing more is opened or closed."""
    seen = [process.descriptors for process in inside(marker)]
    while True:
        await asyncio.sleep(0.2)
        found = inside(marker)
        before, seen = seen, [process.descriptors for process in found]
        if seen == before:
            return found


def inside(marker: str) -> list[Inside]:
    """The box's processes: bubblewrap, which names the workspace, and those that were given their program.

    A fork that waits for the next run is another one each time.
    """
    found = []
    for pid in _below(os.getpid()):
        folder = Path("/proc") / str(pid)
        try:
            rollup = (folder / "smaps_rollup").read_text()
            n = len(list((folder / "fd").iterdir()))
            command = (folder / "cmdline").read_bytes()
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            is_fork = (Path("/proc") / parent / "cmdline").read_bytes() == command
        except OSError:
            continue
        if is_fork:
            continue
        if marker.encode() in command or b"-c" in command.split(b"\0"):
            lines = [line.split() for line in rollup.splitlines()[1:]]
            private = sum(int(words[1]) for words in lines if words[0].startswith("Private_"))
            found.append(Inside(pid, n, private))
    return sorted(found, key=lambda process: process.pid)


def _below(pid: int) -> list[int]:
    found = []
    for task in (Path("/proc") / str(pid) / "task").iterdir():
        try:
            children = [int(word) for word in (task / "children").read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *_below(child)]
    return found


async def warm_runs(box: Box, first: int, n: int) -> None:
    for number in range(first, first + n):
        report = await run(box, {"code_under.py": f"N = {number}\n"}, rung="checkpoint")
        assert (report.rung, report.ended) == ("checkpoint", "finished"), (report.rung_reason, report.detail)
        expected = "failed" if number % 3 == 0 else "passed"
        assert list(report.outcomes().values()) == [expected, "passed", "passed"], report.red


@pytest.mark.timeout(900)
async def test_nothing_grows(tmp_path: Path) -> None:
    before = entries(str(tmp_path))
    rig = Rig("bubblewrap", tmp_path / "project", environment_with("pytest"))
    async with rig.box(FILES) as box:
        await warm_runs(box, 0, WARM_UP)
        own, then = len(entries("/proc/self/fd")), await at_rest(str(rig.root))
        # bubblewrap itself, the program, and the template that waits.
        assert len(then) >= 2, then
        await warm_runs(box, WARM_UP, N_RUNS - WARM_UP)
        now = await at_rest(str(rig.root))
        assert [process.pid for process in now] == [process.pid for process in then]
        assert [process.descriptors for process in now] == [process.descriptors for process in then]
        for one, other in zip(then, now, strict=True):
            assert other.memory_kb <= GROWTH * one.memory_kb + 256, (one, other)
        assert len(entries("/proc/self/fd")) == own
    eventually(lambda: not [pid for pid in _below(os.getpid()) if pid in {process.pid for process in now}])
    assert entries(str(tmp_path)) == before


@pytest.mark.timeout(900)
async def test_as_good_as_new(rig: Rig) -> None:
    """On each backend, with a suite that leaves processes, threads and files each time."""
    async with rig.box(FILES) as box:
        await warm_runs(box, 0, N_RUNS // 4)
        listed = "sorted(os.listdir('.')) == ['code_under.py', 'test_it.py']"
        source = f"import os\ndef test_a():\n    assert {listed}\n"
        report = await run(box, {"test_it.py": source}, rung="cold")
        assert list(report.outcomes().values()) == ["passed"], report.red
