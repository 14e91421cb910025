"""Goals for a scripted model: a real box, a real HTTP server, the whole way to a verdict."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scripted_models import Request, ScriptedServer, anthropic_server, openai_server
from scripted_models.script import Line
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.errors import UntilgreenError
from untilgreen.events import Event, Told
from untilgreen.journal import Journal
from untilgreen.ladder import NO_WISHES, Wishes
from untilgreen.model import Goal, Verdict
from untilgreen.settings import Settings
from untilgreen_sandbox.box import Interpreter

Files = Mapping[str, str | bytes]
SERVERS = {"openai": openai_server, "anthropic": anthropic_server}
CALC = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
TEST_CALC = """\
from calc import add


def test_add():
    assert add(1, 2) == 3


def test_zero():
    assert add(0, 0) == 0
"""
PROJECT: Files = {"calc.py": CALC, "test_calc.py": TEST_CALC}


@dataclass(frozen=True, slots=True)
class Solved:
    """How it ended, and all that happened on the way."""

    verdict: Verdict | None
    error: UntilgreenError | None
    events: tuple[Event, ...]
    requests: tuple[Request, ...]
    unused: int
    """Lines of the script that nobody asked for."""

    @property
    def kind(self) -> str:
        return self.verdict.kind if self.verdict is not None else f"error: {self.error}"

    @property
    def reason(self) -> str:
        return self.verdict.reason if self.verdict is not None else str(self.error)

    @property
    def told(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Told)]

    def content(self, path: str) -> bytes:
        assert self.verdict is not None, self.error
        change = self.verdict.patch.files[path]
        assert change.content is not None
        return change.content

    def heard(self, n: int) -> str:
        """All that the model was sent in one request, as text."""
        return str(self.requests[n].body)


class Workshop:
    """One workspace and its warm boxes; each solve has its own server and the tree of its own files."""

    def __init__(self, root: Path, engine: Engine, state: Path, settings: Settings) -> None:
        self.root = root
        self._engine = engine
        self._state = state
        self._settings = settings

    async def solve(
        self,
        files: Files,
        script: Sequence[Line],
        *,
        note: str = "",
        provider: str = "openai",
        otherwise: Line | None = None,
        wishes: Wishes = NO_WISHES,
        **more: Any,
    ) -> Solved:
        """Nothing of the workspace may change before somebody applies a fix."""
        write(self.root, files)
        before = tree_of(self.root)
        events: list[Event] = []
        server: ScriptedServer
        # What is learned about one server must not be believed of the next one on the same port.
        shutil.rmtree(self._state / "cache", ignore_errors=True)
        async with SERVERS[provider](script, otherwise) as server:
            update = {"model_provider": provider, "model_base_url": server.base_url, **more}
            self._engine.settings = self._settings.model_copy(update=update)
            desk = DiskDesk(self.root, self._state / "intents")
            job = self._engine.solve(Goal(self.root, note=note), desk, "a test", wishes)
            async for event in job.events():
                events.append(event)
            await job.ended()
        assert tree_of(self.root) == before, "the tree is not intact"
        return Solved(job.verdict, job.error, tuple(events), tuple(server.requests), server.unused)


@asynccontextmanager
async def workshop(folder: Path, interpreter: Interpreter) -> AsyncIterator[Workshop]:
    root, state = folder / "project", folder / "state"
    root.mkdir(parents=True)
    settings = Settings(
        sandbox="bubblewrap", python=str(interpreter.executable), solver="model", model="scripted"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNTILGREEN_CACHE", str(state / "cache"))
        async with Engine(settings, Journal(state)) as engine:
            yield Workshop(root, engine, state, settings)


def write(root: Path, files: Files) -> None:
    """These files and no others."""
    for path in sorted(root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else textwrap.dedent(content).encode())


def tree_of(root: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
