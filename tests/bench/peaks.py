"""The most memory that anybody holds when there is much of something: output, or files."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker

from bench.measure import Findings, rows
from bench.trees import make_tree
from boxes import BACKENDS, Backend
from untilgreen_sandbox.build import OWNER_LABEL
from untilgreen_sandbox.groups import PREFIX
from untilgreen_sandbox.owner import Owner

DRIVER = Path(__file__).parent.parent / "sandbox/drives_a_job.py"
GROUPS = Path("/sys/fs/cgroup")
N_FILES = 20_000
PRINTED_MB = 1024
SECONDS_BETWEEN_LOOKS = 0.1
FLOOD = f"""\
import os

def test_flood():
    block = b"x" * (1 << 20)
    for _ in range({PRINTED_MB}):
        os.write(1, block)
"""


@dataclass(frozen=True, slots=True)
class Work:
    """A workspace whose tests are run once, cold, as `untilgreen test` does."""

    name: str
    make: Callable[[Path], object]
    arguments: tuple[str, ...] = ()


WORK = (
    Work("one test that does nothing", lambda root: _write(root, "def test_it():\n    pass\n")),
    Work("a test that prints 1 GB", lambda root: _write(root, FLOOD), ("-s",)),
    Work(f"{N_FILES:,} files", lambda root: make_tree(root, N_FILES)),
)


async def measure_peaks(folder: Path, rounds: int) -> Findings:
    """A peak is a peak: each is measured once, in a process and a box of their own."""
    del rounds
    body = []
    for n, work in enumerate(WORK):
        for backend in BACKENDS[::-1]:
            root = folder / f"work-{n}" / backend / "root"
            await asyncio.to_thread(work.make, root)
            host, box, seconds = await asyncio.to_thread(_peaks, backend, root, work.arguments)
            body.append([work.name, backend, f"{host:.0f} MB", f"{box:.0f} MB", f"{seconds:.1f} s"])
    return Findings(
        (
            "One run of all tests, from nothing; our process and the box are new each time.",
            "A box is counted by its control group: all its processes, its copy of the workspace and the "
            "hidden second one, and whatever it was the first to read from the disk.",
            "",
            *rows(["peak of memory", "sandbox", "our process", "the box", "took"], body),
        )
    )


def _peaks(backend: Backend, root: Path, arguments: tuple[str, ...]) -> tuple[float, float, float]:
    """Of our process, of the largest of its boxes, and how many seconds it took."""
    settings = {"pytest_args": list(arguments), "test_seconds": 600.0}
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    process = subprocess.Popen(
        [sys.executable, DRIVER, "test", backend, root, root.parent / "state", json.dumps(settings)],
        # The distribution's own Python is the one that the base image holds, too.
        env={**environment, "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    largest = 0
    with contextlib.closing(docker.from_env()) as engine:
        while True:
            try:
                told, _ = process.communicate(timeout=SECONDS_BETWEEN_LOOKS)
                break
            except subprocess.TimeoutExpired:
                largest = max([largest, *map(_peak, _groups(process.pid, engine))])
    assert process.returncode == 0
    answer: dict[str, Any] = json.loads(told)
    assert answer["ended"] == "finished" and set(answer["outcomes"].values()) == {"passed"}, answer
    assert largest, "the control group of the box was seen"
    return answer["peak_mb"], largest / (1 << 20), answer["seconds"]


def _groups(owner: int, engine: docker.DockerClient) -> Iterator[Path]:
    """Folders of the control groups of all boxes that this process opened."""
    boxes = engine.containers.list(filters={"label": OWNER_LABEL}, ignore_removed=True)
    containers = {box.id for box in boxes if _is_of(owner, box.labels.get(OWNER_LABEL, ""))}
    for folder, folders, _ in os.walk(GROUPS):
        for name in folders:
            ours = name.startswith(PREFIX) and _is_of(owner, name.removeprefix(PREFIX).rpartition("-")[0])
            if (
                ours
                or name in containers
                or name.removeprefix("docker-").removesuffix(".scope") in containers
            ):
                yield Path(folder, name)


def _is_of(pid: int, owner: str) -> bool:
    found = Owner.parse(owner)
    return found is not None and found.pid == pid


def _peak(group: Path) -> int:
    """Bytes; the two layouts of control groups have their own names for it."""
    for name in ("memory.max_usage_in_bytes", "memory.peak"):
        with contextlib.suppress(OSError):
            return int((group / name).read_text())
    return 0


def _write(root: Path, test: str) -> None:
    root.mkdir(parents=True)
    (root / "test_it.py").write_text(test)
