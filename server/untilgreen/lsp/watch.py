"""Watch mode in the editor: which folders are watched, and how, and what the user sees of it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from untilgreen.errors import UntilgreenError
from untilgreen.events import Undone
from untilgreen.journal import default_folder
from untilgreen.lsp import ext
from untilgreen.lsp.desk import EditorDesk
from untilgreen.lsp.folders import uri_of
from untilgreen.lsp.words import count, name_list
from untilgreen.model import Goal, Verdict
from untilgreen.solve.findings import held_back
from untilgreen.watching.clock import RealClock
from untilgreen.watching.modes import MODES, Mode, Modes, mode_named
from untilgreen.watching.notes import Began, Happened, Note, Offered, Result, Said, Standing, Withdrawn, Wrote
from untilgreen.watching.quota import Allowance
from untilgreen.watching.watch import Watch

if TYPE_CHECKING:
    from untilgreen.job import Job
    from untilgreen.lsp.server import Server
    from untilgreen_sandbox.report import Report

log = logging.getLogger(__name__)


class EditorDoor:
    """What one watched folder tells the editor."""

    def __init__(self, server: Server, root: Path) -> None:
        self._server = server
        self._root = root
        self._desk = self._solved_on = EditorDesk(server, root)
        """The one asked for last, and the one that the last solve saw the files through: what was verified
        there says nothing of what another has seen since."""
        self._seq = 0
        self._turn = asyncio.Lock()
        """What is shown later is newer."""
        self.message = ""

    def desk(self) -> EditorDesk:
        self._desk = EditorDesk(self._server, self._root)
        return self._desk

    def unsaved(self, paths: Iterable[str]) -> tuple[str, ...]:
        desk = EditorDesk(self._server, self._root)
        desk.overlay()
        return tuple(path for path in paths if path in desk.unsaved)

    def tell(self, note: Note) -> None:
        server, desk = self._server, self._desk
        match note:
            case Standing(_, message):
                self.message = message
                server.telling.status()
            case Began(job):
                self._seq = 0
                if job.kind == "solve":
                    self._solved_on = desk
                    server.reviews.keep(job)
            case Happened(job, event):
                server.telling.event(job, self._seq, event)
                self._seq += 1
            case Result(job, report) if report.cases or _says_none_is_left(job, report):
                # What did not run because it cannot be affected is as it was.
                ids = tuple(case.id for case in report.cases)
                goal = None if job.affected is None else Goal(self._root, ids)
                self._show(lambda: server.jobs.publish(job, report, desk, goal=goal), f"publish {job.id}")
            case Offered(job, verdict, why):
                server.fixes.kept.offer(job, self._solved_on, verdict)
                if held_back(verdict, server.settings_of(self._root).findings, accepted=True):
                    server.fixes.kept.block(job.id)
                names = name_list(verdict.patch.paths)
                said = f"A verified fix for {names} is offered" + (f": {why}." if why else ".")
                server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, said))
                server.refresh_lenses()
            case Withdrawn(job) if server.fixes.kept.get(job.id) is not None:
                server.fixes.discard(job.id)
                server.refresh_lenses()
            case Wrote(job, verdict, paths):
                held = server.fixes.kept.offer(job, desk, verdict)
                # Until all of it is shown, nobody is offered what is written already.
                held.state = "busy"
                said = _wrote(verdict, paths)
                self._show(lambda: server.fixes.written(held, paths, said), f"wrote {job.id}")
            case Said(text):
                server.say(text, lsp.MessageType.Warning)
            case _:
                pass

    def deaf(self, task: asyncio.Task[None]) -> None:
        """Nobody hears of files any more."""
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("watching %s broke", self._root, exc_info=error)
            self.stopped(f"Watch mode stopped: something went wrong inside ({error!r}).")

    def stopped(self, why: str) -> None:
        """It goes on when the user switches it on again, or changes a setting."""
        self.message = why
        self._server.telling.status()
        self.tell(Said(why))

    def _show(self, show: Callable[[], Coroutine[None, None, None]], name: str) -> None:
        async def in_turn() -> None:
            async with self._turn:
                await show()

        self._server.jobs.spawn(in_turn(), name=name)


@dataclass(frozen=True, slots=True)
class Watched:
    """One folder with watch mode on."""

    watch: Watch
    door: EditorDoor
    files: asyncio.Task[None]


class Watches:
    """The watched folders of this session, and what the user chose for each, in this one or an earlier."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._modes = Modes(default_folder(os.environ))
        self._watched: dict[Path, Watched] = {}
        self._allowances: dict[Path, Allowance] = {}
        """What each may do by itself: it is not more because the mode went off and on."""

    # What the user does.

    def ask(self, root: Path) -> ext.Watching:
        watched = self._watched.get(root)
        return {"mode": watched.watch.pilot.mode if watched is not None else "off"}

    def switch(self, root: Path, wanted: str) -> ext.Watching:
        mode = mode_named(wanted)
        if mode is None:
            return {
                **self.ask(root),
                "reason": f"There is no mode {wanted!r}; use {', '.join(MODES)}.",
            }
        try:
            self._modes.choose(root, mode)
        except OSError as error:
            return {**self.ask(root), "reason": f"The mode cannot be kept: {error.strerror}."}
        self._set(root, mode, may_solve=True)
        return {"mode": mode}

    def reconsider(self) -> None:
        """Folders came, or settings: what is wanted of each is looked up again."""
        for root in {*self._server.documents.roots(), *self._watched}:
            self._set(root, self._mode(root), may_solve=False)
        for watched in self._watched.values():
            watched.watch.reconsider()

    def opened(self, root: Path) -> None:
        """A file was opened, perhaps in no workspace folder: then what was chosen for its project counts."""
        if root not in self._watched and root not in self._server.documents.roots():
            self._set(root, self._mode(root), may_solve=False)

    def typed(self, root: Path, path: str, text: str) -> None:
        if (watched := self._watched.get(root)) is not None:
            watched.watch.typed(path, text.encode("utf-8", "surrogatepass"))

    def saved(self, root: Path, path: str) -> None:
        if (watched := self._watched.get(root)) is not None:
            watched.watch.saved(path)

    def closed(self, root: Path, path: str, *, lost: bool) -> None:
        """The editor shows the file no more; `lost` when what it showed last is not on disk."""
        if (watched := self._watched.get(root)) is not None:
            watched.watch.closed(path, lost=lost)

    def stop(self, job_id: str | None) -> bool:
        """The user does not want what runs; the next save begins anew."""
        stopped = [watched.watch.stop(job_id) for watched in self._watched.values()]
        return any(stopped)

    def accepted(self, job: Job, verdict: Verdict, paths: tuple[str, ...]) -> None:
        """The user had a fix written."""
        if (watched := self._watched.get(job.goal.root)) is not None:
            watched.watch.accepted(job, verdict, paths)

    def alone(self, root: Path) -> AbstractAsyncContextManager[None]:
        """Nobody looks at the files of a folder while the user has something written there by us."""
        watched = self._watched.get(root)
        return watched.watch.fixes.files if watched is not None else nullcontext()

    async def undone(self, root: Path, undone: Undone) -> None:
        """By whoever is alone with the files."""
        if (watched := self._watched.get(root)) is not None:
            await watched.watch.was_undone(undone)

    # What the editor is told.

    @property
    def busy(self) -> bool:
        return any(watched.watch.pilot.busy for watched in self._watched.values())

    def status(self) -> list[ext.WatchStatus]:
        return [
            {"folder": uri_of(root), "mode": watched.watch.pilot.mode, "message": watched.door.message}
            for root, watched in self._watched.items()
        ]

    async def forget(self, root: Path) -> None:
        """A folder is gone, or is not watched any more."""
        if (watched := self._watched.pop(root, None)) is not None:
            await _end(watched)

    async def close(self) -> None:
        await asyncio.gather(*(self.forget(root) for root in list(self._watched)))

    def _mode(self, root: Path) -> Mode:
        """What was chosen; in a folder that nobody opened as such, nothing begins because of a setting."""
        is_folder = root in self._server.documents.roots()
        return self._modes.of(root, self._server.settings_of(root).watch if is_folder else "off")

    def _set(self, root: Path, mode: Mode, *, may_solve: bool) -> None:
        watched = self._watched.get(root)
        if watched is not None and watched.files.done():
            # It could not begin, or broke; what was in the way may be gone.
            del self._watched[root]
            self._server.jobs.spawn(_end(watched), name="watch off")
            watched = None
        if mode == "off":
            if watched is not None:
                self._server.jobs.spawn(self.forget(root), name="watch off")
        elif watched is not None:
            if watched.watch.pilot.mode != mode:
                watched.watch.switch(mode)
        else:
            self._begin(root, mode, may_solve=may_solve)
        self._server.telling.status()

    def _begin(self, root: Path, mode: Mode, *, may_solve: bool) -> None:
        door = EditorDoor(self._server, root)
        allowance = self._allowances.setdefault(root, Allowance())
        watch = Watch(self._server.engine, Goal(root), door, mode, RealClock(), allowance=allowance)
        files = asyncio.get_running_loop().create_task(
            _follow(watch, door, may_solve=may_solve), name="files"
        )
        files.add_done_callback(door.deaf)
        self._watched[root] = Watched(watch, door, files)


async def _follow(watch: Watch, door: EditorDoor, *, may_solve: bool) -> None:
    """What happens to files outside of the editor; what is saved in it is heard of twice, and is one."""
    # Only who watches needs to wait for it to load.
    from untilgreen.watching.files import touched_files

    begun = False
    try:
        async for paths in touched_files(watch.goal.root):
            if begun:
                watch.touched(paths)
            else:
                begun = True
                await watch.start(may_solve=may_solve)
    except UntilgreenError as error:
        door.stopped(str(error))


async def _end(watched: Watched) -> None:
    watched.files.cancel()
    await asyncio.gather(watched.files, return_exceptions=True)
    await watched.watch.close()


def _says_none_is_left(job: Job, report: Report) -> bool:
    """Whether a whole run found no test: marks of earlier ones go."""
    return job.kind == "test" and job.affected is None and report.ended == "finished"


def _wrote(verdict: Verdict, paths: tuple[str, ...]) -> str:
    tests = count(len(verdict.fixed), "test")
    verb = "passes" if len(verdict.fixed) == 1 else "pass"
    return f"Fixed {name_list(paths)}: {tests} {verb} again. Take it back with Undo last solve."
