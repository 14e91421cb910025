"""A small editor for tests: documents with versions, edits, and a memory of all the server said."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from lsp.manners import OWN_NOTICES, command_or_action, edited
from untilgreen.lsp.folders import path_of, uri_of

Manners = Literal["neovim", "visual_studio_code", "minimal"]
NEOVIM_DEBOUNCE_SECONDS = 0.15


@dataclass
class Document:
    text: str
    version: int


class Editor:
    """Behaves like the named editor where they differ: versions, honesty about edits, debouncing."""

    def __init__(self, client: LanguageClient, root: Path, manners: Manners) -> None:
        self.client = client
        self.root = root
        self.manners = manners
        self.documents: dict[str, Document] = {}
        self.late = 0.0
        """How long after its answer it edits a document, as VS Code does with one that is closed."""
        self.slow_to_save, self.never_saves = 0.0, False
        """How long after a save it says so, and whether it does nothing when it is asked to save."""
        self.edits: list[lsp.ApplyWorkspaceEditParams] = []
        self.questions: list[lsp.ShowMessageRequestParams] = []
        self.answer: str | None = None
        self.notices: list[tuple[str, Any]] = []
        """Messages that are not of the protocol."""
        self.saved: list[str] = []
        self.asked_for: set[str] = set()
        """Methods that the server has asked to hear of more than Python."""
        self.untold: set[str] = set()
        """Open documents that the server does not hear of."""
        self.at_the_last_moment: Callable[[], None] = lambda: None
        """What happens between the server's edit and its arrival."""
        self.right_after: Callable[[], object] = lambda: None
        """What happens as soon as an edit of the server has arrived, once."""
        self.introduction = lsp.InitializeResult(lsp.ServerCapabilities())
        # lsprotocol takes every code action that carries a command for a bare command.
        converter = client.protocol._converter
        converter.register_structure_hook(lsp.Command | lsp.CodeAction, command_or_action(converter))
        self._answers()

    # What a user does.

    async def begin(self, root: Path, **settings: object) -> None:
        """Another folder instead of the last one, and other settings; as if nothing had been before."""
        await self.run("untilgreen.stop")
        for uri in list(self.documents):
            self.close(uri)
        before, now = lsp.WorkspaceFolder(uri_of(self.root), ""), lsp.WorkspaceFolder(uri_of(root), "")
        event = lsp.WorkspaceFoldersChangeEvent(added=[now], removed=[before] if before != now else [])
        self.client.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(event))
        self.root, self.answer = root, None
        self.at_the_last_moment = self.right_after = lambda: None
        self.set(**settings)
        # Answered after all that was sent before.
        await self.run("untilgreen.stop")
        for memory in (self.edits, self.questions, self.client.messages, self.notices, self.saved):
            memory.clear()
        self.client.diagnostics.clear()

    def set(self, **settings: object) -> None:
        """The user's settings from now on."""
        self.client.set_configuration({"untilgreen": settings})
        self.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))

    def open(self, name: str, text: str | None = None) -> str:
        """Show a file; its uri is the answer."""
        uri = uri_of(self.root / name)
        content = (self.root / name).read_bytes().decode() if text is None else text
        self.documents[uri] = Document(content, 1)
        self.untold.add(uri)
        self._tell_of_opened()
        return uri

    def close(self, uri: str) -> None:
        del self.documents[uri]
        document = lsp.TextDocumentIdentifier(uri)
        if uri not in self.untold:
            self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))
        self.untold.discard(uri)

    def save(self, uri: str) -> None:
        self._path(uri).write_bytes(self.documents[uri].text.encode())
        if uri not in self.untold:
            document = lsp.TextDocumentIdentifier(uri)
            self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(document))

    def type(self, uri: str, text: str) -> None:
        """Replace the whole text of an open document."""
        document = self.documents[uri]
        document.text, document.version = text, document.version + 1
        self._tell(uri)

    async def run(self, command: str, **arguments: Any) -> Any:
        params = lsp.ExecuteCommandParams(command, [arguments])
        return await self.client.workspace_execute_command_async(params)

    async def actions(
        self, uri: str, line: int, diagnostics: Sequence[lsp.Diagnostic] = (), only: list[str] | None = None
    ) -> dict[str, lsp.CodeAction]:
        """What is offered on a 0-based line, by title."""
        here = lsp.Position(line, 0)
        found = await self.client.text_document_code_action_async(
            lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(uri),
                lsp.Range(here, here),
                lsp.CodeActionContext(diagnostics=diagnostics, only=only),
            )
        )
        return {action.title: action for action in found or () if isinstance(action, lsp.CodeAction)}

    async def choose(self, action: lsp.CodeAction) -> Any:
        """First the edit, then the command."""
        if action.edit is not None:
            self._apply(action.edit)
        assert action.command is not None
        params = lsp.ExecuteCommandParams(action.command.command, action.command.arguments)
        return await self.client.workspace_execute_command_async(params)

    def cancel(self, token: lsp.ProgressToken) -> None:
        self.client.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token))

    # What the screen shows.

    def text(self, uri: str) -> str:
        return self.documents[uri].text

    def diagnostics(self, uri: str) -> Sequence[lsp.Diagnostic]:
        return self.client.diagnostics.get(uri, ())

    def messages(self) -> list[str]:
        return [message.message for message in self.client.messages]

    async def lenses(self, uri: str) -> list[str]:
        params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
        found = await self.client.text_document_code_lens_async(params)
        return [lens.command.title for lens in found or () if lens.command is not None]

    async def hover(self, uri: str, line: int) -> str:
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, 0))
        found = await self.client.text_document_hover_async(params)
        return found.contents.value if found and isinstance(found.contents, lsp.MarkupContent) else ""

    def told(self, method: str) -> list[Any]:
        return [params for name, params in self.notices if name == method]

    def token(self, job: str) -> str:
        return f"untilgreen-{job}"

    def progress(self, job: str) -> list[str]:
        """What a job's progress told: its kind, its title at the beginning, and its message if it has one."""
        told: Sequence[Any] = self.client.progress_reports.get(self.token(job), ())
        parts = ((one.kind, getattr(one, "title", None), one.message) for one in told)
        return [": ".join(filter(None, texts)) for texts in parts]

    async def until(self, happened: Callable[[], bool], what: str, seconds: float = 100) -> None:
        """Wait for what must happen; the screen is in the error when it does not."""
        deadline = time.monotonic() + seconds
        while not happened():
            assert self.process.returncode is None, f"the server died while waiting for {what}"
            if time.monotonic() > deadline:
                screen = {"messages": self.messages(), "progress": self.client.progress_reports}
                raise AssertionError(f"{what} did not happen within {seconds} s; {screen}")
            await asyncio.sleep(0.02)

    async def until_said(self, part: str) -> None:
        await self.until(lambda: any(part in text for text in self.messages()), f"message {part!r}")

    async def until_asked(self, number: int = 1) -> str:
        await self.until(lambda: len(self.questions) >= number, "a question")
        return self.questions[number - 1].message

    async def until_reported(self, job: str, part: str) -> None:
        await self.until(lambda: any(part in text for text in self.progress(job)), f"progress {part!r}")

    async def until_ended(self, job: str) -> str:
        """The last message of a job's progress."""
        await self.until(lambda: any(text.startswith("end:") for text in self.progress(job)), "the end")
        return self.progress(job)[-1].removeprefix("end: ")

    async def solve(self, uri: str, *tests: str) -> str:
        """Solve, and return the job when it has ended."""
        started = await self.run("untilgreen.solve", uri=uri, tests=list(tests))
        await self.until_ended(started["job"])
        return str(started["job"])

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self.client._server is not None
        return self.client._server

    # How it answers.

    def _answers(self) -> None:
        """All that pytest-lsp does not answer by itself."""

        def apply_edit(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
            self.edits.append(params)
            self.at_the_last_moment()
            if self.late:
                asyncio.get_running_loop().call_later(self.late, self._apply, params.edit)
                return lsp.ApplyWorkspaceEditResult(True)
            done = self._apply(params.edit)
            just_now, self.right_after = self.right_after, lambda: None
            just_now()
            return done

        def question(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem | None:
            self.questions.append(params)
            return lsp.MessageActionItem(self.answer) if self.answer else None

        async def save(params: Any) -> None:
            # The request may come late, when the document is closed.
            for uri in filter(self.documents.__contains__, () if self.never_saves else params.uris):
                self.saved.append(uri)
                self.save(uri)
            await asyncio.sleep(self.slow_to_save)

        def register(params: lsp.RegistrationParams) -> None:
            self.asked_for |= {one.method for one in params.registrations}
            self._tell_of_opened()

        def ignore(params: Any) -> None:
            pass

        feature = self.client.feature
        feature(lsp.WORKSPACE_APPLY_EDIT)(apply_edit)
        feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)(question)
        feature(lsp.CLIENT_REGISTER_CAPABILITY)(register)
        feature(lsp.WORKSPACE_CODE_LENS_REFRESH)(ignore)
        feature("untilgreen/save")(save)
        for method in OWN_NOTICES:
            feature(method)(self._keep(method))

    def _keep(self, method: str) -> Callable[[Any], None]:
        def keep(params: Any) -> None:
            self.notices.append((method, params))

        return keep

    def _apply(self, edit: lsp.WorkspaceEdit) -> lsp.ApplyWorkspaceEditResult:
        changes = edit.document_changes or ()
        stale = [change for change in changes if self._is_stale(change)]
        if stale and self.manners == "visual_studio_code":
            return lsp.ApplyWorkspaceEditResult(False, "versions differ")
        for number, change in enumerate(changes):
            # Neovim looks at the version of the first entry only, skips it, and still says it was applied.
            if not (number == 0 and change in stale):
                self._apply_one(change)
        return lsp.ApplyWorkspaceEditResult(True)

    def _is_stale(self, change: object) -> bool:
        if not isinstance(change, lsp.TextDocumentEdit):
            return False
        document = self.documents.get(change.text_document.uri)
        wanted = change.text_document.version
        return document is not None and wanted is not None and wanted != document.version

    def _apply_one(self, change: object) -> None:
        if isinstance(change, lsp.CreateFile):
            self._path(change.uri).touch()
        elif isinstance(change, lsp.DeleteFile):
            self._path(change.uri).unlink()
        elif isinstance(change, lsp.TextDocumentEdit):
            uri = change.text_document.uri
            if uri not in self.documents:
                self.open(self._path(uri).relative_to(self.root).as_posix())
            edits = [item for item in change.edits if isinstance(item, lsp.TextEdit)]
            document = self.documents[uri]
            # A buffer of Neovim always has a line end, also an empty one.
            line_end = "\n" if self.manners == "neovim" and not document.text else ""
            document.text = edited(document.text, edits) + line_end
            document.version += 1
            if self.manners == "neovim":
                asyncio.get_running_loop().call_later(NEOVIM_DEBOUNCE_SECONDS, self._tell, uri)
            else:
                self._tell(uri)

    def _path(self, uri: str) -> Path:
        path = path_of(uri)
        assert path is not None
        return path

    def _tell_of_opened(self) -> None:
        """Clients tell of Python, and of other files when they are asked to."""
        all_files = lsp.TEXT_DOCUMENT_DID_OPEN in self.asked_for
        for uri in [uri for uri in self.untold if all_files or uri.endswith(".py")]:
            self.untold.discard(uri)
            document = self.documents[uri]
            item = lsp.TextDocumentItem(uri, "python", document.version, document.text)
            self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def _tell(self, uri: str) -> None:
        if (document := self.documents.get(uri)) is None or uri in self.untold:
            return
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(document.version, uri),
                [lsp.TextDocumentContentChangeWholeDocument(document.text)],
            )
        )
