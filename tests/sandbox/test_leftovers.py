"""However a box ends, nothing of it stays: no process, no container, no volume, no file."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from boxes import HONEST, Rig, eventually, processes_with, run, run_one
from containers import containers_of
from sandbox.opens_a_box import LONG
from untilgreen_sandbox import groups
from untilgreen_sandbox.box import Limits
from untilgreen_sandbox.docker import reap
from untilgreen_sandbox.errors import BoxLost
from untilgreen_sandbox.owner import Owner

PROGRAM = Path(__file__).with_name("opens_a_box.py")
N_PROCESSES = 4


@pytest.fixture
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


def volumes(engine: docker.DockerClient) -> set[str]:
    return {str(volume.id) for volume in engine.volumes.list()}


def groups_of(pid: int) -> list[str]:
    """Control groups of this machine that this process made."""
    names = [name for _, folders, _ in os.walk("/sys/fs/cgroup") for name in folders]
    mine = [name for name in names if name.startswith(groups.PREFIX)]
    owners = [(name, Owner.parse(name.removeprefix(groups.PREFIX).rpartition("-")[0])) for name in mine]
    return [name for name, owner in owners if owner is not None and owner.pid == pid]


class Started:
    """A process with an open box in which a long run is under way."""

    def __init__(self, rig: Rig, scratch: Path) -> None:
        self.marker = f"marker-{uuid.uuid4().hex}"
        self.scratch = scratch
        scratch.mkdir()
        places = [*sys.path, str(PROGRAM.parent.parent)]
        self.process = subprocess.Popen(
            [sys.executable, PROGRAM, rig.backend, rig.root, rig.interpreter.prefix, self.marker],
            env={**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": os.pathsep.join(filter(None, places))},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        eventually(lambda: len(self.processes()) == N_PROCESSES, 40)

    def processes(self) -> list[int]:
        """Those in the box; the one that opened it has the marker, too."""
        return [pid for pid in processes_with(self.marker) if pid != self.process.pid]

    def end(self, how: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
def test_nothing_is_left_when_the_process_ends(
    rig: Rig, tmp_path: Path, engine: docker.DockerClient, how: signal.Signals
) -> None:
    before = volumes(engine)
    started = Started(rig, tmp_path / "scratch")
    assert len(containers_of(started.process.pid)) == (1 if rig.backend == "docker" else 0)
    n_groups = len(groups_of(started.process.pid))
    assert n_groups == (0 if rig.backend == "docker" else len(groups_of_a_box()))
    status, errors = started.end(how)
    if how is signal.SIGINT:
        assert errors.strip().endswith("KeyboardInterrupt"), "the box was closed in order"
        assert containers_of(started.process.pid) == []
        assert started.processes() == []
        assert groups_of(started.process.pid) == []
    else:
        assert status == -how
    eventually(lambda: not started.processes())
    reap(engine)
    eventually(lambda: not containers_of(started.process.pid))
    assert len(groups.reap()) >= len(groups_of(started.process.pid))
    assert groups_of(started.process.pid) == []
    assert volumes(engine) <= before
    assert list(started.scratch.iterdir()) == []
    assert not rig.root.exists()


async def test_nothing_is_left_when_the_run_is_cancelled(
    rig: Rig, engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before, mine = volumes(engine), set(containers_of(os.getpid()))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    marker = f"marker-{uuid.uuid4().hex}"

    async def solve() -> None:
        async with rig.box() as box:
            await run_one(box, LONG.format(marker=marker))

    task = asyncio.create_task(solve())
    while len(processes_with(marker)) < N_PROCESSES:
        assert not task.done(), task
        await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert processes_with(marker) == []
    assert set(containers_of(os.getpid())) <= mine
    assert volumes(engine) <= before
    assert os.listdir(tmp_path) == []  # noqa: PTH208


async def test_nothing_is_left_when_the_opening_is_cancelled(rig: Rig, engine: docker.DockerClient) -> None:
    mine = set(containers_of(os.getpid()))
    for turns in (1, 3, 10, 30):

        async def opened() -> None:
            async with rig.box(HONEST):
                await asyncio.sleep(600)

        task = asyncio.create_task(opened())
        for _ in range(turns):
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert set(containers_of(os.getpid())) <= mine
        assert processes_with(str(rig.root)) == []
        assert groups_of(os.getpid()) == []


async def test_a_box_that_is_ended_from_outside_is_lost_and_not_red(
    rig: Rig, engine: docker.DockerClient
) -> None:
    mine = set(containers_of(os.getpid()))
    marker = f"marker-{uuid.uuid4().hex}"
    async with rig.box() as box:
        task = asyncio.create_task(run_one(box, LONG.format(marker=marker)))
        while len(processes_with(marker)) < N_PROCESSES:
            assert not task.done(), task
            await asyncio.sleep(0.05)
        if rig.backend == "docker":
            (container,) = set(containers_of(os.getpid())) - mine
            engine.api.kill(container)
        else:
            (first,) = [pid for pid in processes_with(str(rig.root)) if is_child_of_this_process(pid)]
            os.kill(first, signal.SIGKILL)
        with pytest.raises(BoxLost):
            await task
        with pytest.raises(BoxLost):
            await run(box)
    eventually(lambda: not processes_with(marker))
    eventually(lambda: set(containers_of(os.getpid())) <= mine)


async def test_living_owners_are_not_reaped(rig: Rig, engine: docker.DockerClient) -> None:
    async with rig.box(HONEST) as box:
        reap(engine)
        assert (await run(box)).ended == "finished"


def groups_of_a_box() -> list[str]:
    """Those that this machine lets us make."""
    group = groups.make_group(Limits())
    found = groups_of(os.getpid())
    if group is not None:
        group.remove()
    return found


def is_child_of_this_process(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1]) == os.getpid()
