"""Fixes that wait for the user, and what becomes of them: applied, discarded, undone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from untilgreen.choosing import WHOLE, Choice
from untilgreen.errors import EditedSince, UntilgreenError, UsageError, WorkspaceChanged
from untilgreen.events import Event
from untilgreen.lsp import ext
from untilgreen.lsp.desk import EditorDesk
from untilgreen.lsp.held import Held, HeldFixes
from untilgreen.lsp.progress import Progress, applying
from untilgreen.lsp.words import (
    Narrator,
    apply_title,
    asking_of,
    ending_of,
    left_to_do,
    name_list,
)
from untilgreen.model import Goal, Verdict
from untilgreen.moving import Fix as Proved
from untilgreen.solve.findings import chosen, held_back, new_findings

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server

DISCARD, REVIEW, SOLVE_AGAIN = "Discard", "Review", "Solve again"
LOSE, KEEP = "Undo all the same", "Keep my edits"
UNDO_LABEL = "Undo last solve"


class Fixes:
    """The newest fixes of this session, by job."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.kept = HeldFixes(server)
        self._undoable: dict[Path, bool] = {}
        """Whether a fix of a folder stands; the last is the folder that was written to last."""
        self._n_written = 0

    def undoable(self, around: Iterable[Path]) -> Path | None:
        """Of the folders around a file that in which a fix stands; of several the one written to last."""
        here = {*around}
        return next((root for root, can in reversed(self._undoable.items()) if can and root in here), None)

    async def look_for_undo(self, root: Path) -> None:
        n_written = self._n_written
        found = await self._server.engine.can_undo(root, EditorDesk(self._server, root))
        # A fix that was written while somebody looked is newer than what was seen.
        if n_written == self._n_written:
            self._undoable[root] = found

    def forget(self, root: Path) -> None:
        """A folder is gone, and so is what waits in it."""
        self.kept.forget(root)
        self._undoable.pop(root, None)

    def discard(self, job_id: str) -> bool:
        held = self.kept.find(job_id)
        if held.state == "open":
            held.state = "discarded"
            self._server.telling.status()
        return held.state == "discarded"

    async def ask(self, held: Held) -> None:
        """The answer may never come: the job has ended by now, and nothing waits but this question."""
        # Who is asked about a fix knows by then that it waits, however fast the answer comes.
        self._server.telling.status()
        apply = apply_title(held.verdict)
        answer = await self._question(asking_of(held.verdict), [apply, REVIEW, DISCARD])
        if answer == apply:
            self._server.jobs.spawn(self.apply(held.job.id, WHOLE), name=f"apply {held.job.id}")
        elif answer == REVIEW:
            await self._server.reviews.show(held.job.id)
        elif answer == DISCARD:
            self.discard(held.job.id)

    async def apply(self, job_id: str, choice: Choice) -> str:
        """Write a fix, or a part or a rival after it was verified again; the end of it in a sentence."""
        held = self.kept.find(job_id)
        if held.state not in ("open", "discarded"):
            raise UsageError(f"The fix of job {job_id} is {held.state}; it is not applied now.")
        before, held.state = held.state, "busy"
        try:
            fix = await self._prove(held, choice)
            findings = self._server.settings_of(held.job.goal.root).findings
            verdict = chosen(fix.verdict, findings)
            if why := held_back(verdict, findings, accepted=True):
                raise UntilgreenError(why)
        except WorkspaceChanged as error:
            return self._conflict(held, str(error))
        finally:
            held.state = before
        if news := new_findings(held.verdict, verdict):
            shown = dataclasses.replace(verdict, findings=news)
            self._server.jobs.spawn(self._ask_to_accept(held, fix, shown), name=f"ask {job_id}", asks=True)
            return "Verified again, and something in it needs a look first."
        return await self._write(held, fix)

    async def _write(self, held: Held, fix: Proved) -> str:
        """The user has seen all of it; when files changed meanwhile, the engine does not write."""
        before, held.state = held.state, "busy"
        try:
            async with self._server.watches.alone(held.job.goal.root):
                paths = await self._server.engine.write(held.job, held.desk, fix)
                self._server.watches.accepted(held.job, fix.verdict, paths)
        except WorkspaceChanged as error:
            held.state = before
            # The editor may have taken a part of it.
            await self.look_for_undo(held.job.goal.root)
            return self._conflict(held, str(error))
        except BaseException:
            held.state = before
            raise
        return await self._applied(held, paths)

    async def taken(self, job_id: str) -> str:
        """The editor made the edit of a code action itself."""
        held = self.kept.find(job_id)
        if held.state != "open":
            raise UsageError(f"The fix of job {job_id} is {held.state}; it was not offered.")
        async with self._server.watches.alone(held.job.goal.root):
            await held.desk.settled(held.verdict.patch, held.job.pristine)
            paths = await self._server.engine.taken(held.job, held.desk)
            await held.desk.save_what_was_saved(paths, held.job.pristine)
            if paths:
                self._server.watches.accepted(held.job, held.job.verdict or held.verdict, paths)
        if not paths:
            message = (
                "The fix is not in the files as it was meant, so it cannot be undone; look before saving."
            )
            self._server.say(message, lsp.MessageType.Warning)
            return message
        if set(paths) != set(held.verdict.patch.paths):
            missing = [path for path in held.verdict.patch.paths if path not in paths]
            self._server.say(
                f"The editor took the fix but for {name_list(tuple(missing))}.", lsp.MessageType.Warning
            )
        return await self._applied(held, paths)

    async def written(self, held: Held, paths: tuple[str, ...], said: str) -> None:
        """Watch mode wrote it, and says so in its own words."""
        await self._show_applied(held, paths)
        self._server.say(said + _left(held.desk, paths), lsp.MessageType.Info)

    async def undo(self, root: Path, job_id: str | None, force: bool, by: str = "") -> None:
        desk = EditorDesk(self._server, root, UNDO_LABEL)
        engine, watches = self._server.engine, self._server.watches
        try:
            async with watches.alone(root):
                undone = await engine.undo(root, desk, job_id, force=force, cause=ext.UNDO, by=by)
                await watches.undone(root, undone)
        except EditedSince as error:
            work = self._ask_to_lose(root, job_id, error, by)
            self._server.jobs.spawn(work, name="ask to undo", asks=True)
            return
        finally:
            await self.look_for_undo(root)
        self._server.telling.undone(root, undone)
        said = f"Undone in {name_list(undone.paths)}.{_left(desk, undone.paths)}"
        self._server.say(said, lsp.MessageType.Info)
        held = self.kept.get(undone.undoes)
        if held is not None:
            # The tests are what they were before; the fix may be wanted again.
            held.state = "discarded"
            if held.verdict.before is not None:
                before = held.verdict.before
                await self._server.jobs.publish(held.job, before, held.desk, written=undone.paths)
        self._server.publisher.clear_findings(root)

    async def _prove(self, held: Held, choice: Choice) -> Proved:
        narrator = Narrator(held.job.most_attempts)
        held.times += 1
        name = applying(held.job.id, held.times)
        async with Progress(self._server, name, "Apply verified fix", late=True) as progress:

            def tell(event: Event) -> None:
                if (text := narrator.say(event)) is not None:
                    progress.report(text)

            fix = await self._server.engine.prove(held.job, held.desk, choice, tell)
            progress.ending = "verified"
        return fix

    async def _ask_to_accept(self, held: Held, fix: Proved, shown: Verdict) -> None:
        """What was not there when the user said yes needs another look; the answer may never come."""
        apply = apply_title(shown)
        otherwise = "Solve again: it is then offered with what needs a look."
        if await self._question(asking_of(shown), [apply, DISCARD], otherwise=otherwise) != apply:
            return
        if held.state not in ("open", "discarded"):
            self._server.say(f"The fix is {held.state} by now.", lsp.MessageType.Info)
            return
        self._server.jobs.spawn(self._write(held, fix), name=f"apply {held.job.id}")

    async def _ask_to_lose(self, root: Path, job_id: str | None, error: EditedSince, by: str) -> None:
        """Nothing of the user's goes without a yes; what would go is in the log."""
        self._server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, error.lost))
        question = f"{error} Undo all the same? What you edited there is then lost."
        otherwise = "`untilgreen undo --force` in a terminal does it."
        level = lsp.MessageType.Warning
        if await self._question(question, [LOSE, KEEP], level, otherwise=otherwise) == LOSE:
            self._server.jobs.spawn(self.undo(root, job_id, force=True, by=by), name="undo")

    async def _applied(self, held: Held, paths: tuple[str, ...]) -> str:
        verdict = held.job.verdict or held.verdict
        await self._show_applied(held, paths)
        ending = ending_of(verdict, paths, _left(held.desk, paths))
        self._server.say(ending, lsp.MessageType.Info)
        return ending

    async def _show_applied(self, held: Held, paths: tuple[str, ...]) -> None:
        verdict = held.job.verdict or held.verdict
        root = held.job.goal.root
        held.verdict, held.state = chosen(verdict, self._server.settings_of(root).findings), "applied"
        # The last of them, from now on.
        self._n_written += 1
        self._undoable.pop(root, None)
        self._undoable[root] = True
        if (after := verdict.after) is not None:
            # A part of the suite says nothing of the rest.
            ids = tuple(case.id for case in after.cases)
            goal = None if verdict.scope == "full" else Goal(root, ids)
            await self._server.jobs.publish(held.job, after, held.desk, verdict.patch, goal, written=paths)
        await self._server.jobs.publish_findings(held.job.goal.root, held.verdict, held.desk)
        self._server.telling.applied(held.job.id, paths)

    def _conflict(self, held: Held, message: str) -> str:
        """The user's edits win; the fix is kept, and how to go on is for the user to say."""
        self._server.jobs.spawn(self._ask_on(held, message), name=f"ask on {held.job.id}", asks=True)
        return message

    async def _ask_on(self, held: Held, message: str) -> None:
        answer = await self._question(message, [REVIEW, SOLVE_AGAIN], lsp.MessageType.Warning)
        if answer == REVIEW:
            await self._server.reviews.show(held.job.id)
        elif answer == SOLVE_AGAIN:
            self._server.jobs.start("solve", held.job.goal, cause=SOLVE_AGAIN)

    async def _question(
        self,
        message: str,
        titles: list[str],
        level: lsp.MessageType = lsp.MessageType.Info,
        *,
        otherwise: str = "Use the code actions of the file.",
    ) -> str | None:
        """None when the user does not answer, or the editor cannot ask."""
        params = lsp.ShowMessageRequestParams(
            type=level,
            message=f"untilgreen: {message}",
            actions=[lsp.MessageActionItem(title=title) for title in titles],
        )
        try:
            answer = await self._server.window_show_message_request_async(params)
        except JsonRpcException:
            self._server.say(f"{message} {otherwise}", level)
            return None
        return answer.title if answer is not None else None


def _left(desk: EditorDesk, paths: tuple[str, ...]) -> str:
    return left_to_do(desk.left_unsaved(paths), desk.left_to_reload(paths))
