"""Knows whether anything in the tree was touched, so that an untouched tree costs nothing to make pristine.

The kernel reports each change of a folder's entries, and each close of a file that was open for writing; the
latter also ends every writable mapping, which nothing else would show. A run that leaves no report behind and
no process, and no socket that could hold an open file back, has left the tree as it was.
"""

from __future__ import annotations

import ctypes
import os
import struct

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_OVERFLOW, _IGNORED, _IS_FOLDER = 0x4000, 0x8000, 0x40000000
_ONLY_FOLDERS, _NO_LINKS = 0x01000000, 0x02000000
_CHANGES = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_GONE = _MOVED_FROM | _MOVED_TO | _DELETE
_MASK = _CHANGES | _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS | _NO_LINKS
_NONBLOCK_CLOEXEC = 0o2004000
_HEAD = struct.Struct("iIII")


class Touched:
    """What a run touched."""

    def __init__(self, paths: frozenset[str], folders: bool, gone: bool = False) -> None:
        self.paths = paths
        """Entries of the tree, relative to its root, that some report names."""
        self.folders = folders
        """True when folders came, went or changed: their contents may have changed without a report."""
        self.gone = gone
        """True when entries went or got another name: one of them may have been a second name of a file,
        and what is written under one name is not reported for the other."""

    @property
    def nothing(self) -> bool:
        return not self.paths and not self.folders


class Vigil:
    """Watches the folders of one tree. Where the kernel gives too few watches, it knows nothing."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._folders: dict[int, str] = {}
        self._watched: set[str] = set()
        self._blind = False
        self._inotify = self._libc.inotify_init1(_NONBLOCK_CLOEXEC)
        if self._inotify < 0:
            self._blind = True

    def watch(self, folders: set[str]) -> None:
        """Watch these folders, relative to the root, from now on."""
        for folder in folders - self._watched:
            if self._blind:
                return
            path = os.fsencode(os.path.join(self._root, folder))
            number = self._libc.inotify_add_watch(self._inotify, path, _MASK)
            if number < 0:
                self._blind = True
                return
            self._folders[number] = folder
            self._watched.add(folder)

    def forget(self) -> None:
        """Start anew: after folders were moved, a watch may stand for another folder than it was made for."""
        if self._inotify >= 0:
            os.close(self._inotify)
        self._folders, self._watched = {}, set()
        self._inotify = self._libc.inotify_init1(_NONBLOCK_CLOEXEC)
        self._blind = self._inotify < 0

    def take(self) -> Touched | None:
        """What was touched since the last call; None when that cannot be known."""
        if self._blind:
            return None
        paths: set[str] = set()
        folders = gone = False
        while True:
            try:
                data = os.read(self._inotify, 1 << 16)
            except BlockingIOError:
                break
            at = 0
            while at < len(data):
                number, mask, _, length = _HEAD.unpack_from(data, at)
                name = data[at + _HEAD.size : at + _HEAD.size + length].rstrip(b"\0")
                at += _HEAD.size + length
                if mask & _OVERFLOW:
                    return None
                gone = gone or bool(mask & _GONE)
                folder = self._folders.get(number)
                if mask & _IGNORED:
                    self._folders.pop(number, None)
                    self._watched.discard(folder or "")
                if mask & (_IS_FOLDER | _IGNORED | _DELETE_SELF | _MOVE_SELF) or folder is None or not name:
                    folders = True
                else:
                    paths.add((folder + "/" if folder else "") + os.fsdecode(name))
        return Touched(frozenset(paths), folders, gone)
