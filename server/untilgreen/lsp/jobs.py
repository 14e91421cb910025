"""Jobs seen from the editor: their progress, their diagnostics, their last word."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lsprotocol import types as lsp

from untilgreen import events
from untilgreen.choosing import WHOLE
from untilgreen.errors import UntilgreenError
from untilgreen.lsp import ext
from untilgreen.lsp.desk import EditorDesk
from untilgreen.lsp.diagnostics import paths_in
from untilgreen.lsp.marks import Ran
from untilgreen.lsp.progress import Progress
from untilgreen.lsp.words import Narrator, ending_of, summary_of, title_of
from untilgreen.model import Goal, Patch, Verdict
from untilgreen.solve.findings import chosen, held_back
from untilgreen_sandbox.report import Report

if TYPE_CHECKING:
    from untilgreen.job import Job
    from untilgreen.lsp.server import Server

log = logging.getLogger(__name__)

# VS Code kills a server that needs more than two seconds to shut down.
_LAST_WORDS_SECONDS = 0.5


class Jobs:
    """Starts jobs and follows each in a task of its own; every task has an owner here."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._running: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._asking: set[asyncio.Task[None]] = set()
        self._closing = False

    def start(self, kind: Literal["test", "solve"], goal: Goal, cause: str) -> ext.Started:
        """Begin and return at once; a folder that is busy already is no error of the server."""
        if why := self._server.documents.no_project(goal.root):
            self._server.say(why, lsp.MessageType.Warning)
            return {"job": None, "reason": why}
        desk = EditorDesk(self._server, goal.root)
        engine = self._server.engine
        try:
            job = engine.test(goal, desk, cause) if kind == "test" else engine.solve(goal, desk, cause)
        except UntilgreenError as error:
            self._server.say(str(error), lsp.MessageType.Warning)
            return {"job": None, "reason": str(error)}
        self._running[job.id] = job
        if kind == "solve":
            self._server.reviews.keep(job)
        self.spawn(self._follow(job, desk), name=f"follow {job.id}")
        return {"job": job.id}

    def stop(self, job_id: str | None) -> bool:
        """Stop one job, or all when none is named; false when there was nothing to stop."""
        wanted = [job for job in self._running.values() if job_id in (None, job.id)]
        for job in wanted:
            job.stop()
        return bool(wanted)

    def running_in(self, roots: Collection[Path]) -> str:
        """The job in one of these folders, by its name; empty when there is none."""
        return next((job.id for job in self._running.values() if job.goal.root in roots), "")

    def stop_in(self, root: Path) -> None:
        """Stop what runs in a folder."""
        for job in self._running.values():
            if job.goal.root == root:
                job.stop()

    def spawn(
        self, work: Coroutine[None, None, object], name: str, *, asks: bool = False
    ) -> asyncio.Task[None]:
        """Run in the background; what goes wrong is logged and shown, and ends nothing but itself.

        A task that asks only waits for the user, and nobody waits for it.
        """
        task = asyncio.get_running_loop().create_task(_silently(work), name=name)
        self._tasks.add(task)
        if asks:
            self._asking.add(task)
        task.add_done_callback(self._done)
        # A task that is cancelled before its first step never comes to what it was to do.
        task.add_done_callback(lambda _: work.close())
        return task

    @property
    def at_work(self) -> bool:
        return len(self._tasks) > len(self._asking)

    async def close(self) -> None:
        """Let the followers say their last words, briefly; then none is left."""
        self._closing = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_LAST_WORDS_SECONDS)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def publish(
        self,
        job: Job,
        report: Report,
        desk: EditorDesk,
        patch: Patch | None = None,
        goal: Goal | None = None,
        written: tuple[str, ...] = (),
    ) -> None:
        """Everything that shows what a run said: diagnostics, lenses, the test tree.

        What was written since may be in the editor only.
        """
        server, goal = self._server, goal or job.goal
        # A fix that was verified again ran on what the desk saw last.
        snapshot = None if patch and job.moved else job.snapshot
        texts = await asyncio.to_thread(desk.texts_that_ran, paths_in(report), patch or Patch(), snapshot)
        if desk.is_left:
            return
        unsaved = tuple(sorted({*_unsaved(job, desk), *desk.left_unsaved(written)}))
        server.results.add(goal, report, time.time(), unsaved)
        server.publisher.publish(goal, report, Ran(texts, unsaved))
        server.tree.told(job.id, goal, report)
        server.refresh_lenses()

    async def publish_findings(self, root: Path, verdict: Verdict, desk: EditorDesk) -> None:
        paths = [finding.path for finding in verdict.findings if finding.path]
        texts = await asyncio.to_thread(desk.texts_that_ran, paths, verdict.patch)
        if not desk.is_left:
            self._server.publisher.show_findings(root, verdict.findings, Ran(texts))

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._asking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            if isinstance(error, UntilgreenError):
                self._server.say(str(error), lsp.MessageType.Error)
            else:
                log.error("%s broke", task.get_name(), exc_info=error)
                self._server.say("Something broke inside; see the server's log.", lsp.MessageType.Error)
        self._server.telling.status()

    async def _follow(self, job: Job, desk: EditorDesk) -> None:
        try:
            async with Progress(self._server, job.id, title_of(job.kind, job.goal)) as progress:
                narrator = Narrator()
                baseline: Report | None = None
                seq = 0
                async for event in job.events():
                    self._server.telling.event(job, seq, event)
                    seq += 1
                    narrator.most_attempts = job.most_attempts
                    if (text := narrator.say(event)) is not None:
                        progress.report(text)
                    if isinstance(event, events.BaselineDone):
                        baseline = event.report
                        await self.publish(job, baseline, desk)
                verdict = await job.wait()
                if job.kind == "test":
                    progress.ending = await self._end_test(job, desk, verdict, baseline)
                else:
                    progress.ending = await self._end_solve(job, desk, verdict)
        finally:
            # Without its follower nobody would hear of the job again.
            if job.verdict is None:
                job.stop()
            self._running.pop(job.id, None)
            self._server.tree.ended(job.id)

    async def _end_test(self, job: Job, desk: EditorDesk, verdict: Verdict, baseline: Report | None) -> str:
        report = verdict.after
        if report is None:
            if verdict.kind == "stopped":
                return self._say_stopped(verdict.reason)
            self._server.say(verdict.reason, lsp.MessageType.Warning)
            return verdict.reason
        if report is not baseline:
            await self.publish(job, report, desk)
        summary = summary_of(report, _unsaved(job, desk))
        # Failing tests show as diagnostics; only what leaves no mark in a file needs a message.
        if report.ended != "finished" or not report.cases:
            self._server.say(summary, lsp.MessageType.Warning)
        elif not self._server.can.work_done_progress:
            self._server.say(summary, lsp.MessageType.Info)
        return summary

    def _say_stopped(self, ending: str) -> str:
        """Where progress is shown, its end tells it."""
        if not self._closing and not self._server.can.work_done_progress:
            self._server.say(ending, lsp.MessageType.Info)
        return ending

    async def _end_solve(self, job: Job, desk: EditorDesk, verdict: Verdict) -> str:
        settings = self._server.settings_of(job.goal.root)
        choices = settings.findings
        verdict = chosen(verdict, choices)
        ending = ending_of(verdict, ())
        if verdict.kind == "stopped":
            return self._say_stopped(ending)
        if self._closing or desk.is_left:
            return ending
        if not verdict.patch:
            level = lsp.MessageType.Info if verdict.ok else lsp.MessageType.Warning
            self._server.say(ending, level)
            return ending
        fixes = self._server.fixes
        held = fixes.kept.offer(job, desk, verdict)
        wish = settings.apply
        # A finding needs eyes, and so does what proves little; a part of the suite is no proof for the whole,
        # among rivals one chooses, and a fix for some of the tests may not be what was wanted.
        needs_eyes = (
            bool(verdict.findings)
            or bool(verdict.weak)
            or verdict.scope != "full"
            or verdict.confidence == "contested"
            or verdict.kind != "green"
        )
        if why := held_back(verdict, choices, accepted=True):
            fixes.kept.block(job.id)
            self._server.say(f"{ending} {why}", lsp.MessageType.Warning)
        elif wish == "never":
            self._server.say(f"{ending} It was not applied.", lsp.MessageType.Info)
        elif wish == "ask" or needs_eyes:
            self.spawn(fixes.ask(held), name=f"ask {job.id}", asks=True)
        else:
            return await fixes.apply(job.id, WHOLE)
        return ending


def _unsaved(job: Job, desk: EditorDesk) -> tuple[str, ...]:
    """Files whose unsaved text ran; what is not copied, such as a commit message, has no say."""
    snapshot = job.snapshot
    return tuple(path for path in desk.unsaved if snapshot is None or path in snapshot.overlay)


async def _silently(work: Coroutine[None, None, object]) -> None:
    await work
