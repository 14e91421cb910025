"""Boxes for tests, on the real backends. One that is missing on this machine is an error, never a skip."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from untilgreen.pool import Pool
from untilgreen.solve.bench import Bench
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.box import Box, BoxSpec, Change, Chosen, Interpreter, Limits, RunRequest, open_box
from untilgreen_sandbox.errors import BoxLost
from untilgreen_sandbox.report import CaseResult, Report

Backend = Literal["bubblewrap", "docker"]
BACKENDS: tuple[Backend, ...] = ("bubblewrap", "docker")
LOST = "the process to fork from was lost"
SEED = int(os.environ.get("UNTILGREEN_SEED", "1"))
"""Of all that is sampled."""
SOAK = bool(os.environ.get("UNTILGREEN_SOAK"))
"""Whether there is time for all of it."""
Files = Mapping[str, str | bytes | None]
T = TypeVar("T")


def own_interpreter() -> Interpreter:
    """The Python below the one that runs these tests, without what the project installed."""
    prefix = Path(sys.base_prefix)
    return Interpreter(prefix / "bin/python3", sys.version_info[:2], prefix, prefix, has_pytest=False)


def environment_at(folder: Path, has_pytest: bool = False) -> Interpreter:
    """A virtual environment made with the Python of these tests."""
    return Interpreter(
        folder / "bin/python", sys.version_info[:2], folder, Path(sys.base_prefix), has_pytest=has_pytest
    )


def spec_for(
    backend: Backend,
    root: Path,
    interpreter: Interpreter,
    import_roots: tuple[str, ...] = ("",),
    **limits: Any,
) -> BoxSpec:
    base = os.environ.get("UNTILGREEN_SANDBOX_BASE", "")
    if backend == "docker" and (named := re.search(r"(\d)\.(\d+)", base)):
        # The image brings its own Python; here the project uses just that one.
        version = (int(named[1]), int(named[2]))
        interpreter = Interpreter(
            interpreter.executable,
            version,
            interpreter.prefix,
            interpreter.base_prefix,
            interpreter.has_pytest,
        )
    return BoxSpec(root, interpreter, import_roots, Limits(**limits), base_image=base)


@dataclass(frozen=True, slots=True)
class Rig:
    """A backend, and what a box on it needs."""

    backend: Backend
    root: Path
    interpreter: Interpreter
    forked: bool = False
    """Whether every run of its boxes is forked from a template."""

    @asynccontextmanager
    async def box(
        self, files: Files | None = None, import_roots: tuple[str, ...] = ("",), **limits: Any
    ) -> AsyncIterator[Box]:
        """A new box with these files in it."""
        spec = spec_for(self.backend, self.root, self.interpreter, import_roots, **limits)
        async with open_box(Chosen(self.backend, "for a test"), spec) as box:
            await put(box, files or {})
            yield cast(Box, Forked(box, frozenset(files or {}))) if self.forked else box

    @asynccontextmanager
    async def bench(self, files: Files) -> AsyncIterator[Bench]:
        """What a job works with, for a workspace of these files."""
        for change in changes(files):
            path = self.root / change.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(change.content or b"")
        spec = spec_for(self.backend, self.root, self.interpreter)
        pool = Pool(Chosen(self.backend, "for a test"), spec)
        try:
            yield Bench(pool, take_snapshot(self.root), ())
        finally:
            await pool.close()


class Forked:
    """A box whose runs are all forked: files that a run adds are there before, empty, and opened late."""

    def __init__(self, box: Box, pristine: frozenset[str]) -> None:
        self._box = box
        self._pristine = pristine
        self.backend, self.description = box.backend, box.description

    def __getattr__(self, name: str) -> Any:
        return getattr(self._box, name)

    async def run(self, request: RunRequest, changes: tuple[Change, ...] = ()) -> Report:
        added = [change.path for change in changes if change.path not in self._pristine]
        await put(self._box, dict.fromkeys(added, ""))
        report = await self._box.run(dataclasses.replace(request, rung="checkpoint"), changes)
        if all(change.content is not None for change in changes):
            # A template can be lost to the want of memory; then the run is done again without one.
            assert report.rung == "checkpoint" or report.rung_reason == LOST, report.rung_reason
        # A box that the run has spoiled takes no files; whoever uses it next is told.
        with contextlib.suppress(BoxLost):
            await put(self._box, dict.fromkeys(added))
        return report


async def put(box: Box, files: Files) -> None:
    async def each() -> AsyncIterator[Change]:
        for change in changes(files):
            yield change

    await box.put(each())


def changes(files: Files) -> tuple[Change, ...]:
    """Source is written as it stands in the test, indented; bytes are taken as they are."""
    return tuple(
        Change(path, textwrap.dedent(content).encode() if isinstance(content, str) else content)
        for path, content in files.items()
    )


async def run(box: Box, files: Files | None = None, *ids: str, **request: Any) -> Report:
    """One run with these files laid over the tree."""
    return await box.run(RunRequest(ids=ids, **request), changes(files or {}))


async def run_one(box: Box, source: str, **request: Any) -> Report:
    """One run of one file, `test_it.py`."""
    return await run(box, {"test_it.py": source}, "test_it.py", **request)


def only(report: Report) -> CaseResult:
    """The one case of a run that finished."""
    assert report.ended == "finished", (report.ended, report.detail, report.output.head)
    assert len(report.cases) == 1, report.outcomes()
    return report.cases[0]


HONEST = {
    "honest.py": "def double(n):\n    return 2 * n\n",
    "test_honest.py": """\
        import os

        from honest import double

        def test_right():
            assert double(2) == 4

        def test_wrong():
            assert double(2) == 5

        def test_nothing_is_left():
            here = {name for name in os.listdir(".")}
            assert here == {"honest.py", "test_honest.py"}
            assert os.listdir("/tmp/home") == []
            assert os.listdir("/dev/shm") == []
    """,
}


async def assert_honest(box: Box) -> None:
    """A run of the honest files, which the box must hold, tells exactly the truth."""
    report = await run(box)
    assert report.ended == "finished", report.detail
    assert report.outcomes() == {
        "test_honest.py::test_right": "passed",
        "test_honest.py::test_wrong": "failed",
        "test_honest.py::test_nothing_is_left": "passed",
    }, [case.message for case in report.red]
    assert report.planned == tuple(report.outcomes())


def eventually(found: Callable[[], T], seconds: float = 15.0) -> T:
    """The first true answer; fails when there is none in time."""
    deadline = time.monotonic() + seconds
    while not (answer := found()):
        assert time.monotonic() < deadline, f"it did not become true in {seconds} seconds: {answer!r}"
        time.sleep(0.02)
    return answer


def processes_with(marker: str) -> list[int]:
    """Living processes of this machine whose command line or environment holds the marker."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            words = (folder / "cmdline").read_bytes()
            state = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
        except OSError:
            continue
        if marker.encode() in words and state not in "ZX":
            found.append(int(folder.name))
    return found
