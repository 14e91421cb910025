"""The editor as a desk: open buffers are read as they are, fixes go back as one undoable edit."""

from __future__ import annotations

import asyncio
import codecs
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from untilgreen.desk import Content
from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.intent import content_of, locate
from untilgreen.lsp import ext
from untilgreen.lsp.edits import FileEdit, workspace_edit
from untilgreen.lsp.folders import path_of
from untilgreen.lsp.lines import with_newlines
from untilgreen.model import Patch
from untilgreen.workspace import Overlay

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server

_BOM = codecs.BOM_UTF8
_ANSWER_SECONDS = 60.0
# Neovim tells about a change 150 ms after it; nobody needs seconds.
_SETTLE_SECONDS = 5.0


class EditorDesk:
    """Reads and writes one workspace folder through the editor."""

    where: Literal["disk", "editor"] = "editor"

    def __init__(self, server: Server, root: Path) -> None:
        self._server = server
        self._root = root
        self._seen: dict[str, Overlay] = {}
        self.unsaved: tuple[str, ...] = ()
        """Which of the texts last handed out are not on disk."""

    def overlay(self) -> Mapping[str, Overlay]:
        """All open documents under the root, saved or not: each has a version to compare with later."""
        seen: dict[str, Overlay] = {}
        unsaved: list[str] = []
        for path, document in self._server.documents.under(self._root).items():
            on_disk = _saved(self._root / path)
            data = _buffer_bytes(document.source, on_disk)
            if data is not None:
                seen[path] = Overlay(content=data, version=document.version)
                unsaved += [path] if not _same(data, on_disk) else []
        self._seen, self.unsaved = seen, tuple(sorted(unsaved))
        return seen

    async def read(self, path: str) -> Content:
        return self._content(path, await asyncio.to_thread(self._on_disk, path))

    async def write(self, patch: Patch, expected: Mapping[str, Content]) -> None:
        """Send the patch as one edit, unless the user changed a touched file; then see what became of it."""
        if not self._server.can.apply_edit:
            raise WorkspaceError(
                "This editor does not let a server edit files; nothing was written. "
                "`untilgreen solve --apply` in a terminal can write the same fix."
            )
        wanted = dict.fromkeys(patch.paths, Content(None)) | dict(expected)
        on_disk = await asyncio.to_thread(lambda: {path: self._on_disk(path) for path in sorted(wanted)})
        # From here to the request nothing is awaited, so that no keystroke comes between look and leap.
        now = {path: self._content(path, data) for path, data in on_disk.items()}
        moved = [path for path in now if not _same(now[path].data, wanted[path].data)]
        if moved:
            raise WorkspaceChanged(
                f"You changed {', '.join(moved)} in the meantime; nothing was overwritten."
            )
        files = [
            file for path in patch.paths if (file := self._file_edit(path, patch, now[path])) is not None
        ]
        if files:
            dirty = [path for path in patch.paths if not _same(now[path].data, on_disk[path])]
            await self._send(files, saved_before=not dirty)
            await self._settle(files)
            # VS Code answers before it tells of the documents that it opens for an edit; who looks too early
            # sees the old text, and would keep no undo.
            await self.settled(patch)
            self._save([self._root / path for path, change in patch if path not in dirty and change.content])

    def edit_for(self, patch: Patch, pristine: Mapping[str, bytes | None]) -> lsp.WorkspaceEdit | None:
        """The edit that writes the patch, for an editor that makes it itself; None when files changed."""
        files: list[FileEdit] = []
        for path in patch.paths:
            now = self._content(path, _saved(self._root / path))
            if not _same(now.data, pristine.get(path)):
                return None
            if (file := self._file_edit(path, patch, now)) is not None:
                files.append(file)
        try:
            return workspace_edit(files, self._server.can, self._server.encoding) if files else None
        except WorkspaceError:
            return None

    async def save_what_was_saved(self, paths: Iterable[str], pristine: Mapping[str, bytes | None]) -> None:
        """After an edit that the editor made itself: what is on disk as it was before had been saved."""
        on_disk = await asyncio.to_thread(lambda: {path: _saved(self._root / path) for path in paths})
        self._save([self._root / path for path, data in on_disk.items() if _same(data, pristine.get(path))])

    async def settled(self, patch: Patch) -> None:
        """Wait, a moment, until the documents hold the patch; who asks looks at them afterwards."""
        deadline = time.monotonic() + _SETTLE_SECONDS
        while time.monotonic() < deadline:
            now = [(change.content, await self.read(path)) for path, change in patch]
            if all(_same(content.data, wanted) for wanted, content in now):
                return
            await asyncio.sleep(0.02)

    def texts_that_ran(self, paths: Iterable[str], patch: Patch) -> dict[str, str]:
        """The texts of the last overlay with the patch laid over; from disk what was not open."""
        texts: dict[str, str] = {}
        for path in paths:
            seen = self._seen.get(path)
            if path in patch.files:
                data = patch.files[path].content
            else:
                data = seen.content if seen is not None else _saved(self._root / path)
            texts[path] = (data or b"").decode("utf-8", "replace").removeprefix("\ufeff")
        return texts

    def versions_that_ran(self) -> dict[str, int | None]:
        return {path: seen.version for path, seen in self._seen.items()}

    def _on_disk(self, path: str) -> bytes | None:
        return content_of(locate(self._root, path))

    def _content(self, path: str, on_disk: bytes | None) -> Content:
        document = self._server.documents.at(self._root / path)
        if document is not None and (data := _buffer_bytes(document.source, on_disk)) is not None:
            return Content(data=data, version=document.version)
        return Content(data=on_disk)

    def _file_edit(self, path: str, patch: Patch, now: Content) -> FileEdit | None:
        """None when the file already is what it shall be."""
        document = self._server.documents.at(self._root / path)
        content = patch.files[path].content
        uri = self._server.documents.uri(self._root / path)
        if now.data is None and content is None:
            return None
        try:
            # Editors take a byte order mark off the text they show, except those that do not.
            before = None if now.data is None else now.data.decode().removeprefix("\ufeff")
            if document is not None and now.data is not None:
                before = document.source
            after = None if content is None else content.decode()
        except UnicodeDecodeError as error:
            raise WorkspaceError(
                f"{path} is not UTF-8, so it cannot be edited through the editor."
            ) from error
        if before is not None and after is not None and not before.startswith("\ufeff"):
            after = after.removeprefix("\ufeff")
        if before is not None and after is not None and _same_text(before, after):
            return None
        return FileEdit(uri=uri, before=before, after=after, version=now.version)

    def _save(self, paths: list[Path]) -> None:
        """What was saved before the fix is saved after it, where the editor does that for us."""
        if paths and self._server.can.save:
            uris = [self._server.documents.uri(path) for path in paths]
            self._server.protocol.send_request(ext.SAVE, {"uris": uris})

    async def _send(self, files: list[FileEdit], *, saved_before: bool) -> None:
        server = self._server
        # VS Code may then save all files of the edit, also those that were not saved before.
        refactoring = server.can.edit_metadata and saved_before
        params = lsp.ApplyWorkspaceEditParams(
            edit=workspace_edit(files, server.can, server.encoding),
            label="Solve until green",
            metadata=lsp.WorkspaceEditMetadata(is_refactoring=True) if refactoring else None,
        )
        try:
            answer = await asyncio.wait_for(server.workspace_apply_edit_async(params), _ANSWER_SECONDS)
        except TimeoutError as error:
            raise WorkspaceChanged(
                "The editor did not say whether it took the fix; look before saving."
            ) from error
        except JsonRpcException as error:
            raise WorkspaceChanged(f"The editor did not take the fix: {error}") from error
        if not answer.applied:
            reason = answer.failure_reason or "a file changed in the meantime"
            raise WorkspaceChanged(f"The editor did not take the fix: {reason}")

    async def _settle(self, files: list[FileEdit]) -> None:
        """`applied: true` is a hint: Neovim says so too when it skipped a file. Compare what is there."""
        waiting = {file.uri: file for file in files}
        deadline = time.monotonic() + _SETTLE_SECONDS
        while waiting:
            waiting = {uri: file for uri, file in waiting.items() if not self._holds(file)}
            if waiting and time.monotonic() > deadline:
                names = ", ".join(uri.rpartition("/")[2] for uri in waiting)
                raise WorkspaceChanged(f"The editor said it took the fix, but {names} is not what was sent.")
            await asyncio.sleep(0.02)

    def _holds(self, file: FileEdit) -> bool:
        path = path_of(file.uri)
        if path is None:
            return True
        if file.after is None:
            return not path.exists()
        # A file that is not open shows its text only when it is saved; there the answer must do.
        document = self._server.documents.at(path)
        return document is None or _same_text(document.source, file.after)


def _buffer_bytes(text: str, on_disk: bytes | None) -> bytes | None:
    """A buffer as the editor would save it; None when the file is in an encoding only the editor knows."""
    data = text.encode("utf-8", "surrogatepass")
    if on_disk is None:
        return data
    try:
        on_disk.decode()
    except UnicodeDecodeError:
        return None
    return _BOM + data if on_disk.startswith(_BOM) and not data.startswith(_BOM) else data


def _saved(path: Path) -> bytes | None:
    """What is on disk; None also for what is not a plain file, such as a link that somebody opened."""
    try:
        return content_of(path)
    except OSError:
        return None


def _same(one: bytes | None, other: bytes | None) -> bool:
    """The same lines: an editor keeps its own line ends and marks, whatever it was sent."""
    if one is None or other is None or one == other:
        return one == other
    try:
        return _same_text(one.decode(), other.decode())
    except UnicodeDecodeError:
        return False


def _same_text(one: str, other: str) -> bool:
    return _bare(one) == _bare(other)


def _bare(text: str) -> str:
    return with_newlines(text, "\n").removeprefix("\ufeff")
