"""Shows a fix to whoever asks: as two texts side by side where the editor can, else as a diff."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from untilgreen.errors import UsageError
from untilgreen.lsp import ext
from untilgreen.lsp.folders import uri_of
from untilgreen.lsp.review import review_of, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from untilgreen.job import Job
    from untilgreen.lsp.server import Server


MOST_KEPT = 20


class Reviews:
    """Answers for the virtual documents of all fixes that are kept, and of attempts that led to none."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._server = server
        self._folder = folder
        """Where diffs lie for editors that open nothing but files."""
        self._tried: dict[str, Job] = {}
        """The newest jobs that tried something, whatever came of it."""

    def keep(self, job: Job) -> None:
        """A solve has begun; what it tries can be looked at until twenty newer ones have tried something."""
        tried = {one.id: one for one in self._tried.values() if one.tried} | {job.id: job}
        self._tried = dict(list(tried.items())[-MOST_KEPT:])

    def review(self, job_id: str, rival: int | None = None, attempt: int | None = None) -> ext.Reviewed:
        job = self._find(job_id)
        if job is None:
            raise UsageError(f"Job {job_id!r} has nothing that is still kept to look at.")
        root = job.goal.root
        return review_of(job, rival, attempt, lambda path: self._server.documents.uri(root / path))

    def text(self, uri: str) -> str:
        return text_of(uri, self._find)

    async def show(self, job_id: str, rival: int | None = None, attempt: int | None = None) -> None:
        """Open it in the editor; what an editor cannot open is at least in its log."""
        review = self.review(job_id, rival, attempt)
        server = self._server
        if server.can.show_document and server.can.virtual_documents:
            uris = [file["after"] for file in review["files"]]
        elif server.can.show_document:
            name = f"{job_id}-{review['attempt']}.diff"
            path = await asyncio.to_thread(self._write, name, review["diff"])
            uris = [uri_of(path)]
        else:
            server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, review["diff"]))
            server.say("The diff is in the server's log.", lsp.MessageType.Info)
            return
        for uri in uris:
            try:
                await server.window_show_document_async(lsp.ShowDocumentParams(uri=uri))
            except JsonRpcException as error:
                server.say(f"The editor does not show it: {error}", lsp.MessageType.Warning)

    def _find(self, job_id: str) -> Job | None:
        held = self._server.fixes.kept.get(job_id)
        return held.job if held is not None else self._tried.get(job_id)

    def _write(self, name: str, diff: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._folder / name
        path.write_text(diff, encoding="utf-8", errors="replace")
        return path
