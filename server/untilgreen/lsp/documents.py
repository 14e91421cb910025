"""The documents open in the editor, found by path."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pygls.workspace import TextDocument

from untilgreen.lsp.buffers import buffer_bytes, same, saved
from untilgreen.lsp.discovery import read_text
from untilgreen.lsp.folders import around, is_wide, path_of, uri_of, within

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server


class Documents:
    """A view of what the editor last told us."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._unsaved: dict[Path, str] = {}
        """The texts of open documents that were not saved since they were opened or changed."""
        self._changed: dict[Path, int] = {}
        self.n_changes = 0
        """How often the editor said that a text or a file may be another one."""
        self._removed: Counter[Path] = Counter()
        self._overtaken: set[Path] = set()

    def holds(self, path: Path, text: str) -> None:
        """The editor shows this; whether it is on disk is not looked up for every key."""
        self._unsaved[path] = text
        self._overtaken.discard(path)
        self.changed(path)

    def saved(self, path: Path) -> None:
        self._unsaved.pop(path, None)
        self._overtaken.discard(path)

    def overtake(self, path: Path) -> None:
        """We wrote the file on disk while the editor showed it as it was saved: what it shows is old until it
        says something of the document again."""
        if self.at(path) is not None:
            self._unsaved.pop(path, None)
            self._overtaken.add(path)

    def is_overtaken(self, path: Path) -> bool:
        return path in self._overtaken

    def closed(self, path: Path) -> bool:
        """Whether the text that was shown last is lost: it never came to the disk."""
        self.changed(path)
        self._overtaken.discard(path)
        text = self._unsaved.pop(path, None)
        return text is not None and not same(buffer_bytes(text, disk := saved(path)), disk)

    def changed(self, path: Path) -> None:
        self.n_changes += 1
        self._changed[path] = self.n_changes

    def changed_since(self, n: int) -> list[Path]:
        return [path for path, when in self._changed.items() if when > n]

    def at(self, path: Path) -> TextDocument | None:
        # Most editors spell a uri as we do.
        found: TextDocument | None = self._server.workspace.text_documents.get(uri_of(path))
        if found is not None:
            return found
        return next((document for document in self._all() if path_of(document.uri) == path), None)

    def under(self, root: Path) -> dict[str, TextDocument]:
        """Open files inside the root, by their path in it."""
        found: dict[str, TextDocument] = {}
        for document in self._all():
            path = path_of(document.uri)
            if path is not None and (relative := within(root, path)) is not None:
                found[relative] = document
        return found

    def uri(self, path: Path) -> str:
        """The editor's own spelling of the uri when the file is open."""
        document = self.at(path)
        return document.uri if document is not None else uri_of(path)

    def text(self, path: Path) -> str:
        """As the editor has it, else as it is on disk; empty when there is no such text."""
        document = self.at(path)
        return document.source if document is not None else (read_text(path) or "")

    def root_of(self, path: Path) -> Path:
        """The workspace folder of a file: what is begun there begins in the innermost."""
        return self.around(path)[0]

    def around(self, path: Path) -> list[Path]:
        """All of them, the innermost first: any may have told of the file."""
        return around(path, self.roots())

    def folder_removed(self, root: Path) -> None:
        self._removed[root] += 1

    def times_removed(self, root: Path) -> int:
        """How often it was a workspace folder and is none any more: what began before speaks of the past."""
        return self._removed[root]

    def no_project(self, root: Path) -> str:
        """Why nothing may begin in a folder that was only found around a lone file; empty when it may."""
        if root in self.roots() or not is_wide(root):
            return ""
        return f"{root} is no project. Put the file into a folder of its own, and open that."

    def roots(self) -> list[Path]:
        """The workspace folders; none when the editor opened lone files only."""
        workspace = self._server.workspace
        folders = [path_of(folder.uri) for folder in workspace.folders.values()]
        if not folders and workspace.root_uri:
            folders = [path_of(workspace.root_uri)]
        return [folder for folder in folders if folder is not None]

    def _all(self) -> list[TextDocument]:
        return list(self._server.workspace.text_documents.values())
