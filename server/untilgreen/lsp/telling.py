"""Tells the editor how things stand: events for those that asked, and one honest standing status."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from untilgreen import events
from untilgreen.errors import ModelError
from untilgreen.events import to_json
from untilgreen.lsp import ext
from untilgreen.lsp.folders import uri_of

if TYPE_CHECKING:
    from pathlib import Path

    from untilgreen.job import Job
    from untilgreen.lsp.server import Server
    from untilgreen.settings import Settings


@dataclass(frozen=True, slots=True)
class _Folder:
    """What would work in one folder."""

    name: str
    sandbox: str
    solver: str
    model: str
    said: str
    """The same in words."""
    lacks: bool
    """The solver that the user wants cannot be asked."""

    def status(self, root: Path) -> ext.FolderStatus:
        return {
            "folder": uri_of(root),
            "sandbox": self.sandbox,
            "solver": self.solver,
            "model": self.model,
        }


class Telling:
    """Sends a status only when it is another one than before."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._sandboxes: dict[Path, str] = {}
        """What each folder's last job ran in."""
        self._problems: dict[Path, str] = {}
        """What went wrong in each folder's last job."""
        self._busy: dict[str, str] = {}
        """What each running job is doing."""
        self._last: dict[str, Any] = {}
        self._chosen: dict[Path | None, tuple[Settings, str, str]] = {}

    def event(self, job: Job, seq: int, event: events.Event) -> None:
        """Something happened in a job."""
        root = job.goal.root
        match event:
            case events.JobStarted():
                # What went wrong in the last one need not go wrong again.
                self._problems.pop(root, None)
                self._busy[job.id] = job.state
            case events.Preparing(text):
                self._busy[job.id] = text
            case events.BoxOpened(backend, why, description):
                self._problems.pop(root, None)
                self._sandboxes[root] = description or backend
                if backend == "bubblewrap" and why not in ("", "asked for"):
                    self._sandboxes[root] += f" ({why})"
            case events.Failed(reason):
                self._problems[root] = reason
                self._busy.pop(job.id, None)
            case events.Finished(verdict):
                self._busy.pop(job.id, None)
                if job.kind == "solve":
                    self._server.results.tried(root, verdict.attempts)
            case _:
                self._busy[job.id] = job.state
        self._send(event, job.id, seq)
        self.status()

    def forget(self, root: Path) -> None:
        """A folder is gone, and so is what could be said of it."""
        self._sandboxes.pop(root, None)
        self._problems.pop(root, None)
        self._chosen.pop(root, None)

    def applied(self, job_id: str, paths: tuple[str, ...]) -> None:
        self._send(events.Applied(paths, "editor"), job_id, -1)

    def undone(self, root: Path, undone: events.Undone) -> None:
        """An undo is a job of two events, as in the journal."""
        self._send(events.JobStarted("undo", root, (), ext.UNDO), undone.by, 0)
        self._send(undone, undone.by, 1)

    def now(self) -> dict[str, Any]:
        """The standing status; what is said of sandbox, solver and model is each folder's own."""
        roots = self._server.documents.roots()
        # A lone file's project is no folder of the editor's, and may have had a job all the same.
        folders = [self._folder(root) for root in roots or [*self._sandboxes][-1:]] or [self._folder(None)]
        problems = list(dict.fromkeys(self._problems.values()))
        lacks = any(folder.lacks for folder in folders)
        doing = "; ".join(dict.fromkeys(self._busy.values())) or "ready"
        each = " · ".join(f"{folder.name}: {folder.said}" for folder in folders)
        if len({folder.said for folder in folders}) == 1:
            each = folders[0].said
        return {
            "health": "error" if problems else "warning" if lacks else "ok",
            "quiescent": not (self._busy or self._server.jobs.at_work or self._server.watches.busy),
            "message": "; ".join(problems) or f"{doing} · {each}",
            "sandbox": folders[0].sandbox,
            "solver": folders[0].solver,
            "model": folders[0].model,
            "folders": [folder.status(root) for root, folder in zip(roots, folders, strict=False)],
            "jobs": sorted(self._busy),
            "watch": self._server.watches.status(),
            "fixes": self._server.fixes.kept.all_waiting(),
        }

    def _folder(self, root: Path | None) -> _Folder:
        settings = self._server.settings if root is None else self._server.settings_of(root)
        model, lacking = self._model(root, settings)
        sandbox = self._sandboxes.get(root, "") if root is not None else ""
        solver = settings.solver.partition(":")[0]
        if solver in ("offline", "scripted"):
            who = solver
        elif model:
            who = f"model {model}"
        elif solver == "model":
            who = f"no model. {lacking}"
        else:
            who = "no model, built-in repair only"
        sandbox = sandbox or f"{settings.sandbox}, not opened yet"
        said = f"sandbox: {sandbox} · {who}"
        name = root.name if root is not None else ""
        return _Folder(name, sandbox, solver, model, said, lacks=solver == "model" and not model)

    def _model(self, root: Path | None, settings: Settings) -> tuple[str, str]:
        """The model that a solve would ask, or what is lacking for one."""
        if settings.solver.partition(":")[0] in ("offline", "scripted"):
            return "", ""
        if root not in self._chosen or self._chosen[root][0] is not settings:
            from untilgreen.models.choosing import choose

            try:
                self._chosen[root] = (settings, choose(settings, os.environ).small.model, "")
            except ModelError as error:
                self._chosen[root] = (settings, "", str(error))
        return self._chosen[root][1:]

    def _send(self, event: events.Event, job_id: str, seq: int) -> None:
        if self._server.can.events:
            told = to_json(event, job=job_id, seq=seq, t=time.time())
            self._server.protocol.notify(ext.EVENT, told)

    def status(self) -> None:
        can = self._server.can
        if not (can.events or can.server_status):
            return
        status = self.now()
        if status == self._last:
            return
        self._last = status
        if can.events:
            self._server.protocol.notify(ext.STATUS, status)
        if can.server_status:
            brief = {name: status[name] for name in ("health", "quiescent", "message")}
            self._server.protocol.notify(ext.SERVER_STATUS, brief)
