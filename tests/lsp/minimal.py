"""An editor that knows the base protocol and nothing that is optional in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from lsp.editor import Editor
from lsp.manners import OWN_NOTICES

USE_ACTIONS = "Use the code actions of the file."


class MinimalEditor(Editor):
    """It takes no edits, asks no questions, shows no progress, and cannot be asked for settings.

    What it knows of jobs are messages and a log; like every editor it reloads what changes on disk.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.reloads = True
        """Whether it notices by itself that a file changed on disk."""
        self._on_disk: dict[str, bytes | None] = {}

    async def begin(self, root: Path, **settings: object) -> None:
        await self.run("untilgreen.stop")
        for uri in list(self.documents):
            self.close(uri)
        self.root = root
        self.set(**settings)
        # Answered after all that was sent before.
        await self.run("untilgreen.stop")
        for memory in (self.client.messages, self.client.log_messages, self.notices):
            memory.clear()
        self.client.diagnostics.clear()

    def set(self, **settings: object) -> None:
        """It sends all of its settings along with the news."""
        told = lsp.DidChangeConfigurationParams({"untilgreen": settings})
        self.client.workspace_did_change_configuration(told)

    def open(self, name: str, text: str | None = None) -> str:
        uri = super().open(name, text)
        self._on_disk[uri] = self._disk(uri)
        return uri

    def save(self, uri: str) -> None:
        super().save(uri)
        self._on_disk[uri] = self._disk(uri)

    async def actions(
        self, uri: str, line: int, diagnostics: Sequence[lsp.Diagnostic] = (), only: list[str] | None = None
    ) -> dict[str, lsp.CodeAction]:
        """Such an editor gets commands; they are shown here as what they would be elsewhere."""
        here = lsp.Position(line, 0)
        found = await self.client.text_document_code_action_async(
            lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(uri),
                lsp.Range(here, here),
                lsp.CodeActionContext(diagnostics=diagnostics, only=only),
            )
        )
        commands = [one for one in found or () if isinstance(one, lsp.Command)]
        assert len(commands) == len(found or ()), "it does not know what a code action is"
        return {command.title: lsp.CodeAction(command.title, command=command) for command in commands}

    def progress(self, job: str) -> list[str]:
        """What the log says of a job, in the words of a progress."""
        assert self.client.progress_reports == {}
        told: list[str] = []
        for one in self.client.log_messages:
            if one.message.startswith(f"{job}: "):
                told.append(("report: " if told else "begin: ") + one.message.removeprefix(f"{job}: "))
            elif one.message.startswith(f"{job} ended: "):
                told.append("end: " + one.message.removeprefix(f"{job} ended: "))
        return told

    async def until(self, happened: Callable[[], bool], what: str, seconds: float = 100) -> None:
        def looked() -> bool:
            if self.reloads:
                self._reload()
            return happened()

        await super().until(looked, what, seconds)

    async def until_asked(self, number: int = 1) -> str:
        """What would be a question is a message that says how to go on."""

        def asked() -> list[str]:
            return [text for text in self.messages() if text.endswith(USE_ACTIONS)]

        await self.until(lambda: len(asked()) >= number, "a message instead of a question")
        return asked()[number - 1]

    def _answers(self) -> None:
        for method in OWN_NOTICES:
            self.client.feature(method)(self._keep(method))

    def _reload(self) -> None:
        """What was not touched here and is another one on disk."""
        for uri, document in self.documents.items():
            before, now = self._on_disk.get(uri), self._disk(uri)
            if now is not None and now != before and (before or b"").decode() == document.text:
                self._on_disk[uri] = now
                self.type(uri, now.decode())

    def _disk(self, uri: str) -> bytes | None:
        path = self._path(uri)
        return path.read_bytes() if path.exists() else None
