"""Shows a fix to whoever asks: as two texts side by side where the editor can, else as a diff."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from untilgreen.lsp import ext
from untilgreen.lsp.folders import uri_of
from untilgreen.lsp.review import review_of, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from untilgreen.lsp.server import Server


class Reviews:
    """Answers for the virtual documents of all fixes that are kept."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._server = server
        self._folder = folder
        """Where diffs lie for editors that open nothing but files."""

    def review(self, job_id: str, rival: int | None = None, attempt: int | None = None) -> ext.Reviewed:
        held = self._server.fixes.held(job_id)
        root = held.job.goal.root
        return review_of(held.job, rival, attempt, lambda path: self._server.documents.uri(root / path))

    def text(self, uri: str) -> str:
        return text_of(uri, self._server.fixes.find)

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

    def _write(self, name: str, diff: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._folder / name
        path.write_text(diff, encoding="utf-8", errors="replace")
        return path
