"""The newest fixes of a session: which of them wait, and how each is offered."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from untilgreen.errors import UntilgreenError, UsageError
from untilgreen.lsp import ext
from untilgreen.lsp.actions import Fix
from untilgreen.lsp.desk import EditorDesk
from untilgreen.lsp.words import written_by_model
from untilgreen.model import Verdict

if TYPE_CHECKING:
    from untilgreen.job import Job
    from untilgreen.lsp.server import Server

MOST_HELD = 20
MOST_LOOKED_AT = 5000
"""In a larger workspace nobody looks at all files when a cursor moves: there a fix comes by its command."""


@dataclass(slots=True)
class Held:
    """A job that ended with a fix."""

    job: Job
    desk: EditorDesk
    verdict: Verdict
    """As the user sees it."""
    state: Literal["open", "blocked", "busy", "applied", "discarded"] = "open"
    times: int = 0
    """How often it was to be applied."""


class HeldFixes:
    """By job, the newest last."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._held: dict[str, Held] = {}

    def offer(self, job: Job, desk: EditorDesk, verdict: Verdict) -> Held:
        """Keep a fix for as long as twenty newer ones have not come."""
        held = self._held[job.id] = Held(job, desk, verdict)
        for old in list(self._held)[:-MOST_HELD]:
            del self._held[old]
        return held

    def get(self, job_id: str) -> Held | None:
        return self._held.get(job_id)

    def find(self, job_id: str) -> Held:
        """UsageError when there is none."""
        if job_id not in self._held:
            raise UsageError(f"Job {job_id!r} has no fix that is still kept.")
        return self._held[job_id]

    def block(self, job_id: str) -> None:
        self._held[job_id].state = "blocked"

    def forget(self, root: Path) -> None:
        """A folder is gone, and so is what waits in it."""
        self._held = {name: held for name, held in self._held.items() if held.job.goal.root != root}

    def waiting(self, around: Iterable[Path]) -> Held | None:
        """Of each of these folders the newest fix, if it is open; of several the newest."""
        newest = {held.job.goal.root: held for held in self._held.values()}
        open_ones = [held for root in around if (held := newest.get(root)) and held.state == "open"]
        order = list(self._held)
        return max(open_ones, key=lambda held: order.index(held.job.id), default=None)

    def all_waiting(self) -> list[ext.WaitingFix]:
        """Those that the user has still to decide upon: of each folder the newest fix, if it is open.

        The newest of all is the last.
        """
        newest_first = dict.fromkeys(held.job.goal.root for held in reversed(self._held.values()))
        return [
            {"job": held.job.id, "folder": self._server.documents.uri(root), "reason": held.verdict.reason}
            for root in reversed(newest_first)
            if (held := self.waiting([root])) is not None
        ]

    def actions(self, around: Iterable[Path]) -> tuple[Fix, ...]:
        """The newest open fix of these folders, with the edit itself when it still fits."""
        newest = self.waiting(around)
        if newest is None:
            return ()
        verdict, job, edit = newest.verdict, newest.job, None
        paths, seen = verdict.patch.paths, job.snapshot
        # No editor looks at the versions of all documents before it makes the edit of an action: several
        # are left to us. So is what was verified with other texts beside it than there are now.
        is_alone = self._server.can.action_edits and len(paths) == 1
        if is_alone and seen is not None and not newest.desk.is_left_behind(seen, paths):
            edit = newest.desk.edit_for(verdict.patch, job.pristine)
        return (Fix(newest.job.id, len(verdict.findings), written_by_model(verdict), edit),)

    async def looked_at(self, fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
        """The same, without an edit that was verified with other files than are there now.

        Not every editor tells of files that change on disk, and it would make the edit without asking us.
        """
        return tuple([await self._looked_at(fix) for fix in fixes])

    async def _looked_at(self, fix: Fix) -> Fix:
        held = self._held.get(fix.job)
        if fix.edit is None or held is None or self._server.can.watched_files:
            return fix
        # The desk of the job remembers what ran.
        desk, seen = EditorDesk(self._server, held.job.goal.root), held.job.snapshot
        try:
            is_small = seen is not None and len(seen.entries) <= MOST_LOOKED_AT
            if is_small and await self._server.engine.is_as_verified(held.job, desk):
                return fix
        except UntilgreenError:
            # It cannot even be looked at; its command will say why.
            pass
        return dataclasses.replace(fix, edit=None)
