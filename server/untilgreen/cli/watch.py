"""`untilgreen watch`: the terminal's door to watch mode."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any, Protocol

from untilgreen.cli import contract
from untilgreen.cli.watch_keys import Keys
from untilgreen.cli.watch_lines import JsonLines, Lines
from untilgreen.cli.watch_view import View
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.errors import EditedSince, NothingToUndo, UntilgreenError, UsageError
from untilgreen.journal import default_folder
from untilgreen.model import Goal
from untilgreen.watching.clock import RealClock
from untilgreen.watching.files import touched_files
from untilgreen.watching.modes import MODES, Mode, Modes, mode_named
from untilgreen.watching.notes import Note, Offered, Said, Withdrawn, Wrote
from untilgreen.watching.priority import lower_me
from untilgreen.watching.watch import Watch

log = logging.getLogger(__name__)

GONE = {errno.EPIPE: contract.STOPPED, errno.EIO: contract.HUNG_UP}
"""A pipe that nobody reads, and a terminal that was closed: it may be seen before the signal comes."""
NOTHING_LEFT = "No fix of this session is left to undo. Those before: untilgreen history, untilgreen undo JOB"


class Showing(Protocol):
    """How it is shown: as lines, as objects, or on the whole screen."""

    def open(self) -> None:
        """Nothing is missed from now on."""

    def show(self, note: Note) -> None: ...

    def close(self) -> None: ...


class TerminalDoor:
    """Files on disk are all there is: nobody tells a terminal what is being typed."""

    def __init__(self, desk: DiskDesk, showing: Showing) -> None:
        self._desk = desk
        self._showing = showing
        self.offered: Offered | None = None
        self.written: list[str] = []
        """Jobs whose fixes stand, the newest last."""
        self.deserted: Callable[[int], None] = lambda _code: None
        """What to do when nobody reads any more: the exit code says why."""

    def desk(self) -> DiskDesk:
        return self._desk

    def unsaved(self, paths: Iterable[str]) -> tuple[str, ...]:
        return ()

    def open(self) -> None:
        with self._to_somebody():
            self._showing.open()

    def close(self) -> None:
        with self._to_somebody():
            self._showing.close()

    def tell(self, note: Note) -> None:
        if isinstance(note, Offered):
            self.offered = note
        elif isinstance(note, Withdrawn | Wrote):
            self.offered = None
        if isinstance(note, Wrote):
            self.written.append(note.job.id)
        with self._to_somebody():
            self._showing.show(note)

    def undone(self, job: str) -> None:
        """It stands no more."""
        self.written = [one for one in self.written if one != job]

    @contextlib.contextmanager
    def _to_somebody(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno not in GONE:
                raise
            # What is left unwritten would be tried again at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.deserted(GONE[error.errno])


async def watch_here(
    engine: Engine, desk: DiskDesk, goal: Goal, wanted: str | None, *, once: bool, json: bool
) -> int:
    """Until somebody ends it; the answer is the exit code."""
    mode = _mode(engine, goal, wanted)
    lower_me()
    showing = _showing(goal, mode, json=json, once=once)
    door = TerminalDoor(desk, showing)
    watch = Watch(engine, goal, door, mode, RealClock())
    session = Session(watch, door)
    async with engine:
        try:
            return await (session.once() if once else session.run())
        finally:
            await watch.close()
            door.close()


class Session:
    """One watch in one terminal: files, keys and signals."""

    def __init__(self, watch: Watch, door: TerminalDoor) -> None:
        self._watch = watch
        self._door = door
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._acting: set[asyncio.Task[None]] = set()
        door.deserted = self._end

    async def once(self) -> int:
        self._listen_to_signals()
        await self._watch.start(may_solve=True)
        resting = asyncio.ensure_future(self._watch.rested())
        ends: list[asyncio.Future[Any]] = [resting, self._ended]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        resting.cancel()
        if self._ended.done():
            return self._ended.result()
        return self._watch.exit_code

    async def run(self) -> int:
        self._listen_to_signals()
        files = asyncio.ensure_future(self._follow_files())
        keys = Keys(self._key)
        try:
            keys.listen()
            await asyncio.wait((files, self._ended), return_when=asyncio.FIRST_COMPLETED)
            return self._ended.result() if self._ended.done() else await files
        finally:
            keys.close()
            for task in (files, *self._acting):
                task.cancel()
            await asyncio.gather(files, *self._acting, return_exceptions=True)

    async def _follow_files(self) -> int:
        begun = False
        async for paths in touched_files(self._watch.goal.root):
            if begun:
                self._watch.touched(paths)
            else:
                begun = True
                await self._watch.start(may_solve=True)
                self._door.open()
        return 0

    def _listen_to_signals(self) -> None:
        if sys.platform == "win32":
            return
        codes = {
            signal.SIGHUP: contract.HUNG_UP,
            signal.SIGINT: contract.STOPPED,
            signal.SIGTERM: contract.TERMINATED,
        }
        if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
            # It was started to outlive its terminal, as by nohup.
            del codes[signal.SIGHUP]
        for number, code in codes.items():
            asyncio.get_running_loop().add_signal_handler(number, self._end, code)

    def _end(self, code: int) -> None:
        if not self._ended.done():
            self._ended.set_result(code)

    def _key(self, key: str) -> None:
        watch = self._watch
        if key == "q":
            self._end(0)
        elif key == "p":
            watch.pause("" if watch.pilot.paused else "you pressed p; press it again to go on")
        elif key == "r":
            watch.rerun()
        elif key == "m":
            later = MODES[MODES.index(watch.pilot.mode) + 1 :]
            watch.switch(later[0] if later else "diagnose")
        elif key == "a" and self._door.offered is not None:
            self._act(self._accept(self._door.offered))
        elif key == "u":
            self._act(self._undo())

    def _act(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._acting.add(task)
        task.add_done_callback(self._acted)

    def _acted(self, task: asyncio.Task[None]) -> None:
        self._acting.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a key broke", exc_info=error)
            self._door.tell(Said(f"Something went wrong inside untilgreen: {error!r}"))

    async def _accept(self, offered: Offered) -> None:
        with self._telling():
            await self._watch.accept(offered.job.id)

    async def _undo(self) -> None:
        if not self._door.written:
            self._door.tell(Said(NOTHING_LEFT))
            return
        job = self._door.written[-1]
        with self._telling():
            try:
                undone = await self._watch.undo(job)
            except EditedSince:
                raise
            except NothingToUndo:
                # Somebody undid it elsewhere, or by hand: next time it is the turn of the one before.
                self._door.undone(job)
                raise
            self._door.undone(job)
            self._door.tell(Said(f"Undone: {', '.join(undone.paths)}. Redo: untilgreen undo {undone.by}"))

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except UntilgreenError as error:
            self._door.tell(Said(str(error)))


def _mode(engine: Engine, goal: Goal, wanted: str | None) -> Mode:
    """What was asked for; else what was chosen for this folder; else one that writes nothing."""
    if wanted is not None:
        mode = mode_named(wanted)
        if mode is None or mode == "off":
            raise UsageError(f"There is no mode {wanted!r} to watch in; use diagnose, suggest or fix.")
        return mode
    chosen = Modes(default_folder(os.environ)).of(goal.root, engine.settings.watch)
    return chosen if chosen != "off" else "suggest"


def _showing(goal: Goal, mode: Mode, *, json: bool, once: bool) -> Showing:
    if json:
        return JsonLines()
    if once or not (sys.stdout.isatty() and sys.stdin.isatty()):
        return Lines(mode)
    return View(goal.root, mode)
