"""A watch of real files with a scripted box: for what a run says, and what goes wrong around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from lsp import scripted_box
from lsp.scripted_box import Mender
from untilgreen import engine as engine_module
from untilgreen import ground, pool
from untilgreen.desk import Content, DiskDesk
from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.ladder import Ladder
from untilgreen.model import Goal, Patch
from untilgreen.settings import Settings
from untilgreen.watching.clock import RealClock
from untilgreen.watching.modes import Mode
from untilgreen.watching.notes import Note
from untilgreen.watching.pace import Pace
from untilgreen.watching.watch import Watch
from untilgreen_sandbox.box import Change, Chosen, RunRequest
from untilgreen_sandbox.report import Report
from watch.half_hour import GOOD, TESTS, Box

QUICK = Pace(settle=0.02, calm=0.05, idle=0.1, again=0.2)
FILES = {**GOOD, "test_calc.py": TESTS}
WRONG = {"calc.py": GOOD["calc.py"].replace("a + b", "a * b")}
T = TypeVar("T", bound=Note)


@dataclass
class Script:
    """What the box and the desk do instead of what they would."""

    run: Report | None = None
    plan: Report | None = None
    seconds: float = 0.0
    """How long a run takes."""
    refuses: Exception | None = None
    """What a write ends with."""
    writes: int = 0
    solves: int = 0
    right_after: Callable[[], None] = lambda: None
    """What happens as soon as something was written."""
    desk_breaks: bool = False
    """Whether a step breaks where nobody foresaw it."""


class SlowBox(Box):
    def __init__(self, script: Script) -> None:
        super().__init__(lambda _what: None)
        self._script = script

    async def plan(self, request: RunRequest) -> Report:
        return self._script.plan or await super().plan(request)

    async def run(self, request: RunRequest, changes: tuple[Change, ...] = ()) -> Report:
        await asyncio.sleep(self._script.seconds)
        return self._script.run or await super().run(request, changes)


class StubbornDesk(DiskDesk):
    def __init__(self, root: Path, intents: Path, script: Script) -> None:
        super().__init__(root, intents)
        self._script = script

    async def write(self, patch: Patch, expected: Mapping[str, Content]) -> None:
        self._script.writes += 1
        if self._script.refuses is not None:
            raise self._script.refuses
        await super().write(patch, expected)
        self._script.right_after()


@dataclass
class Small:
    """A watched folder, and all that was told of it."""

    root: Path
    engine: Engine
    script: Script
    intents: Path
    notes: list[Note] = field(default_factory=list)
    watch: Watch = field(init=False)

    def desk(self) -> DiskDesk:
        if self.script.desk_breaks:
            raise ZeroDivisionError("a bug of ours")
        return StubbornDesk(self.root, self.intents, self.script)

    def unsaved(self, paths: Iterable[str]) -> tuple[str, ...]:
        return ()

    def tell(self, note: Note) -> None:
        self.notes.append(note)

    def told(self, kind: type[T]) -> list[T]:
        return [note for note in self.notes if isinstance(note, kind)]

    def save(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.root / name).write_text(text)
        self.watch.touched(files)

    async def rested(self) -> None:
        """Nothing is left to do, but for what waits for an idle moment."""
        await asyncio.sleep(0)
        await asyncio.wait_for(self.watch.rested(), 60)

    async def until(self, what: Callable[[], object]) -> None:
        await asyncio.wait_for(_seen(what), 60)


async def _seen(what: Callable[[], object]) -> None:
    while not what():  # noqa: ASYNC110 - nobody tells when it is so
        await asyncio.sleep(0.01)


@asynccontextmanager
async def small(
    folder: Path,
    patch: pytest.MonkeyPatch,
    mode: Mode = "diagnose",
    files: Mapping[str, str] = FILES,
    script: Script | None = None,
    pace: Pace | None = QUICK,
    settings: Settings | None = None,
) -> AsyncIterator[Small]:
    script = script or Script()

    @asynccontextmanager
    async def open_scripted(*_: Any) -> AsyncIterator[SlowBox]:
        yield SlowBox(script)

    async def choose(*_: Any) -> Chosen:
        return Chosen("bubblewrap", "asked for")

    def build(*_: Any) -> Ladder:
        script.solves += 1
        return Ladder((Mender(),))

    patch.setattr(pool, "open_box", open_scripted)
    patch.setattr(ground, "choose_backend", choose)
    patch.setattr(engine_module, "build", build)
    patch.setattr(scripted_box, "BASE", {name: ("", text) for name, text in GOOD.items()})
    root = folder / "work"
    root.mkdir()
    for name, text in files.items():
        (root / name).write_text(text)
    journal = Journal(folder / "state")
    async with Engine(settings or Settings(), journal) as engine:
        it = Small(root, engine, script, journal.intents)
        it.watch = Watch(engine, Goal(root), it, mode, RealClock(), pace)
        try:
            yield it
        finally:
            await it.watch.close()
