"""Where the user's files lie: a Desk reads them and writes a whole patch or nothing."""

from __future__ import annotations

import asyncio
import posixpath
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.intent import FileIntent, Intent, changed, content_of, locate, recover
from untilgreen.model import Patch
from untilgreen.unbroken import unbroken
from untilgreen.workspace import Overlay

__all__ = ["Content", "Desk", "DiskDesk", "recover"]


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds now."""

    data: bytes | None
    """None: there is no such file."""
    version: int | None = None
    """The editor's version of an open document."""


class Desk(Protocol):
    """Two kinds exist: the disk, and the editor with its open buffers."""

    where: Literal["disk", "editor"]

    def overlay(self) -> Mapping[str, Overlay]:
        """Buffers that are not saved, by their paths in the workspace."""

    async def read(self, path: str) -> Content:
        """What the user sees of this file."""

    async def write(self, patch: Patch, expected: Mapping[str, Content]) -> None:
        """Write all of it. When a file is not as expected: WorkspaceChanged, and nothing at all was written.

        A path of the patch that `expected` does not name must not exist yet.
        """


class DiskDesk:
    """The files on disk. Each is replaced at once, and `recover` takes an interrupted write back."""

    where: Literal["disk", "editor"] = "disk"

    def __init__(self, root: Path, intents: Path) -> None:
        self._root = root.resolve()
        self._intents = intents

    def overlay(self) -> Mapping[str, Overlay]:
        return {}

    async def read(self, path: str) -> Content:
        return await asyncio.to_thread(lambda: Content(content_of(locate(self._root, path))))

    async def write(self, patch: Patch, expected: Mapping[str, Content]) -> None:
        """Who is cancelled meanwhile hears of it when it is known what was written."""
        await unbroken(self._write, patch, expected)

    def _write(self, patch: Patch, expected: Mapping[str, Content]) -> None:
        try:
            intent = self._intend(patch, expected)
            if not intent.files:
                return
            record = intent.save(self._intents)
        except OSError as error:
            raise _refusal(error) from error
        try:
            intent.carry_out()
        except (OSError, WorkspaceChanged, WorkspaceError) as error:
            intent.roll_back()
            record.unlink()
            if isinstance(error, OSError):
                raise _refusal(error) from error
            raise
        record.unlink()

    def _intend(self, patch: Patch, expected: Mapping[str, Content]) -> Intent:
        wanted = dict.fromkeys(patch.paths, Content(None)) | dict(expected)
        targets = {path: locate(self._root, path) for path in sorted(wanted)}
        different = [path for path, target in targets.items() if content_of(target) != wanted[path].data]
        if different:
            raise changed(different)
        files = []
        for path, change in patch:
            before = wanted[path].data
            if change.content != before:
                # A file keeps its mode; a patch says how a new one begins.
                mode = change.mode if before is None else targets[path].stat().st_mode
                temporary = posixpath.join(posixpath.dirname(path), f".untilgreen-{secrets.token_hex(6)}.tmp")
                exact = before is not None or change.exact_mode
                files.append(FileIntent(path, before, change.content, mode & 0o777, temporary, exact))
        return Intent(self._root, tuple(files), self._missing_folders(files))

    def _missing_folders(self, files: Sequence[FileIntent]) -> tuple[str, ...]:
        folders = {
            "/".join(parts[:depth])
            for parts in (file.path.split("/") for file in files if file.after is not None)
            for depth in range(1, len(parts))
        }
        return tuple(sorted(folder for folder in folders if not (self._root / folder).exists()))


def _refusal(error: OSError) -> WorkspaceError:
    where = f"{error.filename}: " if error.filename else ""
    return WorkspaceError(f"Nothing was written. {where}{error.strerror or error}.")
