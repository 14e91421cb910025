"""The copy of the workspace inside the box, and how it becomes pristine again after each run.

The bytes of the pristine tree live in an anonymous memory file that no test can open. On disk the tree
belongs to the tests' user, because honest suites write beside their code; after a run every file whose
inode, change time, size, mode or content is not as we left it is written anew, and what was added is
removed. The content has to be read, because a write through a shared mapping leaves the change time as it is.
"""

from __future__ import annotations

import itertools
import os
import stat

CHUNK = 1 << 20


class Tree:
    """Only used while no test process is alive, so nothing moves under it."""

    def __init__(self, root: str, mounts: tuple[str, ...] = ()) -> None:
        self.root = root
        self._store = os.memfd_create("pristine")
        self._end = self._wasted = 0
        self._files: dict[str, tuple[int, int, int]] = {}
        self._seen: dict[str, tuple[int, int, int, int]] = {}
        # Folders on the way to something mounted in the tree (an environment) are not ours to remove.
        self._to_mounts = {""}.union(*(_parents(mount) for mount in mounts))
        self._folders = set(self._to_mounts)
        # Not made by us: the workspace itself, and the way to what is mounted in it.
        self._modes = {folder: _mode(os.path.join(root, folder)) for folder in self._to_mounts}

    def put(self, path: str, content: bytes | None, mode: int) -> None:
        """Make this the pristine content of path; None removes it."""
        _check(path)
        self._wasted += self._files.pop(path, (0, 0, 0))[1]
        if content is None:
            self._folders = self._to_mounts.union(*(_parents(other) for other in self._files))
            self._remove(path)
            self._remove_empty(os.path.dirname(path))
            return
        if self._wasted > max(CHUNK, self._end // 2):
            self._compact()
        self._keep(path, content, mode)
        self._folders |= _parents(path)
        self._write(path, content, mode)

    def overlay(self, path: str, content: bytes | None, mode: int) -> None:
        """Change path for the next run only; `restore` undoes it."""
        _check(path)
        self._seen.pop(path, None)
        if content is None:
            self._remove(path)
        else:
            self._write(path, content, mode)
            self._seen.pop(path, None)

    def restore(self) -> None:
        """Make the tree pristine, whatever a run did to it."""
        present: set[str] = set()
        self._walk("", present)
        for path, (offset, size, mode) in self._files.items():
            if path not in present:
                self._write(path, os.pread(self._store, size, offset), mode)

    def _keep(self, path: str, content: bytes, mode: int) -> None:
        view = memoryview(content)
        while view:
            written = os.pwrite(self._store, view, self._end + len(content) - len(view))
            view = view[written:]
        self._files[path] = (self._end, len(content), mode)
        self._end += len(content)

    def _compact(self) -> None:
        """A file that is put again and again must not fill the memory of the box with what it was."""
        old, files = self._store, self._files
        self._store, self._files = os.memfd_create("pristine"), {}
        self._end = self._wasted = 0
        for path, (offset, size, mode) in files.items():
            self._keep(path, os.pread(old, size, offset), mode)
        os.close(old)

    def _walk(self, folder: str, present: set[str]) -> None:
        where = os.path.join(self.root, folder)
        wanted = self._modes.get(folder, 0o755)
        if _mode(where) != wanted:
            os.chmod(where, wanted)
        with os.scandir(where) as entries:
            found = list(entries)
        for entry in found:
            path = folder + "/" + entry.name if folder else entry.name
            if entry.is_dir(follow_symlinks=False) and path in self._folders:
                self._walk(path, present)
            elif path in self._seen and self._is_pristine(path, entry.path):
                present.add(path)
            elif not os.path.ismount(entry.path):
                _remove_all(entry.path)

    def _is_pristine(self, path: str, target: str) -> bool:
        if _signature(os.lstat(target)) != self._seen[path]:
            return False
        offset, size, mode = self._files[path]
        if not mode & 0o400:
            return False
        with open(target, "rb", buffering=0) as file:
            for at in range(0, size, CHUNK):
                if file.read(CHUNK) != os.pread(self._store, min(CHUNK, size - at), offset + at):
                    return False
        return True

    def _write(self, path: str, content: bytes, mode: int) -> None:
        target = os.path.join(self.root, path)
        self._make_folders(os.path.dirname(path))
        # A new inode each time: an open handle of an earlier run can never reach the new file.
        if os.path.lexists(target):
            _remove_all(target)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fchmod(descriptor, mode & 0o777)
        finally:
            os.close(descriptor)
        self._seen[path] = _signature(os.lstat(target))

    def _make_folders(self, folder: str) -> None:
        if not folder or (folder in self._folders and os.path.isdir(os.path.join(self.root, folder))):
            return
        self._make_folders(os.path.dirname(folder))
        target = os.path.join(self.root, folder)
        if os.path.islink(target) or (os.path.lexists(target) and not os.path.isdir(target)):
            _remove_all(target)
        if not os.path.isdir(target):
            os.mkdir(target, 0o755)

    def _remove_empty(self, folder: str) -> None:
        """An empty folder could still be imported, as a namespace."""
        while folder not in self._folders and os.path.isdir(os.path.join(self.root, folder)):
            os.rmdir(os.path.join(self.root, folder))
            folder = os.path.dirname(folder)

    def _remove(self, path: str) -> None:
        self._seen.pop(path, None)
        target = os.path.join(self.root, path)
        if os.path.lexists(target):
            _remove_all(target)


def empty(folder: str, mounts: frozenset[str]) -> None:
    """Remove all that lies in a scratch folder such as /tmp, but for mounts and the way to them."""
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        if entry.path in mounts:
            continue
        if any(mount.startswith(entry.path + "/") for mount in mounts):
            empty(entry.path, mounts)
        else:
            _remove_all(entry.path)


def _remove_all(target: str) -> None:
    """Remove a file, or a folder with all that is in it.

    Tests may leave folders without permissions, deeper than recursion goes and with longer paths than the
    kernel takes: so each is opened up by its owner and moved to the top before it is emptied.
    """
    if os.path.islink(target) or not os.path.isdir(target):
        os.unlink(target)
        return
    os.chmod(target, 0o700)
    unknown, numbers = os.urandom(8).hex(), itertools.count()
    pending = [target]
    while pending:
        folder = pending.pop()
        with os.scandir(folder) as entries:
            found = list(entries)
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, 0o700)
            place = entry.path if folder == target else "%s/%s-%d" % (target, unknown, next(numbers))
            os.rename(entry.path, place)
            pending.append(place)
        if folder != target:
            os.rmdir(folder)
    os.rmdir(target)


def _mode(folder: str) -> int:
    return stat.S_IMODE(os.lstat(folder).st_mode) if os.path.lexists(folder) else 0o755


def _signature(found: os.stat_result) -> tuple[int, int, int, int]:
    return (found.st_ino, found.st_ctime_ns, found.st_size, found.st_mode)


def _parents(path: str) -> set[str]:
    parts = path.split("/")
    return {"/".join(parts[:n]) for n in range(1, len(parts))}


def _check(path: str) -> None:
    parts = path.split("/")
    if not path or path.startswith("/") or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise ValueError("not a path inside the workspace: %r" % path)
