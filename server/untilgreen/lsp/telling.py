"""Tells the editor how things stand: events for those that asked, and one honest standing status."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Literal

from untilgreen import events
from untilgreen.errors import ModelError
from untilgreen.events import to_json
from untilgreen.lsp import ext

if TYPE_CHECKING:
    from pathlib import Path

    from untilgreen.job import Job
    from untilgreen.lsp.server import Server
    from untilgreen.settings import Settings


class Telling:
    """Sends a status only when it is another one than before."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._sandbox = ""
        self._problem = ""
        self._busy: dict[str, str] = {}
        """What each running job is doing."""
        self._last: dict[str, Any] = {}
        self._chosen: tuple[Settings, str, str] | None = None

    def event(self, job: Job, seq: int, event: events.Event) -> None:
        """Something happened in a job."""
        match event:
            case events.JobStarted():
                # What went wrong in the last one need not go wrong again.
                self._problem = ""
                self._busy[job.id] = job.state
            case events.Preparing(text):
                self._busy[job.id] = text
            case events.BoxOpened(backend, why, description):
                self._sandbox, self._problem = description or backend, ""
                if backend == "bubblewrap" and why not in ("", "asked for"):
                    self._sandbox += f" ({why})"
            case events.Failed(reason):
                self._problem = reason
                self._busy.pop(job.id, None)
            case events.Finished(verdict):
                self._busy.pop(job.id, None)
                if job.kind == "solve":
                    self._server.results.tried(job.goal.root, verdict.attempts)
            case _:
                self._busy[job.id] = job.state
        self._send(event, job.id, seq)
        self.status()

    def applied(self, job_id: str, paths: tuple[str, ...]) -> None:
        self._send(events.Applied(paths, "editor"), job_id, -1)

    def undone(self, root: Path, undone: events.Undone) -> None:
        """An undo is a job of two events, as in the journal."""
        self._send(events.JobStarted("undo", root, (), ext.UNDO), undone.by, 0)
        self._send(undone, undone.by, 1)

    def now(self) -> dict[str, Any]:
        """The standing status."""
        settings = self._server.settings
        health: Literal["ok", "warning", "error"] = "error" if self._problem else "ok"
        model, lacking = self._model(settings)
        sandbox = self._sandbox or f"{settings.sandbox}, not opened yet"
        doing = "; ".join(dict.fromkeys(self._busy.values()))
        solver = settings.solver.partition(":")[0]
        if solver in ("offline", "scripted"):
            who = solver
        elif model:
            who = f"model {model}"
        elif solver == "model":
            who, health = f"no model. {lacking}", "error" if self._problem else "warning"
        else:
            who = "no model, built-in repair only"
        said = self._problem or f"{doing or 'ready'} · sandbox: {sandbox} · {who}"
        return {
            "health": health,
            "quiescent": not (self._busy or self._server.jobs.at_work or self._server.watches.busy),
            "message": said,
            "sandbox": sandbox,
            "solver": solver,
            "model": model,
            "jobs": sorted(self._busy),
            "watch": self._server.watches.status(),
            "fixes": self._server.fixes.all_waiting(),
        }

    def _model(self, settings: Settings) -> tuple[str, str]:
        """The model that a solve would ask, or what is lacking for one."""
        if self._chosen is None or self._chosen[0] is not settings:
            from untilgreen.models.choosing import choose

            try:
                self._chosen = (settings, choose(settings, os.environ).small.model, "")
            except ModelError as error:
                self._chosen = (settings, "", str(error))
        _, model, lacking = self._chosen
        return ("", "") if settings.solver.partition(":")[0] in ("offline", "scripted") else (model, lacking)

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
