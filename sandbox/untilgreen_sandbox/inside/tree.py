"""The copy of the workspace inside the box, and how it becomes pristine again after each run.

The bytes of the pristine tree live in an anonymous memory file that no test can open. On disk the tree
belongs to the tests' user, because honest suites write beside their code. What a run touched is known (see
`vigil.py`): nothing or some files that have one name each, and then only those and the candidate's own are
written back, whatever the size of the tree; more than that, and then every file whose inode, change time,
size or mode is not as we left it is written anew, with those that were touched, and what was added is
removed. When it is not known, the contents are compared as well, because a write through a shared mapping
leaves the change time as it is.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import time
from collections.abc import Iterable

from untilgreen_sandbox.inside.vigil import Touched

CHUNK = 1 << 20
# Each version of a file is newer than the one before by a whole second, the grain of bytecode files; the
# first ones are a day old, so that a long series does not reach into the future.
_DAY = 86_400
# A new inode each time: an open handle of an earlier run can never reach the new file.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class Tree:
    """Only used while no test process is alive, so nothing moves under it."""

    def __init__(self, root: str, mounts: tuple[str, ...] = ()) -> None:
        self.root = root
        self._store = os.memfd_create("pristine")
        self._end = self._wasted = 0
        self._files: dict[str, tuple[int, int, int]] = {}
        self._seen: dict[str, tuple[int, int, int, int]] = {}
        self._laid: set[str] = set()
        self._clock = int(time.time()) - _DAY
        # Folders on the way to something mounted in the tree (an environment) are not ours to remove.
        self._to_mounts = {""}.union(*(_parents(mount) for mount in mounts))
        self._folders = set(self._to_mounts)
        # Not made by us: the workspace itself, and the way to what is mounted in it.
        self._modes = {folder: _mode(os.path.join(root, folder)) for folder in self._to_mounts}

    @property
    def folders(self) -> set[str]:
        """All folders of the pristine tree, relative to its root, with the root itself."""
        return {"", *self._folders}

    def differs(self, path: str, there: bool) -> bool:
        """Whether a file at this path would appear or vanish."""
        return (path in self._files) != there

    def lookups(self, changed: Iterable[str], moved: Iterable[str]) -> dict[str, list[str]]:
        """How code may come to see that these paths are changed, or that they appeared or vanished.

        A file that only its owner can read is no business of anybody else's either.
        """
        private = {path for path, (_, _, mode) in self._files.items() if not mode & 0o004}
        modules = {_module(path) for path in changed if path.endswith(".py")}
        for path in moved:
            modules |= {folder.replace("/", ".") for folder in _parents(path) - self._folders}
        return {
            "files": [os.path.join(self.root, path) for path in {*changed, *private}],
            "modules": sorted(modules),
            "folders": sorted({os.path.normpath(os.path.join(self.root, path, "..")) for path in moved}),
        }

    def put(self, path: str, content: bytes | None, mode: int) -> None:
        """Make this the pristine content of path; None removes it."""
        _check(path)
        if path in self._files:
            self._wasted += self._files.pop(path)[1]
            self._clock += 1
        if content is None:
            self._folders = self._to_mounts.union(*(_parents(other) for other in self._files))
            self._remove(path)
            self._remove_empty(os.path.dirname(path))
            return
        if self._wasted > max(CHUNK, self._end // 2):
            self._compact()
        self._keep(path, content, mode)
        if os.path.dirname(path) not in self._folders:
            self._folders |= _parents(path)
        self._write(path, content, mode)

    def overlay(self, path: str, content: bytes | None, mode: int) -> None:
        """Change path for the next run only; `restore` undoes it."""
        _check(path)
        self._laid.add(path)
        self._clock += 1
        if content is None:
            self._remove(path)
        else:
            self._write(path, content, mode)
            self._seen.pop(path, None)

    def restore(self, touched: Touched | None = None) -> None:
        """Make the tree pristine after a run that touched this; None means that it may have done anything."""
        laid, self._laid = self._laid, set()
        self._clock += 1
        known_folders = all(os.path.dirname(path) in self._folders for path in laid if "/" in path)
        if touched is not None and known_folders and self._is_all_named(touched):
            for path in laid | touched.paths:
                self._put_back(path)
            for folder in {os.path.dirname(path) for path in touched.paths}:
                self._reset(folder)
            return
        present: set[str] = set()
        for path in touched.paths if touched is not None else ():
            self._seen.pop(path, None)
        self._walk("", present, contents=touched is None)
        for path in self._files:
            if path not in present:
                self._put_back(path)

    def _is_all_named(self, touched: Touched) -> bool:
        """Whether only these paths can be other than they were: no file has a second name, or had one."""
        if touched.folders or touched.gone:
            return False
        try:
            found = [os.lstat(os.path.join(self.root, path)) for path in touched.paths]
        except OSError:
            return False
        return all(stat.S_ISREG(one.st_mode) and one.st_nlink == 1 for one in found)

    def _put_back(self, path: str) -> None:
        if path in self._files:
            offset, size, mode = self._files[path]
            self._write(path, os.pread(self._store, size, offset), mode)
        else:
            self._remove(path)

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

    def _walk(self, folder: str, present: set[str], contents: bool) -> None:
        self._reset(folder)
        with os.scandir(os.path.join(self.root, folder)) as entries:
            found = list(entries)
        for entry in found:
            path = folder + "/" + entry.name if folder else entry.name
            if entry.is_dir(follow_symlinks=False) and path in self._folders:
                self._walk(path, present, contents)
            elif path in self._seen and self._is_pristine(path, entry.path, contents):
                present.add(path)
            elif not os.path.ismount(entry.path):
                _remove_all(entry.path)

    def _reset(self, folder: str) -> None:
        _reset(os.path.join(self.root, folder), self._modes.get(folder, 0o755))

    def _is_pristine(self, path: str, target: str, contents: bool) -> bool:
        if _signature(os.lstat(target)) != self._seen[path]:
            return False
        if not contents:
            return True
        offset, size, mode = self._files[path]
        if not mode & 0o400:
            return False
        with open(target, "rb", buffering=0) as file:
            for at in range(0, size, CHUNK):
                if file.read(CHUNK) != os.pread(self._store, min(CHUNK, size - at), offset + at):
                    return False
        return True

    def _write(self, path: str, content: bytes, mode: int) -> None:
        target = self.root + "/" + path
        try:
            descriptor = os.open(target, _NEW, mode & 0o777)
        except OSError:
            self._make_folders(os.path.dirname(path))
            if os.path.lexists(target):
                _remove_all(target)
            descriptor = os.open(target, _NEW, mode & 0o777)
        try:
            written = os.write(descriptor, content) if content else 0
            while written < len(content):
                written += os.write(descriptor, memoryview(content)[written:])
            if mode & 0o022:
                os.fchmod(descriptor, mode & 0o777)
            os.utime(descriptor, (self._clock, self._clock))
            self._seen[path] = _signature(os.fstat(descriptor))
        finally:
            os.close(descriptor)

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
        # Whether it is there is not asked first: a place that cannot be looked at would pass for empty.
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            _remove_all(os.path.join(self.root, path))


def empty(folder: str, mounts: frozenset[str]) -> None:
    """Remove all that lies in a scratch folder such as /tmp, but for mounts and the way to them."""
    if folder in mounts and os.access(folder, os.F_OK):
        _reset(folder, 0o1777)
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        if entry.path in mounts:
            continue
        if any(mount.startswith(entry.path + "/") for mount in mounts):
            empty(entry.path, mounts)
        else:
            _remove_all(entry.path)


def empty_own(folder: str) -> None:
    """Remove what this user made right in a scratch folder; what others made is theirs."""
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if entry.stat(follow_symlinks=False).st_uid == os.geteuid()]
    except FileNotFoundError:
        return
    for entry in found:
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


def _reset(folder: str, mode: int) -> None:
    """What a run can set on a folder itself: its mode, its attributes, its times."""
    if _mode(folder) != mode:
        os.chmod(folder, mode)
    for name in os.listxattr(folder):
        os.removexattr(folder, name)
    os.utime(folder)


def _mode(folder: str) -> int:
    return stat.S_IMODE(os.lstat(folder).st_mode) if os.path.lexists(folder) else 0o755


def _signature(found: os.stat_result) -> tuple[int, int, int, int]:
    return (found.st_ino, found.st_ctime_ns, found.st_size, found.st_mode)


def _module(path: str) -> str:
    """Its dotted name, seen from the root; an import may leave out the front part."""
    name = path[: -len(".py")].replace("/", ".")
    return name[: -len(".__init__")] if name.endswith(".__init__") else name


def _parents(path: str) -> set[str]:
    parts = path.split("/")
    return {"/".join(parts[:n]) for n in range(1, len(parts))}


def _check(path: str) -> None:
    parts = path.split("/")
    if not path or path.startswith("/") or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise ValueError("not a path inside the workspace: %r" % path)
