"""Jobs seen from the editor: their progress, their diagnostics, their fix, their last word."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Literal

from lsprotocol import types as lsp

from untilgreen import events
from untilgreen.errors import UntilgreenError, WorkspaceChanged
from untilgreen.lsp import ext
from untilgreen.lsp.desk import EditorDesk
from untilgreen.lsp.diagnostics import paths_in
from untilgreen.lsp.progress import Progress
from untilgreen.lsp.words import Narrator, apply_title, asking_of, ending_of, name_list, summary_of, title_of
from untilgreen.model import Goal, Patch, Verdict
from untilgreen.solve.findings import chosen, held_back
from untilgreen_sandbox.report import Report

if TYPE_CHECKING:
    from untilgreen.job import Job
    from untilgreen.lsp.server import Server

log = logging.getLogger(__name__)

DISCARD = "Discard"
# VS Code kills a server that needs more than two seconds to shut down.
_LAST_WORDS_SECONDS = 0.5


class Jobs:
    """Starts jobs and follows each in a task of its own; every task has an owner here."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._running: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False

    def start(self, kind: Literal["test", "solve"], goal: Goal, cause: str) -> ext.Started:
        """Begin and return at once; a folder that is busy already is no error of the server."""
        desk = EditorDesk(self._server, goal.root)
        engine = self._server.engine
        try:
            job = engine.test(goal, desk, cause) if kind == "test" else engine.solve(goal, desk, cause)
        except UntilgreenError as error:
            self._server.say(str(error), lsp.MessageType.Warning)
            return {"job": None, "reason": str(error)}
        self._running[job.id] = job
        self.spawn(self._follow(job, desk), name=f"follow {job.id}")
        return {"job": job.id}

    def stop(self, job_id: str | None) -> bool:
        """Stop one job, or all when none is named; false when there was nothing to stop."""
        wanted = [job for job in self._running.values() if job_id in (None, job.id)]
        for job in wanted:
            job.stop()
        return bool(wanted)

    def undo(self, goal: Goal, job_id: str | None, force: bool) -> None:
        self.spawn(self._undo(goal, job_id, force), name="undo")

    def spawn(self, work: Coroutine[None, None, None], name: str) -> None:
        """Run in the background; what goes wrong is logged and shown, and ends nothing but itself."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def close(self) -> None:
        """Let the followers say their last words, briefly; then none is left."""
        self._closing = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_LAST_WORDS_SECONDS)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            if isinstance(error, UntilgreenError):
                self._server.say(str(error), lsp.MessageType.Error)
            else:
                log.error("%s broke", task.get_name(), exc_info=error)
                self._server.say("Something broke inside; see the server's log.", lsp.MessageType.Error)

    async def _follow(self, job: Job, desk: EditorDesk) -> None:
        try:
            async with Progress(self._server, job.id, title_of(job.kind, job.goal)) as progress:
                narrator = Narrator()
                baseline: Report | None = None
                async for event in job.events():
                    if (text := narrator.say(event)) is not None:
                        progress.report(text)
                    if isinstance(event, events.BaselineDone):
                        baseline = event.report
                        await self._publish(job.goal, baseline, desk)
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

    async def _end_test(self, job: Job, desk: EditorDesk, verdict: Verdict, baseline: Report | None) -> str:
        report = verdict.after
        if report is None:
            if verdict.kind != "stopped":
                self._server.say(verdict.reason, lsp.MessageType.Warning)
            return verdict.reason
        if report is not baseline:
            await self._publish(job.goal, report, desk)
        summary = summary_of(report)
        # Failing tests show as diagnostics; only what leaves no mark in a file needs a message.
        if report.ended != "finished" or not report.cases:
            self._server.say(summary, lsp.MessageType.Warning)
        elif not self._server.can.work_done_progress:
            self._server.say(summary, lsp.MessageType.Info)
        return summary

    async def _end_solve(self, job: Job, desk: EditorDesk, verdict: Verdict) -> str:
        choices = self._server.settings.findings
        verdict = chosen(verdict, choices)
        ending = ending_of(verdict, ())
        if self._closing or verdict.kind == "stopped":
            return ending
        if verdict.kind != "green":
            level = lsp.MessageType.Info if verdict.ok else lsp.MessageType.Warning
            self._server.say(ending, level)
            return ending
        wish = self._server.settings.apply
        # A finding needs eyes, a part of the suite is no proof for the whole, and among rivals one chooses.
        needs_eyes = bool(verdict.findings) or verdict.scope != "full" or verdict.confidence == "contested"
        if wish == "never":
            self._server.say(f"{ending} It was not applied.", lsp.MessageType.Info)
        elif why := held_back(verdict, choices, accepted=True):
            self._server.say(f"{ending} {why}", lsp.MessageType.Warning)
        elif wish == "ask" or needs_eyes:
            self.spawn(self._ask(job, desk, verdict), name=f"ask {job.id}")
        else:
            return await self._apply(job, desk, verdict)
        return ending

    async def _apply(self, job: Job, desk: EditorDesk, verdict: Verdict) -> str:
        try:
            paths = await self._server.engine.apply(job, desk)
            # With edits of the user's beside it, the fix is another one now.
            verdict = job.verdict or verdict
        except WorkspaceChanged as error:
            self._server.say(str(error), lsp.MessageType.Warning)
            return str(error)
        if verdict.after is not None:
            desk.overlay()
            await self._publish(job.goal, verdict.after, desk, verdict.patch)
        ending = ending_of(verdict, paths)
        self._server.say(ending, lsp.MessageType.Info)
        return ending

    async def _ask(self, job: Job, desk: EditorDesk, verdict: Verdict) -> None:
        """The answer may never come: the job has ended by now, and nothing waits but this question."""
        apply = apply_title(verdict)
        answer = await self._server.window_show_message_request_async(
            lsp.ShowMessageRequestParams(
                type=lsp.MessageType.Info,
                message=f"untilgreen: {asking_of(verdict)}",
                actions=[lsp.MessageActionItem(title=apply), lsp.MessageActionItem(title=DISCARD)],
            )
        )
        if answer is not None and answer.title == apply:
            await self._apply(job, desk, verdict)

    async def _undo(self, goal: Goal, job_id: str | None, force: bool) -> None:
        desk = EditorDesk(self._server, goal.root)
        undone = await self._server.engine.undo(goal.root, desk, job_id, force=force, cause=ext.UNDO)
        self._server.say(f"Undone in {name_list(undone.paths)}.", lsp.MessageType.Info)

    async def _publish(
        self, goal: Goal, report: Report, desk: EditorDesk, patch: Patch | None = None
    ) -> None:
        texts = await asyncio.to_thread(desk.texts_that_ran, paths_in(report), patch or Patch())
        self._server.publisher.publish(goal, report, texts, desk.versions_that_ran())
