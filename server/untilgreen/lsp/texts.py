"""The texts of a folder as the user sees them: what the editor shows of a file, else what is on disk."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from untilgreen.desk import Content
from untilgreen.intent import content_of, locate
from untilgreen.lsp.buffers import buffer_bytes, same, saved
from untilgreen.lsp.folders import within
from untilgreen.moving import is_as_seen
from untilgreen.workspace import Overlay, Snapshot

if TYPE_CHECKING:
    from untilgreen.lsp.documents import Documents

MOST_TOLD = 200
"""More files are not looked at on every move of a cursor: then something is taken to be different."""


class Texts:
    """Looked at one by one, and as seldom as can be: some are asked for on every move of a cursor."""

    def __init__(self, documents: Documents, root: Path) -> None:
        self._documents = documents
        self._root = root
        self._compared: dict[str, tuple[object, bool]] = {}
        self._folders: frozenset[str] | None = None
        """Of the snapshot that texts are compared with, when somebody asked for one."""

    def open(self) -> tuple[dict[str, Overlay], tuple[str, ...]]:
        """What is open, and which of it is not on disk."""
        seen: dict[str, Overlay] = {}
        unsaved: list[str] = []
        for path, document in self._documents.under(self._root).items():
            if self._documents.is_overtaken(self._root / path):
                continue
            on_disk = saved(self._root / path)
            data = buffer_bytes(document.source, on_disk)
            if data is not None:
                seen[path] = Overlay(content=data, version=document.version)
                unsaved += [path] if not same(data, on_disk) else []
        return seen, tuple(sorted(unsaved))

    def on_disk(self, path: str) -> bytes | None:
        return content_of(locate(self._root, path))

    def now(self, path: str, on_disk: bytes | None) -> Content:
        document = self._documents.at(self._root / path)
        if document is not None and not self._documents.is_overtaken(self._root / path):
            data = buffer_bytes(document.source, on_disk)
            if data is not None:
                return Content(data=data, version=document.version)
        return Content(data=on_disk)

    def signature(self, path: str) -> tuple[object, ...]:
        """Changes whenever what the user sees of a file does."""
        document = self._documents.at(self._root / path)
        shown = None if document is None else (document.version, hash(document.source))
        try:
            status = (self._root / path).stat(follow_symlinks=False)
        except OSError:
            return (shown,)
        return (shown, status.st_mtime_ns, status.st_size, status.st_ino)

    def differ(self, snapshot: Snapshot, but: Collection[str], since: int) -> bool:
        """Whether any other file that was told of since is not what the snapshot saw; always of the same."""
        told = (within(self._root, path) for path in self._documents.changed_since(since))
        paths = [path for path in told if path is not None and path not in but]
        return len(paths) > MOST_TOLD or any(self._differs(snapshot, path) for path in paths)

    def _differs(self, snapshot: Snapshot, path: str) -> bool:
        signature = self.signature(path)
        if self._compared.get(path, (None, False))[0] != signature:
            self._compared[path] = (signature, self._is_as_seen(snapshot, path))
        return not self._compared[path][1]

    def _is_as_seen(self, snapshot: Snapshot, path: str) -> bool:
        content = self.now(path, saved(self._root / path))
        if content.data is None and path not in snapshot.entries:
            if self._folders is None:
                parents = (PurePosixPath(name).parents for name in snapshot.entries)
                self._folders = frozenset(str(folder) for above in parents for folder in above)
            # A folder may be gone, with all that was in it.
            return path not in self._folders
        return is_as_seen(snapshot, path, content)
