"""Many files: the first copy into a box, and a second look at a tree in which nothing changed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from bench.measure import Check, Findings, Method, Stopwatch, in_turns, table, times
from bench.projects import TINY
from bench.surroundings import Surroundings, surroundings_of
from boxes import BACKENDS, Backend
from untilgreen.workspace import Snapshot, take_snapshot
from untilgreen.workspace.stat_index import SETTLED_NS, StatIndex
from untilgreen_sandbox.box import Chosen, Limits, RunRequest, open_box

SIZES = (1_000, 10_000, 50_000)
PER_FOLDER = 100
FILE = (
    "def function_{n}(argument):\n    return argument + {n}\n"
    + "# A line of a usual length, as code has.\n" * 30
)
GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": os.defpath, "HOME": "/tmp"}
TAR = "`tar c` into `docker exec -i … tar x`"
LOOK = "`take_snapshot`, first look"


async def measure_sync(folder: Path, rounds: int) -> Findings:
    surroundings = await asyncio.to_thread(surroundings_of, TINY)
    lines = [
        "The first copy of files of 1.3 kB, 100 in each folder, into an open box without any.",
        "`tar` copies into a tmpfs of a container that is as confined as our box.",
        "We compare digests with the snapshot, keep a second, hidden copy, and need a snapshot first; "
        "its time stands apart, because all boxes share one.",
    ]
    checks: list[Check] = []
    async with _confined(surroundings) as container:
        for n_files in SIZES:
            root = await asyncio.to_thread(make_tree, folder / f"tree-{n_files}", n_files)
            snapshot = await asyncio.to_thread(take_snapshot, root)
            methods = [_tar(root, container, n_files), _look(root)]
            for backend in BACKENDS[::-1]:
                methods.append(_copy(surroundings, backend, root, snapshot))
            some = rounds if n_files < 10_000 else max(3, rounds * 10_000 // n_files // 2)
            samples = await in_turns(methods, some, ahead=1)
            lines += ["", *table(samples, [TAR], what=f"{n_files:,} files", titles=["tar / this"])]
            if n_files == 10_000:
                tar, look, copy = (samples[name].median for name in (TAR, LOOK, "docker box"))
                for what, ours in (("", copy), (" and the first look at them", copy + look)):
                    wanted = f"first copy of 10,000 files{what}: at most 1.5 times tar's time"
                    checks.append(Check(wanted, times(ours / tar), ours <= 1.5 * tar))
    return Findings(tuple(lines), tuple(checks))


async def measure_rescan(folder: Path, rounds: int) -> Findings:
    lines = ["A look at a tree that is as it was, all of it tracked by git, whose index is warm."]
    checks = []
    for n_files in SIZES:
        root = await asyncio.to_thread(make_tree, folder / f"tree-{n_files}", n_files)
        await asyncio.to_thread(_commit, root)
        # Files are not believed as long as they could change within the grain of their times.
        await asyncio.to_thread(_settle, root)
        with closing(StatIndex()) as index:
            first = await asyncio.to_thread(take_snapshot, root, index=index)
            samples = await in_turns([_status(root), _rescan(root, index, first)], rounds)
        lines += ["", *table(samples, ["`git status`"], what=f"{n_files:,} files")]
        if n_files == SIZES[-1]:
            git, ours = samples["`git status`"].median, samples["our index"].median
            checks.append(
                Check("rescan of 50,000 files: no dearer than git status", times(ours / git), ours <= git)
            )
    return Findings(tuple(lines), tuple(checks))


def _tar(root: Path, container: str, n_files: int) -> Method:
    inside = ["docker", "exec", "--interactive", container]

    def copy(watch: Stopwatch) -> None:
        with watch.running():
            reading = subprocess.Popen(["tar", "-c", "-C", str(root), "."], stdout=subprocess.PIPE)
            subprocess.run([*inside, "tar", "-x", "-C", "/workspace"], stdin=reading.stdout, check=True)
            assert reading.wait() == 0
        counted = subprocess.run(
            [*inside, "sh", "-c", "find /workspace -type f | wc -l; find /workspace -mindepth 1 -delete"],
            capture_output=True,
            check=True,
        )
        assert int(counted.stdout) == n_files

    return Method(TAR, lambda _n, watch: asyncio.to_thread(copy, watch))


def _look(root: Path) -> Method:
    def look(watch: Stopwatch) -> None:
        with watch.running():
            take_snapshot(root)

    return Method(LOOK, lambda _n, watch: asyncio.to_thread(look, watch))


def _copy(surroundings: Surroundings, backend: Backend, root: Path, snapshot: Snapshot) -> Method:
    async def once(n: int, watch: Stopwatch) -> None:
        async with open_box(Chosen(backend, "measured"), surroundings.spec(backend, root)) as box:
            with watch.running():
                await box.put(snapshot.changes())
            if n < 0:
                report = await box.run(RunRequest(ids=("test_all_there.py",)))
                assert report.outcomes() == {"test_all_there.py::test_all_there": "passed"}, report

    return Method(f"{backend} box", once)


def _status(root: Path) -> Method:
    def status(watch: Stopwatch) -> None:
        with watch.running():
            done = subprocess.run(
                ["git", "status", "--porcelain"], cwd=root, env=GIT, capture_output=True, check=True
            )
        assert done.stdout == b""

    return Method("`git status`", lambda _n, watch: asyncio.to_thread(status, watch))


def _rescan(root: Path, index: StatIndex, first: Snapshot) -> Method:
    def look(watch: Stopwatch) -> None:
        with watch.running():
            snapshot = take_snapshot(root, index=index)
        assert snapshot.digest == first.digest

    return Method("our index", lambda _n, watch: asyncio.to_thread(look, watch))


@asynccontextmanager
async def _confined(surroundings: Surroundings) -> AsyncIterator[str]:
    """A container that is as confined as a box, and does nothing."""
    limits = Limits()
    memory = f"{limits.memory_mb + limits.disk_mb}m"
    name = f"untilgreen-bench-{uuid.uuid4().hex[:12]}"
    image = await surroundings.image()
    words = ["docker", "run", "--detach", "--rm", "--init", f"--name={name}", "--network=none", "--read-only"]
    words += ["--cap-drop=ALL", "--security-opt=no-new-privileges", f"--pids-limit={limits.processes + 8}"]
    words += [f"--memory={memory}", f"--memory-swap={memory}", "--ipc=private", "--log-driver=none"]
    words += [f"--tmpfs=/workspace:rw,nosuid,nodev,exec,size={limits.disk_mb}m,nr_inodes={limits.n_files}"]
    words += [image.name, "sleep", "infinity"]
    await asyncio.to_thread(subprocess.run, words, check=True, capture_output=True)
    try:
        yield name
    finally:
        await asyncio.to_thread(subprocess.run, ["docker", "rm", "--force", name], capture_output=True)


def make_tree(root: Path, n_files: int) -> Path:
    """A tree of so many files, one of them a test that counts the others."""
    if root.exists():
        return root
    for n in range(n_files - 1):
        folder = root / f"package_{n // PER_FOLDER}"
        if n % PER_FOLDER == 0:
            folder.mkdir(parents=True)
        (folder / f"module_{n}.py").write_text(FILE.format(n=n))
    (root / "test_all_there.py").write_text(
        "import os\n\n\ndef test_all_there():\n"
        f"    assert sum(len(names) for _, _, names in os.walk('.')) == {n_files}\n"
    )
    return root


def _commit(root: Path) -> None:
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=root, env=GIT, check=True)
    author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    subprocess.run(["git", *author, "commit", "-q", "-m", "all"], cwd=root, env=GIT, check=True)


def _settle(root: Path) -> None:
    newest = max(Path(folder).stat().st_ctime_ns for folder, _, _ in os.walk(root))
    while time.time_ns() - newest < SETTLED_NS:
        time.sleep(0.1)
