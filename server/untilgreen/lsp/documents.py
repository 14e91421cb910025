"""The documents open in the editor, found by path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pygls.workspace import TextDocument

from untilgreen.lsp.discovery import read_text
from untilgreen.lsp.folders import path_of, root_of, uri_of, within

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server


class Documents:
    """A view of what the editor last told us; nothing is kept here."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def at(self, path: Path) -> TextDocument | None:
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
        """The workspace folder of a file."""
        return root_of(path, self.roots())

    def roots(self) -> list[Path]:
        """The workspace folders; none when the editor opened lone files only."""
        workspace = self._server.workspace
        folders = [path_of(folder.uri) for folder in workspace.folders.values()]
        if not folders and workspace.root_uri:
            folders = [path_of(workspace.root_uri)]
        return [folder for folder in folders if folder is not None]

    def _all(self) -> list[TextDocument]:
        return list(self._server.workspace.text_documents.values())
