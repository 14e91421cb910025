"""However the server ends, nothing of a running job is left."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lsp.conftest import environment, server_command, slow
from lsp.editor import Editor, Manners, started


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


@pytest.mark.parametrize(
    ("leave", "exit_code"), [(shut_down, 0), (exit_at_once, 1), (vanish, 1), (terminate, 143)]
)
async def test_no_way_out_leaves_anything_behind(
    project: Path, backend: str, leave: Callable[[Editor], Awaitable[None]], exit_code: int
) -> None:
    (project / "test_calc.py").write_text(slow(60))
    settings = environment(project, sandbox=backend)
    async with started(server_command(), project, "visual_studio_code", settings) as editor:
        job = await editor.run("untilgreen.solve", uri=editor.open("calc.py"))
        await editor.until_reported(job["job"], "running")
        children = descendants(editor.process.pid)
        assert children or backend == "docker"
        began = time.monotonic()
        await leave(editor)
        assert await asyncio.wait_for(editor.process.wait(), 10) == exit_code
        assert time.monotonic() - began < 5
        await all_gone(children)
        assert editor.edits == []


async def test_leaving_an_idle_server_is_quick(project: Path, manners: Manners) -> None:
    async with started(server_command(), project, manners, environment(project)) as editor:
        began = time.monotonic()
        await shut_down(editor)
        assert await asyncio.wait_for(editor.process.wait(), 10) == 0
        assert time.monotonic() - began < 2


def descendants(pid: int) -> set[tuple[int, str]]:
    """All processes below this one, each with its start time, since numbers are used again."""
    parents: dict[int, list[tuple[int, str]]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        if (fields := _fields(stat)) is not None:
            parents.setdefault(int(fields[1]), []).append((int(stat.parent.name), fields[19]))
    found: set[tuple[int, str]] = set()
    waiting = [pid]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found.update(below)
        waiting += [child for child, _ in below]
    return found


async def all_gone(processes: set[tuple[int, str]]) -> None:
    deadline = time.monotonic() + 5
    while alive := {item for item in processes if _start_time(item[0]) == item[1]}:
        assert time.monotonic() < deadline, f"still running: {alive}"
        await asyncio.sleep(0.02)


def _start_time(pid: int) -> str | None:
    fields = _fields(Path(f"/proc/{pid}/stat"))
    return fields[19] if fields is not None and fields[0] != "Z" else None


def _fields(stat: Path) -> list[str] | None:
    """What follows the name, which may hold spaces: state, parent, …"""
    try:
        return stat.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
