"""What a workspace was at one moment: the files on disk with the editor's unsaved buffers laid over them."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.model import Entry
from untilgreen.workspace.content import digest_of, read_file
from untilgreen.workspace.kept import Kept
from untilgreen.workspace.reading_ahead import reading_ahead
from untilgreen.workspace.seen import digest_of_entries
from untilgreen.workspace.stat_index import StatIndex, Whole
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
    """What a test might miss: secrets, excluded, ignored and unreadable files; folders end with a slash."""
    forget: Callable[[str], None] = field(default=lambda _path: None, compare=False, repr=False)
    """Told of each file that is not what the snapshot saw."""
    kept: Kept = field(default_factory=Kept, compare=False, repr=False)
    """What was read once is there for good, whatever becomes of the files."""

    @property
    def total_bytes(self) -> int:
        return sum(entry.size for entry in self.entries.values())

    def exists(self, path: str) -> bool:
        return path in self.entries

    def read(self, path: str) -> bytes:
        """The bytes that the snapshot saw. Links lead to other files of the snapshot, never out of it."""
        target = self._target(path)
        entry = self.entries.get(target)
        if entry is None or entry.kind == "link":
            raise FileNotFoundError(path)
        return self._content(target, entry)

    async def changes(self, since: Snapshot | None = None) -> AsyncIterator[Change]:
        """All files in the order of their paths, read in a thread while earlier ones are used.

        With `since`, only what turns that snapshot into this one.
        """
        paths = sorted(self.entries)
        if since is not None:
            for path in sorted(since.entries.keys() - self.entries.keys()):
                yield Change(path, None)
            # What a link leads to may have changed although the link did not.
            paths = [
                path
                for path in paths
                if self.entries[path] != since.entries.get(path) or self.entries[path].kind == "link"
            ]
        async for batch in reading_ahead(paths, self._load):
            for change in batch:
                yield change

    def _load(self, path: str) -> Change | None:
        """None for a link to something that is not copied."""
        entry = self.entries[path]
        if entry.kind == "link":
            path, at = self._target(path), path
            target = self.entries.get(path)
            if target is None or target.kind == "link":
                return None
            return Change(at, self._content(path, target), target.mode)
        return Change(path, self._content(path, entry), entry.mode)

    def _content(self, path: str, entry: Entry) -> bytes:
        if path in self.overlay:
            return self.overlay[path].content
        try:
            content = read_file(f"{self.root}/{path}")
        except OSError:
            content = b""
        return self._as_seen(path, entry, content)

    def _as_seen(self, path: str, entry: Entry, content: bytes) -> bytes:
        """This content, if the snapshot saw it; else what was kept of what it saw."""
        if digest_of(content) == entry.digest:
            self.kept.keep(entry.digest, content)
            return content
        before = self.kept.get(entry.digest)
        if before is None:
            self.forget(path)
            raise WorkspaceChanged(f"{path} changed while it was being read.")
        return before

    def _target(self, path: str) -> str:
        """Where a link leads, step by step through entries: what was left out cannot be reached."""
        for _hop in range(8):
            entry = self.entries.get(path)
            if entry is None or entry.kind == "file":
                break
            try:
                found = os.fsencode((self.root / path).readlink())
            except OSError:
                found = b""
            link = os.fsdecode(self._as_seen(path, entry, found))
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
        return path


def take_snapshot(
    root: Path,
    overlay: Mapping[str, Overlay] = MappingProxyType({}),
    *,
    max_mb: int = 500,
    exclude: Sequence[str] = (),
    include: Sequence[str] = (),
    import_roots: Sequence[str] = ("src", ""),
    index: StatIndex | None = None,
    only: Collection[str] | None = None,
) -> Snapshot:
    """Look at every file once. It blocks: call it in a thread.

    With an index, only files are read that changed since its last snapshot of this root; with `only`, too, no
    other paths are looked at: the caller knows that nothing else changed.
    """
    if not root.is_dir():
        what = "is not a folder" if root.exists() else "does not exist"
        raise WorkspaceError(f"{root} {what}. Name the folder of your project.")
    tree = (index or StatIndex()).tree(root, exclude, include, import_roots)
    with tree.lock:
        tree.look(only)
        buffers = {path: overlay[path] for path in sorted(overlay) if tree.takes_buffer(path)}
        lengths = {path: len(buffer.content) for path, buffer in buffers.items()}
        if tree.total_bytes() + sum(lengths.values()) > max_mb * _MEGABYTE:
            _refuse_too_much(dict(tree.sizes()) | lengths, max_mb)
        whole = tree.read()
        tree.kept.tidy(whole.total_bytes)
    if buffers:
        whole = _with_buffers(root, whole, buffers)
    lines = "".join(f"{folder}\0{digest}\n" for folder, digest in sorted(whole.digests.items()))
    return Snapshot(
        root,
        whole.entries,
        MappingProxyType(buffers),
        digest_of(lines.encode()),
        tuple(sorted(whole.left_out)),
        tree.forget,
        tree.kept,
    )


def _with_buffers(root: Path, whole: Whole, buffers: Mapping[str, Overlay]) -> Whole:
    entries = dict(whole.entries)
    for path, buffer in buffers.items():
        mode = _mode(root / path, entries.get(path))
        entries[path] = Entry("file", mode, len(buffer.content), digest_of(buffer.content))
    folders = {posixpath.dirname(path) for path in buffers}
    changed: dict[str, dict[str, Entry]] = {folder: {} for folder in folders}
    for path, entry in entries.items():
        if (folder := posixpath.dirname(path)) in folders:
            changed[folder][path] = entry
    digests = {**whole.digests, **{folder: digest_of_entries(some) for folder, some in changed.items()}}
    total = sum(entry.size for entry in entries.values())
    return Whole(MappingProxyType(entries), digests, whole.left_out - buffers.keys(), total)


def _mode(path: Path, entry: Entry | None) -> int:
    """An unsaved buffer has its file's mode."""
    if entry is not None:
        return entry.mode if entry.kind == "file" else 0o644
    try:
        status = path.stat(follow_symlinks=False)
    except OSError:
        return 0o644
    return status.st_mode & 0o777 if stat.S_ISREG(status.st_mode) else 0o644


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
