"""The editor as a desk: open buffers are read as they are, fixes go back as one undoable edit."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from untilgreen.desk import Content, DiskDesk
from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.lsp import ext
from untilgreen.lsp.buffers import encoding_of, same, saved
from untilgreen.lsp.edits import FileEdit, workspace_edit
from untilgreen.lsp.folders import path_of
from untilgreen.lsp.texts import Texts
from untilgreen.model import FileChange, Patch
from untilgreen.shifting import contains
from untilgreen.workspace import Overlay, Snapshot

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server

_ANSWER_SECONDS = 60.0
# Neovim tells about a change 150 ms after it; nobody needs seconds.
_SETTLE_SECONDS = 5.0
# It may tell of an edit in two steps, and only the second is the text; what somebody typed beside it stays.
_STEP_SECONDS = 0.3
_SAVE_SECONDS = 5.0


class EditorDesk:
    """Reads and writes one workspace folder through the editor."""

    where: Literal["disk", "editor"] = "editor"

    def __init__(self, server: Server, root: Path, label: str = "Solve until green") -> None:
        self._server = server
        self._root = root
        self._texts = Texts(server.documents, root)
        self._label = label
        """What the editor's own undo calls an edit of ours."""
        self._offered: tuple[object, lsp.WorkspaceEdit | None] = (None, None)
        self._seen: dict[str, Overlay] = {}
        self._looked: int | None = None
        self._unseen: frozenset[str] = frozenset()
        self._times_removed = server.documents.times_removed(root)
        self.unsaved: tuple[str, ...] = ()
        """Which of the texts last handed out are not on disk."""

    def overlay(self) -> Mapping[str, Overlay]:
        """All open documents under the root, saved or not: each has a version to compare with later."""
        if self._looked is None:
            self._looked = self._server.documents.n_changes
        self._seen, self.unsaved = self._texts.open()
        return self._seen

    @property
    def is_left(self) -> bool:
        """The editor has removed the folder since: nothing is shown in it any more."""
        return self._server.documents.times_removed(self._root) != self._times_removed

    async def read(self, path: str) -> Content:
        return self._texts.now(path, await asyncio.to_thread(self._texts.on_disk, path))

    async def write(self, patch: Patch, expected: Mapping[str, Content]) -> None:
        """Send the patch as one edit, unless the user changed a touched file; then see what became of it."""
        wanted = dict.fromkeys(patch.paths, Content(None)) | dict(expected)
        on_disk = await asyncio.to_thread(
            lambda: {path: self._texts.on_disk(path) for path in sorted(wanted)}
        )
        # From here to the request nothing is awaited, so that no keystroke comes between look and leap.
        now = {path: self._texts.now(path, data) for path, data in on_disk.items()}
        moved = [path for path in now if not same(now[path].data, wanted[path].data)]
        if moved:
            raise WorkspaceChanged(
                f"You changed {', '.join(moved)} in the meantime; nothing was overwritten."
            )
        # An editor that takes no edits sees its files change on disk, as by any other program.
        only_disk = not self._server.can.apply_edit
        aside = Patch(
            {path: change for path, change in patch if only_disk or self._is_aside(path, change, now[path])}
        )
        if dirty := [path for path in aside.paths if not same(now[path].data, on_disk[path])]:
            raise WorkspaceError(
                f"This editor does not let a server edit its documents, and {', '.join(dirty)} is not saved; "
                "nothing was written. Save, then apply the fix."
            )
        shown = Patch({path: change for path, change in patch if path not in aside.files})
        files = [file for path in shown.paths if (file := self._file_edit(path, shown, now[path]))]
        if files:
            dirty = [path for path in shown.paths if not same(now[path].data, on_disk[path])]
            sent = (self._send(part, saved_before=not dirty) for part in self._parts(files))
            refused = [one for one in await asyncio.gather(*sent, return_exceptions=True) if one is not None]
            if refused:
                raise refused[0]
            await self._settle(files)
            # VS Code answers before it tells of the documents that it opens for an edit.
            unseen = await self.settled(shown, {path: now[path].data for path in shown.paths})
            await self._save(
                [path for path, change in shown if path not in dirty and change.content is not None]
            )
            self._unseen = frozenset(
                path for path in unseen if not same(self._texts.on_disk(path), shown.files[path].content)
            )
        if aside:
            disk = DiskDesk(self._root, self._server.journal.intents)
            await disk.write(aside, {path: Content(on_disk[path]) for path in aside.paths})
            for path in aside.paths:
                self._server.documents.overtake(self._root / path)

    def edit_for(self, patch: Patch, pristine: Mapping[str, bytes | None]) -> lsp.WorkspaceEdit | None:
        """The edit that writes the patch, for an editor that makes it itself; None when files changed.

        It is asked for on every move of the cursor, and made anew only when a file is another one.
        """
        key = (id(patch), *(self._texts.signature(path) for path in patch.paths))
        if self._offered[0] != key:
            self._offered = (key, self._edit_for(patch, pristine))
        return self._offered[1]

    def is_left_behind(self, snapshot: Snapshot, but: Collection[str]) -> bool:
        """Whether other files than these are not what the snapshot saw, as far as the editor has told."""
        return self._texts.differ(snapshot, but, self._looked or 0)

    async def save_what_was_saved(self, paths: Iterable[str], pristine: Mapping[str, bytes | None]) -> None:
        """After an edit that the editor made itself: what is on disk as it was before had been saved."""
        on_disk = await asyncio.to_thread(lambda: {path: saved(self._root / path) for path in paths})
        await self._save([path for path, data in on_disk.items() if same(data, pristine.get(path))])

    def left_unsaved(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those that hold what is not on disk: nothing in the protocol asks an editor to save.

        An editor may also have changed a document that it does not tell us of; it is on its word alone then.
        """
        _, unsaved = self._texts.open()
        return tuple(path for path in paths if path in unsaved or path in self._unseen)

    def left_to_reload(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those that the editor shows as they were before we wrote them on disk."""
        return tuple(path for path in paths if self._server.documents.is_overtaken(self._root / path))

    async def settled(self, patch: Patch, before: Mapping[str, bytes | None]) -> frozenset[str]:
        """Wait, a moment, until the documents hold the patch, whatever was typed beside it since; which of
        them were not seen to."""
        began = time.monotonic()
        waiting = dict(patch.files)
        while waiting and time.monotonic() < began + _SETTLE_SECONDS:
            exactly = time.monotonic() < began + _STEP_SECONDS
            now = {path: (await self.read(path)).data for path in waiting}
            waiting = {
                path: change
                for path, change in waiting.items()
                if not _holds(before.get(path), change.content, now[path], exactly=exactly)
            }
            await asyncio.sleep(0.02 if waiting else 0)
        return frozenset(waiting)

    def texts_that_ran(
        self, paths: Iterable[str], patch: Patch, snapshot: Snapshot | None = None
    ) -> dict[str, str]:
        """The texts of a snapshot, else of the last overlay, with the patch laid over.

        From disk what neither of them saw.
        """
        texts: dict[str, str] = {}
        for path in paths:
            data = patch.files[path].content if path in patch.files else self._that_ran(path, snapshot)
            texts[path] = (data or b"").decode("utf-8", "replace").removeprefix("\ufeff")
        return texts

    def _that_ran(self, path: str, snapshot: Snapshot | None) -> bytes | None:
        if snapshot is not None:
            # What it saw may be left out of it, or too long ago.
            with contextlib.suppress(OSError, WorkspaceChanged):
                return snapshot.read(path)
        seen = self._seen.get(path)
        return seen.content if seen is not None else saved(self._root / path)

    def _is_aside(self, path: str, change: FileChange, now: Content) -> bool:
        """What goes to the disk by another way than through the editor.

        What it cannot create or delete; an empty new file, which some editors never put there; and a file
        that the editor may have open without telling us: its unsaved text would be edited blindly. So the
        editor sees it change, and asks.
        """
        can = self._server.can
        if (now.data is None and not can.create_files) or (change.content is None and not can.delete_files):
            return True
        if self._server.documents.at(self._root / path) is not None:
            return False
        if {now.data, change.content} == {None, b""}:
            return True
        return not self._server.tells_of(path) and now.data != change.content

    def _edit_for(self, patch: Patch, pristine: Mapping[str, bytes | None]) -> lsp.WorkspaceEdit | None:
        files: list[FileEdit] = []
        for path, change in patch:
            now = self._texts.now(path, saved(self._root / path))
            if not same(now.data, pristine.get(path)) or self._is_aside(path, change, now):
                return None
            try:
                file = self._file_edit(path, patch, now)
            except WorkspaceError:
                return None
            files += [file] if file is not None else []
        try:
            return workspace_edit(files, self._server.can, self._server.encoding) if files else None
        except WorkspaceError:
            return None

    def _file_edit(self, path: str, patch: Patch, now: Content) -> FileEdit | None:
        """None when the file already is what it shall be."""
        document = self._server.documents.at(self._root / path)
        content = patch.files[path].content
        uri = self._server.documents.uri(self._root / path)
        if same(now.data, content):
            return None
        encoding = "utf-8" if now.data is None else encoding_of(now.data)
        try:
            # Editors take a byte order mark off the text they show, except those that do not.
            before = None if now.data is None else now.data.decode(encoding or "utf-8").removeprefix("\ufeff")
            if document is not None and now.data is not None:
                before = document.source
            after = None if content is None else content.decode(encoding or "utf-8")
        except UnicodeDecodeError as error:
            raise WorkspaceError(
                f"{path} is not UTF-8, so it cannot be edited through the editor."
            ) from error
        if before is not None and after is not None and not before.startswith("\ufeff"):
            after = after.removeprefix("\ufeff")
        return FileEdit(uri=uri, before=before, after=after, version=now.version)

    async def _save(self, paths: list[str]) -> None:
        """What was saved before the fix is saved after it, where the editor does that for us."""
        if not (paths and self._server.can.save):
            return
        uris = [self._server.documents.uri(self._root / path) for path in paths]
        asked = self._server.protocol.send_request_async(ext.SAVE, {"uris": uris})
        # Whoever reads the files next should see them; an editor that does not answer keeps nobody waiting.
        with contextlib.suppress(TimeoutError, JsonRpcException):
            await asyncio.wait_for(asked, _SAVE_SECONDS)

    def _parts(self, files: list[FileEdit]) -> list[list[FileEdit]]:
        """One edit, where the editor looks at the version of each document before it takes it.

        Plain Neovim looks at the first one only, and would put lines where somebody has typed since: there
        each open document comes first in an edit of its own, and what has no version comes with the last.
        They are sent in one go, so that hardly a key comes between.
        """
        if self._server.can.refuses_stale_edits:
            return [files]
        open_ones = [file for file in files if file.version is not None]
        others = [file for file in files if file.version is None]
        return [[file] for file in open_ones[:-1]] + [[*open_ones[-1:], *others]]

    async def _send(self, files: list[FileEdit], *, saved_before: bool) -> None:
        server = self._server
        # VS Code may then save all files of the edit, also those that were not saved before.
        refactoring = server.can.edit_metadata and saved_before
        params = lsp.ApplyWorkspaceEditParams(
            edit=workspace_edit(files, server.can, server.encoding),
            label=self._label,
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
        began = time.monotonic()
        while waiting:
            exactly = time.monotonic() < began + _STEP_SECONDS
            waiting = {uri: file for uri, file in waiting.items() if not self._holds(file, exactly=exactly)}
            if waiting and time.monotonic() > began + _SETTLE_SECONDS:
                names = ", ".join(uri.rpartition("/")[2] for uri in waiting)
                raise WorkspaceChanged(f"The editor said it took the fix, but {names} is not what was sent.")
            await asyncio.sleep(0.02)

    def _holds(self, file: FileEdit, *, exactly: bool) -> bool:
        path = path_of(file.uri)
        if path is None:
            return True
        if file.after is None:
            return not path.exists()
        # A file that is not open shows its text only when it is saved; there the answer must do.
        document = self._server.documents.at(path)
        if document is None:
            return True
        before, after, now = (_encoded(text) for text in (file.before, file.after, document.source))
        return _holds(before, after, now, exactly=exactly)


def _holds(before: bytes | None, after: bytes | None, now: bytes | None, *, exactly: bool) -> bool:
    return same(now, after) or (not exactly and contains(before, after, now))


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")
