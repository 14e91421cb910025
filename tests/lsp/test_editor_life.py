"""However the server ends, nothing of a running job is left."""

from __future__ import annotations

import asyncio
import os
import signal
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from boxes import SEED, eventually, processes_with
from containers import containers_of
from lsp.conftest import scripted
from lsp.editor import Editor, Manners
from lsp.starting import environment, started
from sandbox.package_index import PackageIndex
from untilgreen.journal import Journal
from untilgreen.lock import acquire

LONG = """\
import subprocess
import sys


def test_long():
    subprocess.run([sys.executable, "-c", "import time; time.sleep(60)", "MARKER"])
"""


async def shut_down(editor: Editor) -> None:
    await editor.client.shutdown_async(None)
    editor.client.exit(None)


async def exit_at_once(editor: Editor) -> None:
    editor.client.exit(None)


async def vanish(editor: Editor) -> None:
    assert editor.process.stdin is not None
    editor.process.stdin.close()


async def terminate(editor: Editor) -> None:
    editor.process.send_signal(signal.SIGTERM)


WAYS = [(shut_down, 0), (exit_at_once, 1), (vanish, 1), (terminate, 143)]
# Through Docker one of them is sampled.
DOCKER = WAYS if os.environ.get("UNTILGREEN_SOAK") else [WAYS[SEED % len(WAYS)]]


@pytest.mark.parametrize(
    ("backend", "leave", "exit_code"),
    [*(("bubblewrap", *way) for way in WAYS), *(("docker", *way) for way in DOCKER)],
)
async def test_no_way_out_leaves_anything_behind(
    project: Path, backend: str, leave: Callable[[Editor], Awaitable[None]], exit_code: int, manners: Manners
) -> None:
    marker, scratch = f"marker-{uuid.uuid4().hex}", project.parent / "scratch"
    scratch.mkdir()
    (project / "test_calc.py").write_text(LONG.replace("MARKER", marker))
    own = environment(project.parent / "state", sandbox=backend, solver=scripted(project))
    async with started(project, manners, own | {"TMPDIR": str(scratch)}) as editor:
        await editor.run("untilgreen.solve", uri=editor.open("calc.py"))
        await editor.until(lambda: bool(processes_with(marker)), "the test to run")
        if backend == "docker":
            assert len(containers_of(editor.process.pid)) == 1
        began = time.monotonic()
        await leave(editor)
        assert await asyncio.wait_for(editor.process.wait(), 10) == exit_code
        assert time.monotonic() - began < 15
        eventually(lambda: not processes_with(marker))
        if backend == "docker":
            assert containers_of(editor.process.pid) == []
        assert list(scratch.iterdir()) == []
        assert editor.edits == []


@pytest.mark.parametrize(
    ("getting", "leave", "exit_code"),
    [*(("build", *way) for way in WAYS), *(("pull", *way) for way in DOCKER)],
)
async def test_no_way_out_waits_for_an_image(
    project: Path, getting: str, leave: Callable[[Editor], Awaitable[None]], exit_code: int
) -> None:
    """The index of packages, or the registry, has been asked and never answers."""
    state = project.parent / "state"
    (project / "requirements.txt").write_text("hangs\n")
    with PackageIndex(silent=True) as index:
        own = environment(state, sandbox="docker", sandbox_build_network="host")
        own["PIP_INDEX_URL"] = index.address
        if getting == "pull":
            own["UNTILGREEN_SANDBOX_BASE"] = f"{index.address.split('/')[2]}/hangs:1"
        async with started(project, "visual_studio_code", own) as editor:
            job = (await editor.run("untilgreen.solve", uri=editor.open("calc.py")))["job"]
            await editor.until(lambda: index.n_requests > 0, "somebody to ask for what never comes")
            assert len(containers_of(editor.process.pid)) == (1 if getting == "build" else 0)
            told = "pulling" if getting == "pull" else "image"
            await editor.until(lambda: any(told in text for text in editor.progress(job)), "it to be told")
            began = time.monotonic()
            await leave(editor)
            assert await asyncio.wait_for(editor.process.wait(), 20) == exit_code
            assert time.monotonic() - began < 15
            assert containers_of(editor.process.pid) == []
    # Whoever comes next may work there at once.
    acquire(Journal(state).locks, project, "work", "a test").release()


async def test_stopping_does_not_wait_for_a_registry(project: Path) -> None:
    with PackageIndex(silent=True) as index:
        base = f"{index.address.split('/')[2]}/hangs:1"
        own = environment(project.parent / "state", sandbox="docker", sandbox_base=base)
        async with started(project, "visual_studio_code", own) as editor:
            code = editor.open("calc.py")
            job = (await editor.run("untilgreen.solve", uri=code))["job"]
            await editor.until(lambda: index.n_requests > 0, "the registry to be asked")
            began = time.monotonic()
            assert await editor.run("untilgreen.stop", job=job)
            assert (await editor.until_ended(job)).startswith("Stopped")
            assert time.monotonic() - began < 15


async def test_leaving_an_idle_server_is_quick(project: Path, manners: Manners) -> None:
    async with started(project, manners, environment(project.parent / "state")) as editor:
        began = time.monotonic()
        await shut_down(editor)
        assert await asyncio.wait_for(editor.process.wait(), 10) == 0
        # VS Code waits for two seconds; a machine that does other things as well takes longer.
        assert time.monotonic() - began < 6
