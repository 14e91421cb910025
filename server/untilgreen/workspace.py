"""What a workspace was at one moment: the files on disk with the editor's unsaved buffers laid over them."""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
import posixpath
import stat
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from untilgreen.copied import Copied
from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.model import Entry
from untilgreen_sandbox.box import Change

_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Overlay:
    """What the editor holds of a file and has not saved."""

    content: bytes
    version: int | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The workspace at one moment: what each file was, without its bytes."""

    root: Path
    entries: Mapping[str, Entry]
    overlay: Mapping[str, Overlay]
    digest: str
    """Of all paths, modes and contents."""
    left_out: tuple[str, ...] = ()
    """What a test might miss: secrets, excluded and unreadable files; folders end with a slash."""

    @property
    def total_bytes(self) -> int:
        return sum(entry.size for entry in self.entries.values())

    def exists(self, path: str) -> bool:
        return path in self.entries

    def read(self, path: str) -> bytes:
        """The bytes that the snapshot saw. Links lead to other files of the snapshot, never out of it."""
        content = self._content(path)
        if content is None:
            raise FileNotFoundError(path)
        return content

    async def changes(self) -> AsyncIterator[Change]:
        """All files in the order of their paths, read in a thread, a few megabytes at a time."""
        for paths in self._batches():
            for change in await asyncio.to_thread(self._load, paths):
                yield change

    def _batches(self) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for path in sorted(self.entries):
            batch.append(path)
            size += self.entries[path].size
            if len(batch) == 256 or size > 4 * _MEGABYTE:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _load(self, paths: list[str]) -> list[Change]:
        changes = [Change(path, self._content(path), self._mode(path)) for path in paths]
        return [change for change in changes if change.content is not None]

    def _content(self, path: str) -> bytes | None:
        """None when there is no such file, or when it is a link to something that is not copied."""
        path = self._target(path)
        entry = self.entries.get(path)
        if entry is None or entry.kind == "link":
            return None
        if path in self.overlay:
            return self.overlay[path].content
        try:
            with open_file(self.root / path) as file:
                content = file.read()
        except OSError as error:
            raise _changed(path) from error
        if digest_of(content) != entry.digest:
            raise _changed(path)
        return content

    def _mode(self, path: str) -> int:
        entry = self.entries.get(self._target(path))
        return entry.mode if entry else 0

    def _target(self, path: str) -> str:
        """Where a link leads, step by step through entries: what was left out cannot be reached."""
        for _hop in range(8):
            entry = self.entries.get(path)
            if entry is None or entry.kind == "file":
                break
            try:
                link = os.fspath((self.root / path).readlink())
            except OSError as error:
                raise _changed(path) from error
            if digest_of(os.fsencode(link)) != entry.digest:
                raise _changed(path)
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
        return path


def take_snapshot(
    root: Path,
    overlay: Mapping[str, Overlay] = MappingProxyType({}),
    *,
    max_mb: int = 500,
    exclude: Sequence[str] = (),
    include: Sequence[str] = (),
) -> Snapshot:
    """Look at every file once. It blocks: call it in a thread."""
    if not root.is_dir():
        what = "is not a folder" if root.exists() else "does not exist"
        raise WorkspaceError(f"{root} {what}. Name the folder of your project.")
    copied = Copied(root, exclude, include)
    buffers = {path: overlay[path] for path in sorted(overlay) if copied.takes_buffer(path)}
    sizes = copied.sizes | {path: len(buffer.content) for path, buffer in buffers.items()}
    _refuse_too_much(sizes, max_mb)
    entries: dict[str, Entry] = {}
    unreadable: list[str] = []
    for path in sorted(sizes):
        try:
            entries[path] = _entry(root / path, buffers.get(path))
        except OSError:
            unreadable.append(path)
    lines = "".join(
        f"{path}\0{entry.kind}\0{entry.mode}\0{entry.digest}\n" for path, entry in entries.items()
    )
    return Snapshot(
        root,
        MappingProxyType(entries),
        MappingProxyType(buffers),
        digest_of(lines.encode()),
        tuple(sorted({*copied.left_out, *unreadable})),
    )


def digest_of(content: bytes) -> str:
    """The digest of every file, link and snapshot."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def open_file(path: Path) -> io.BufferedReader:
    """Open a regular file; a link or a pipe that took its place is an OSError, not a way out or a hang."""
    # These flags are zero where a system does not know them.
    flags = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
    file = open(os.open(path, os.O_RDONLY | flags), "rb")  # noqa: PTH123, SIM115 - a descriptor has no path
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(f"not a regular file: {path}")
    return file


def _entry(path: Path, buffer: Overlay | None) -> Entry:
    """What lies there now; an unsaved buffer has its file's mode."""
    try:
        status = path.stat(follow_symlinks=False)
    except OSError:
        if buffer is None:
            raise
        return Entry("file", 0o644, len(buffer.content), digest_of(buffer.content))
    mode = status.st_mode & 0o777
    if buffer is not None:
        mode = mode if stat.S_ISREG(status.st_mode) else 0o644
        return Entry("file", mode, len(buffer.content), digest_of(buffer.content))
    if stat.S_ISLNK(status.st_mode):
        return Entry("link", mode, 0, digest_of(os.fsencode(path.readlink())))
    with open_file(path) as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
        return Entry("file", mode, file.tell(), digest.hexdigest())


def _refuse_too_much(sizes: Mapping[str, int], max_mb: int) -> None:
    total = sum(sizes.values())
    if total <= max_mb * _MEGABYTE:
        return
    largest = sorted(sizes, key=lambda path: (-sizes[path], path))[:10]
    lines = "\n".join(f"  {sizes[path] / _MEGABYTE:8.1f} MB  {path}" for path in largest)
    raise WorkspaceError(
        f"The workspace has {total / _MEGABYTE:.0f} MB, and at most {max_mb} MB are copied. "
        f"The largest files:\n{lines}\n"
        "Leave out what the tests do not need with the setting `exclude`, or raise `workspace_max_mb`."
    )


def _changed(path: str) -> WorkspaceChanged:
    return WorkspaceChanged(f"{path} changed while it was being read.")
