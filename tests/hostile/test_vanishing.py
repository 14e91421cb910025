"""A box that vanishes under a run says nothing about the code: it is run once more, and then given up."""

from __future__ import annotations

import asyncio
import os
import signal
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docker
import pytest

from boxes import Rig, changes, eventually, processes_with
from containers import containers_of
from sandbox.test_leftovers import engine, is_child_of_this_process
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.model import Goal, Patch
from untilgreen.settings import read
from untilgreen_sandbox.errors import BoxLost

__all__ = ["engine"]

# It would pass, and it would fail: neither is said of a run that vanished.
SLOW = """\
    import subprocess, sys
    def test_good():
        subprocess.run([sys.executable, "-c", "import time; time.sleep(SECONDS)", "MARKER"])
    def test_bad():
        assert 1 == 2
    """
OUTCOMES = {"test_slow.py::test_good": "passed", "test_slow.py::test_bad": "failed"}


def slow(marker: str, seconds: int) -> dict[str, str]:
    return {"test_slow.py": SLOW.replace("MARKER", marker).replace("SECONDS", str(seconds))}


class Vanisher:
    """Ends the box in which the marker runs, from outside."""

    def __init__(self, rig: Rig, engine: docker.DockerClient) -> None:
        self._rig, self._engine = rig, engine
        self._before = set(containers_of(os.getpid()))
        self.marker = f"marker-{uuid.uuid4().hex}"

    async def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        await asyncio.to_thread(eventually, lambda: self._running(), 40)
        if self._rig.backend == "docker":
            (container,) = set(containers_of(os.getpid())) - self._before
            self._engine.api.remove_container(container, force=True)
        else:
            for pid in self._first_processes():
                os.kill(pid, how)
        await asyncio.to_thread(eventually, lambda: not self._running())

    def _running(self) -> list[int]:
        return processes_with(self.marker)

    def _first_processes(self) -> list[int]:
        return [pid for pid in processes_with(str(self._rig.root)) if is_child_of_this_process(pid)]


@pytest.fixture
def vanisher(rig: Rig, engine: docker.DockerClient) -> Vanisher:
    return Vanisher(rig, engine)


@pytest.mark.parametrize("fresh", [False, True], ids=["warm", "fresh"])
async def test_once_is_run_again(rig: Rig, vanisher: Vanisher, fresh: bool) -> None:
    async with rig.bench(slow(vanisher.marker, 2)) as one:
        act: Callable[..., Any] = one.run_fresh if fresh else one.run
        running = asyncio.ensure_future(act(Patch()))
        await vanisher.end()
        assert not running.done()
        report = await running
        assert (report.ended, report.outcomes()) == ("finished", OUTCOMES)


@pytest.mark.parametrize("fresh", [False, True], ids=["warm", "fresh"])
async def test_twice_is_lost_and_neither_red_nor_green(rig: Rig, vanisher: Vanisher, fresh: bool) -> None:
    async with rig.bench(slow(vanisher.marker, 600)) as one:
        act: Callable[..., Any] = one.run_fresh if fresh else one.run
        running = asyncio.ensure_future(act(Patch()))
        await vanisher.end()
        await vanisher.end()
        with pytest.raises(BoxLost):
            await running


async def test_while_the_tests_are_listed(rig: Rig, vanisher: Vanisher) -> None:
    at_import = f"""\
        import subprocess, sys
        subprocess.run([sys.executable, "-c", "import time; time.sleep(2)", "{vanisher.marker}"])
        def test_one(): pass
        """
    async with rig.bench({"test_slow.py": at_import}) as one:
        listing = asyncio.ensure_future(one.plan())
        await vanisher.end()
        assert (await listing).planned == ("test_slow.py::test_one",)


async def test_the_whole_job_says_so(rig: Rig, vanisher: Vanisher, tmp_path: Path) -> None:
    """What the user sees: no verdict, and a sentence that speaks of the sandbox and not of the code."""
    rig.root.mkdir()
    for change in changes(slow(vanisher.marker, 600)):
        assert change.content is not None
        (rig.root / change.path).write_bytes(change.content)
    python = "/usr/bin/python3" if rig.backend == "docker" else str(rig.interpreter.executable)
    base = os.environ.get("UNTILGREEN_SANDBOX_BASE", "")
    settings, problems = read({"sandbox": rig.backend, "python": python, "sandbox_base": base})
    assert problems == ()
    async with Engine(settings, Journal(tmp_path / "state")) as server:
        job = server.test(Goal(rig.root), DiskDesk(rig.root, tmp_path / "intents"), "vanishing")
        ending = asyncio.ensure_future(job.ended())
        await vanisher.end()
        await vanisher.end()
        await ending
    assert job.verdict is None
    assert "sandbox" in str(job.error).lower()
