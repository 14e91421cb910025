"""Half an hour of a scripted user, in seconds: the real engine and real files, a scripted box, a clock that
is turned. The box may be scripted here only: what counts is who writes what, and when."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest

from lsp import scripted_box
from lsp.scripted_box import MARK, Mender, ScriptedBox
from untilgreen import engine as engine_module
from untilgreen import ground, pool
from untilgreen.desk import Content
from untilgreen.engine import Engine
from untilgreen.errors import NothingToUndo, WorkspaceChanged
from untilgreen.journal import Journal
from untilgreen.ladder import Ladder
from untilgreen.model import Goal, Patch
from untilgreen.settings import Settings
from untilgreen.watching.notes import Note, Offered, Result, Wrote
from untilgreen.watching.pace import Pace
from untilgreen.watching.watch import Watch
from untilgreen.workspace import Overlay
from untilgreen_sandbox.box import Change, Chosen, RunRequest
from untilgreen_sandbox.trace import Trace, TraceReport

PACE = Pace(settle=0.2, calm=2.0, idle=2.0, again=0.5, mass=100, fixes=3)
TESTS = """\
from calc import add, sub
from more import once, twice


def test_add():
    assert add(1, 2) == 3


def test_sub():
    assert sub(3, 2) == 1


def test_twice():
    assert twice(5) == 10
    assert once(7) == 7
"""
GOOD = {name: fixed for name, (_, fixed) in scripted_box.BASE.items()}
BUGS = {
    "calc.py": (("a + b", "a - b"), ("a - b", "a * b"), ("a - b", "b - a")),
    "more.py": (("n * FACTOR", "n + FACTOR"), ("FACTOR = 2", "FACTOR = 3"), ("return n\n", "return -n\n")),
}


class Box(ScriptedBox):
    async def trace(
        self, request: RunRequest, changes: tuple[Change, ...] = (), values: tuple[str, ...] = ()
    ) -> TraceReport:
        return TraceReport(await self.run(request, changes), Trace())


class TurnedClock:
    def __init__(self) -> None:
        self._now = 1000.0
        self._turned = asyncio.Event()

    def now(self) -> float:
        return self._now

    def turn(self, seconds: float) -> None:
        self._now += seconds
        turned, self._turned = self._turned, asyncio.Event()
        turned.set()

    async def wait(self, news: asyncio.Event, until: float | None) -> None:
        while not news.is_set() and (until is None or self._now < until):
            waits = [asyncio.ensure_future(event.wait()) for event in (news, self._turned)]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for waiting in waits:
                    waiting.cancel()


class Desktop:
    """An editor with all files open: desk and door in one, and the memory of what the user wrote."""

    where: Literal["disk", "editor"] = "editor"

    def __init__(self, root: Path, clock: TurnedClock) -> None:
        self.root = root
        self.clock = clock
        self.buffers = {**GOOD, "test_calc.py": TESTS}
        self.saved = dict(self.buffers)
        self.typed: dict[str, float] = {}
        self.wrote: list[Wrote] = []
        self.offers = 0
        self.results = 0
        self.fights: list[str] = []
        for name in self.buffers:
            self._put(name)

    def desk(self) -> Desktop:
        return self

    def overlay(self) -> Mapping[str, Overlay]:
        return {name: Overlay(text.encode(), None) for name, text in self.buffers.items()}

    async def read(self, path: str) -> Content:
        return Content(self.buffers[path].encode())

    async def write(self, patch: Patch, expected: Mapping[str, Content]) -> None:
        for path in patch.paths:
            if self.buffers[path].encode() != expected[path].data:
                raise WorkspaceChanged(f"You changed {path}.")
            if self.buffers[path] != self.saved[path]:
                self.fights.append(f"{path} was written although it was not saved")
            if self.clock.now() - self.typed.get(path, 0.0) < PACE.idle and not self.undoing:
                self.fights.append(f"{path} was written under the cursor")
        for path, change in patch:
            assert change.content is not None
            self.buffers[path] = self.saved[path] = change.content.decode()
            self._put(path)

    undoing = False

    def unsaved(self, paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(path for path in paths if self.buffers[path] != self.saved[path])

    def tell(self, note: Note) -> None:
        if isinstance(note, Wrote):
            self.wrote.append(note)
        self.offers += isinstance(note, Offered)
        self.results += isinstance(note, Result)

    def save(self, path: str) -> None:
        self.saved[path] = self.buffers[path]
        self._put(path)

    def truth(self) -> set[str]:
        """The tests that fail, as the files are."""
        files = {name: text.encode() for name, text in self.saved.items()}
        ids, broken = scripted_box._collected(files)
        red = {test_id for test_id in ids if not scripted_box._case(test_id, files).good}
        return red | {case.id for case in broken}

    def _put(self, path: str) -> None:
        (self.root / path).write_text(self.saved[path])


class User:
    """Types, saves, makes mistakes, formats, undoes, pauses: by chance, but the same with the same seed."""

    def __init__(self, chance: random.Random, desktop: Desktop, watch: Watch) -> None:
        self.chance = chance
        self.desktop = desktop
        self.watch = watch
        self.lines = 0
        self.mistakes = 0
        self.undone = 0

    async def act(self) -> None:
        acts = [self.type, self.type, self.save, self.save, self.mistake, self.format, self.format_all]
        rare = [self.undo, self.pause, self.switch, self.rerun, self.drop]
        await self.chance.choice(acts if self.chance.random() < 0.93 else rare)()

    async def type(self) -> None:
        path = self._file()
        lines = self.desktop.buffers[path].split("\n")
        self.lines += 1
        lines.insert(self.chance.randrange(len(lines)), f"{MARK} {self.lines}")
        self._typed(path, "\n".join(lines))

    async def save(self) -> None:
        self._save(self._file())

    async def mistake(self) -> None:
        path = self._file()
        right, wrong = self.chance.choice(BUGS[path])
        text = self.desktop.buffers[path]
        if right in text:
            self.mistakes += 1
            self._typed(path, text.replace(right, wrong, 1))
            if self.chance.random() < 0.8:
                self._save(path)

    async def format(self) -> None:
        """A formatter writes the file that was just saved."""
        path = self._file()
        self._save(path)
        self.lines += 1
        self.desktop.buffers[path] = f"{MARK} {self.lines}\n" + self.desktop.buffers[path]
        self.desktop.save(path)
        self.watch.touched([path])

    async def format_all(self) -> None:
        for path in GOOD:
            self._save(path)

    async def undo(self) -> None:
        if self.desktop.unsaved(GOOD):
            return
        self.desktop.undoing = True
        try:
            await self.watch.undo()
            self.undone += 1
        except NothingToUndo:
            pass
        finally:
            self.desktop.undoing = False

    async def drop(self) -> None:
        """Close a file without saving it, and look at it again."""
        path = self._file()
        lost = self.desktop.buffers[path] != self.desktop.saved[path]
        self.desktop.buffers[path] = self.desktop.saved[path]
        self.desktop.typed.pop(path, None)
        self.watch.closed(path, lost=lost)

    async def pause(self) -> None:
        self.watch.pause("" if self.watch.pilot.paused else "a test")

    async def switch(self) -> None:
        self.watch.switch(self.chance.choice(["diagnose", "suggest", "fix", "fix", "fix"]))

    async def rerun(self) -> None:
        self.watch.rerun()

    def _file(self) -> str:
        return self.chance.choice(list(GOOD))

    def _typed(self, path: str, text: str) -> None:
        self.desktop.buffers[path] = text
        self.desktop.typed[path] = self.desktop.clock.now()
        self.watch.typed(path, text.encode())

    def _save(self, path: str) -> None:
        self.desktop.save(path)
        self.watch.saved(path)


@asynccontextmanager
async def half_hour(
    root: Path, seed: str, patch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[User, TurnedClock]]:
    """A user at work, with watch mode on."""

    @asynccontextmanager
    async def open_scripted(*_: Any) -> AsyncIterator[Box]:
        yield Box(lambda _what: None)

    async def choose(*_: Any) -> Chosen:
        return Chosen("bubblewrap", "asked for")

    patch.setattr(pool, "open_box", open_scripted)
    patch.setattr(ground, "choose_backend", choose)
    patch.setattr(engine_module, "build", lambda *_: Ladder((Mender(),)))
    patch.setattr(scripted_box, "BASE", {name: ("", text) for name, text in GOOD.items()})
    work = root / "work"
    work.mkdir()
    clock = TurnedClock()
    desktop = Desktop(work, clock)
    async with Engine(Settings(), Journal(root / "state")) as engine:
        watch = Watch(engine, Goal(work), desktop, "fix", clock, PACE)
        await watch.start(may_solve=True)
        try:
            yield User(random.Random(seed), desktop, watch), clock
        finally:
            await watch.close()
