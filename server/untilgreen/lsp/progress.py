"""The progress of one job in the editor: begin, report, end, and the end always comes."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from types import TracebackType
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server

log = logging.getLogger(__name__)

_APPLYING = re.compile(r"-apply\d*$")
_PREFIX = "untilgreen-"
# How long the end of a job waits for an editor that has not answered yet: the job itself never waits.
_LAST_SECONDS = 5.0
_LOG_SECONDS = 5.0
_DIGITS = re.compile(r"[\d,]+")


class Progress:
    """Use with `async with`; an editor that cannot show progress has it in its log."""

    def __init__(self, server: Server, job_id: str, title: str, *, late: bool = False) -> None:
        self._server = server
        self._name = job_id
        self._token = _PREFIX + job_id
        self._title = title
        self._shown = False
        self._late = late
        """Not shown before there is something to say."""
        self._doing = ""
        """What was reported last."""
        self._beginning: asyncio.Task[None] | None = None
        self._logged = ("", float("-inf"))
        self.ending = ""
        """What the end will say."""

    async def __aenter__(self) -> Progress:
        if not self._late:
            self._begin()
        return self

    def report(self, text: str) -> None:
        self._doing = text
        if not self._server.can.work_done_progress:
            self._log(text)
        elif self._shown:
            self._server.work_done_progress.report(self._token, lsp.WorkDoneProgressReport(message=text))
        elif self._beginning is None:
            self._begin()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._beginning is not None:
                await asyncio.wait([self._beginning], timeout=_LAST_SECONDS)
        finally:
            self._end("stopped" if error is None else "failed")

    def _begin(self) -> None:
        if not self._server.can.work_done_progress:
            self._log(self._title)
            return
        self._beginning = asyncio.get_running_loop().create_task(self._show(), name="progress")

    async def _show(self) -> None:
        """As soon as the editor is ready for it, however late that is."""
        try:
            await self._server.work_done_progress.create_async(self._token)
        except JsonRpcException as error:
            log.info("the editor shows no progress: %s", error)
            return
        # Never a percentage: once begin carried one, VS Code drops every report without one.
        begin = lsp.WorkDoneProgressBegin(self._title, cancellable=True, message=self._doing or None)
        self._server.work_done_progress.begin(self._token, begin)
        self._shown = True

    def _log(self, text: str) -> None:
        """What is new; of counts that go up, one now and then."""
        kind, now = _DIGITS.sub("", text), time.monotonic()
        if kind != self._logged[0] or now > self._logged[1] + _LOG_SECONDS:
            self._logged = (kind, now)
            self._say(f"{self._name}: {text}")

    def _say(self, text: str) -> None:
        self._server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, text))

    def _end(self, otherwise: str) -> None:
        if self._beginning is not None:
            self._beginning.cancel()
        if self._shown:
            end = lsp.WorkDoneProgressEnd(message=self.ending or otherwise)
            self._server.work_done_progress.end(self._token, end)
        elif self._logged[0]:
            self._say(f"{self._name} ended: {self.ending or otherwise}")
        # pygls never forgets a token.
        self._server.work_done_progress.tokens.pop(self._token, None)


def job_of(token: lsp.ProgressToken) -> str | None:
    """The job whose progress has this token, also while its fix is verified again."""
    text = str(token)
    return _APPLYING.sub("", text.removeprefix(_PREFIX)) if text.startswith(_PREFIX) else None


def applying(job_id: str, times: int) -> str:
    """Whose progress it is when a fix is verified again; each time it is another one."""
    return f"{job_id}-apply{times}"
