"""The fixes of a watched workspace on their way to the user: offered, written, withdrawn, taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from untilgreen.choosing import WHOLE
from untilgreen.engine import Engine
from untilgreen.errors import UntilgreenError, UsageError, WorkspaceChanged
from untilgreen.events import Undone
from untilgreen.job import Job
from untilgreen.model import Goal, Verdict
from untilgreen.shifting import dressed
from untilgreen.solve.findings import chosen, new_findings
from untilgreen.undo_records import UndoRecord
from untilgreen.watching.clock import Clock
from untilgreen.watching.door import Door
from untilgreen.watching.eye import Eye
from untilgreen.watching.notes import Offered, Withdrawn, Wrote
from untilgreen.watching.pilot import Pilot
from untilgreen.watching.quota import ModelBudget
from untilgreen.watching.reading import tested
from untilgreen.watching.solving import Solving, why_not
from untilgreen.watching.taken_back import signature_of_record
from untilgreen_sandbox.report import Report


class Fixes:
    """Keeps the newest one only: an older one speaks of code that is no more."""

    def __init__(
        self,
        engine: Engine,
        goal: Goal,
        door: Door,
        eye: Eye,
        pilot: Pilot,
        clock: Clock,
        budget: ModelBudget,
    ) -> None:
        self.files = asyncio.Lock()
        """Nobody looks at files while we write some."""
        self.solving = Solving(engine, goal.root, budget)
        self._engine = engine
        self._root = goal.root
        self._door = door
        self._eye = eye
        self._pilot = pilot
        self._clock = clock
        self._held: Job | None = None
        self._offered = False
        self._told: Verdict | None = None
        """Of the held one, as far as the user knows what needs eyes in it."""

    def hold(self, job: Job) -> None:
        self._held, self._offered, self._told = job, False, job.verdict

    def held(self, job_id: str) -> Job:
        """UsageError when there is a newer one, or none."""
        if self._held is None or self._held.id != job_id:
            raise UsageError("This fix is not offered any more: the code is another by now.")
        return self._held

    def offer(self, job_id: str, why: str) -> None:
        job = self.held(job_id)
        assert job.verdict is not None
        self._offered = True
        self._pilot.offered()
        self._door.tell(Offered(job, job.verdict, why))

    def withdraw(self) -> None:
        """When the tests that an offer mends do well without it, nobody needs it any more."""
        job = self._held
        if job is None or job.verdict is None or not self._offered:
            return
        if not self._pilot.known.mends(job.verdict.fixed):
            self._held = None
            self._door.tell(Withdrawn(job))

    async def write(self, job: Job, *, automatic: bool = False) -> tuple[str, ...]:
        """What was edited meanwhile may have made another fix of it: then somebody looks at it first."""
        desk = self._door.desk()
        fix = await self._engine.prove(job, desk, WHOLE)
        if doubt := self._doubt(fix.verdict, automatic=automatic):
            raise UntilgreenError(doubt)
        async with self.files:
            if self._door.unsaved(fix.verdict.patch.paths):
                raise WorkspaceChanged("You are changing these files just now; nothing was written.")
            before = {path: now.data for path, now in fix.expected.items()}
            self._expect(fix.verdict, fix.verdict.patch.paths, before)
            try:
                paths = await self._engine.write(job, desk, fix)
            except BaseException:
                self._eye.unexpect(fix.verdict.patch.paths)
                raise
            await asyncio.to_thread(self._eye.landed, paths)
        self._noted(job, fix.verdict, paths, before)
        self._door.tell(Wrote(job, fix.verdict, paths))
        return paths

    def accepted(self, job: Job, verdict: Verdict, paths: tuple[str, ...]) -> None:
        """The user had it written, not through here."""
        before = {path: job.pristine.get(path) for path in paths}
        self._expect(verdict, paths, before)
        self._noted(job, verdict, paths, before)

    async def undo(self, job_id: str | None) -> Undone:
        async with self.files:
            undone = await self._engine.undo(self._root, self._door.desk(), job_id, cause="watch: undo")
            await self.was_undone(undone)
        return undone

    def shown_as_on_disk(self, path: str) -> None:
        """An editor holds what was saved there: a fix that it took and did not save is gone from it."""
        if self._eye.awaits(path) and not self.files.locked():
            self._eye.unexpect([path])
            self._pilot.taken_back()

    def _doubt(self, proved: Verdict, *, automatic: bool) -> str:
        """Why a fix that was verified again is not written yet, in a sentence; empty when nothing is new."""
        settings = self._engine.settings_of(self._root)
        verdict = chosen(proved, settings.findings)
        if automatic:
            why = why_not(verdict, settings)
            return f"Verified again, it was not written: {why}." if why else ""
        if self._told is None or not (news := new_findings(self._told, verdict)):
            return ""
        self._told = verdict
        seen = "; ".join(f"{finding.path}:{finding.line} {finding.reason}" for finding in news)
        return f"Verified again, and something in it needs your eyes: {seen}. Say it once more to write it."

    def _expect(self, verdict: Verdict, paths: tuple[str, ...], before: Mapping[str, bytes | None]) -> None:
        """What is in the files afterwards is not asked: the user may have written there already."""
        for path in paths:
            content, was = verdict.patch.files[path].content, before.get(path)
            self._eye.expect({path: content})
            if content is not None and was is not None:
                # An editor keeps its own line ends.
                self._eye.expect({path: dressed(content, was)})

    def _noted(
        self, job: Job, verdict: Verdict, paths: tuple[str, ...], before: Mapping[str, bytes | None]
    ) -> None:
        now = self._clock.now()
        self.solving.wrote(job.id, before, {path: change.content for path, change in verdict.patch}, now)
        if self._held is job:
            self._held = None
        report, whole = verdict.after or Report("lost"), verdict.after is not None and verdict.scope == "full"
        self._pilot.applied(paths, tested(report, whole=whole, affected=()), now)

    async def was_undone(self, undone: Undone) -> None:
        """A fix was taken back, in this process, by whoever holds `files`."""
        taken, undo = await asyncio.to_thread(self._records_of, undone)
        # What was edited beside the fix stays: the files are not always as they were before it.
        self._eye.expect(undo.after)
        for record in taken:
            self.solving.refuse(signature_of_record(record))
        self._pilot.taken_back()

    def _records_of(self, undone: Undone) -> tuple[list[UndoRecord], UndoRecord]:
        records = self._engine.past.undo
        taken = [record for record in records.undone(self._root) if record.job == undone.undoes]
        return taken, records.find(self._root, undone.by)
