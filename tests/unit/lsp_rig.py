"""A server whose line ends in a list."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from untilgreen.lsp import handlers
from untilgreen.lsp.folders import uri_of
from untilgreen.lsp.server import Server
from untilgreen.settings import Settings


class Line:
    """Keeps what the server sends; broken on demand."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.broken = False
        self.wrote = asyncio.Event()

    def write(self, data: bytes) -> None:
        if self.broken:
            raise BrokenPipeError
        self.sent.append(json.loads(data))
        self.wrote.set()

    def close(self) -> None:
        self.broken = True


class Rig:
    """A server with one folder, and an editor that only says what a test says."""

    def __init__(self, root: Path, *more: Path, **can: Any) -> None:
        self.root = root
        for folder in (root, *more):
            folder.mkdir(parents=True, exist_ok=True)
        self.line = Line()
        self.server = Server(Settings())
        handlers.register(self.server)
        self.server.protocol.set_writer(self.line, include_headers=False)
        edit = lsp.WorkspaceEditClientCapabilities(
            document_changes=True,
            normalizes_line_endings=True,
            resource_operations=[lsp.ResourceOperationKind.Create, lsp.ResourceOperationKind.Delete],
        )
        workspace = lsp.WorkspaceClientCapabilities(apply_edit=True, workspace_edit=edit)
        params = lsp.InitializeParams(
            capabilities=lsp.ClientCapabilities(workspace=workspace, **can),
            workspace_folders=[lsp.WorkspaceFolder(uri_of(folder), folder.name) for folder in (root, *more)],
        )
        self.receive(lsp.InitializeRequest(0, params))

    def receive(self, message: Any) -> None:
        self.server.protocol.handle_message(message)

    def open(self, name: str, text: str, version: int = 1) -> str:
        uri = uri_of(self.root / name)
        item = lsp.TextDocumentItem(uri, "python", version, text)
        self.receive(lsp.DidOpenTextDocumentNotification(lsp.DidOpenTextDocumentParams(item)))
        return uri

    def type(self, name: str, text: str, version: int = 2) -> None:
        document = lsp.VersionedTextDocumentIdentifier(version, uri_of(self.root / name))
        change = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self.receive(lsp.DidChangeTextDocumentNotification(lsp.DidChangeTextDocumentParams(document, change)))

    def save(self, name: str) -> None:
        document = lsp.TextDocumentIdentifier(uri_of(self.root / name))
        self.receive(lsp.DidSaveTextDocumentNotification(lsp.DidSaveTextDocumentParams(document)))

    def changed_on_disk(self, name: str) -> None:
        event = lsp.FileEvent(uri_of(self.root / name), lsp.FileChangeType.Changed)
        params = lsp.DidChangeWatchedFilesParams([event])
        self.receive(lsp.DidChangeWatchedFilesNotification(params))

    def close(self, name: str) -> None:
        document = lsp.TextDocumentIdentifier(uri_of(self.root / name))
        self.receive(lsp.DidCloseTextDocumentNotification(lsp.DidCloseTextDocumentParams(document)))

    async def answered(self, method: str, answer: Callable[[Any], Any], number: int = 1) -> dict[str, Any]:
        """Waits for the server's request and answers it; what it asked."""
        while len(self.sent(method)) < number:
            self.line.wrote.clear()
            await asyncio.wait_for(self.line.wrote.wait(), 20)
        request = self.sent(method)[number - 1]
        self.receive(answer(request["id"]))
        return dict(request["params"])

    def marks(self, file: Path) -> list[tuple[str, int]]:
        """What the editor shows for a file: codes and 0-based lines."""
        told = [m["params"] for m in self.sent("textDocument/publishDiagnostics")]
        last = next((params for params in reversed(told) if params["uri"] == uri_of(file)), None)
        shown = last["diagnostics"] if last is not None else []
        return [(mark["code"], mark["range"]["start"]["line"]) for mark in shown]

    def sent(self, method: str) -> list[dict[str, Any]]:
        return [message for message in self.line.sent if message.get("method") == method]
