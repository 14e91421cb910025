"""Sees which files really are others now: by their contents, without our own writes and without noise."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from untilgreen.engine import Engine
from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.intent import content_of, locate
from untilgreen.model import Entry
from untilgreen.solve.changed import Edit
from untilgreen.watching.git_state import GitState, read_git
from untilgreen.watching.noise import is_noise
from untilgreen.watching.steps import Looked
from untilgreen.watching.unfinished import unfinished
from untilgreen.workspace import Snapshot, digest_of

_MOST_TEXTS = 100


class Eye:
    """Remembers what it saw last. All of it blocks, but for what is expected; not for two threads at once."""

    def __init__(self, engine: Engine, root: Path) -> None:
        self._engine = engine
        self._root = root
        self._seen: Snapshot | None = None
        self._git = GitState()
        self._expected: dict[str, set[str]] = {}
        self._landed: set[str] = set()
        """Files that held what was expected, and were not looked at since."""

    def begin(self) -> None:
        """See everything as it is, and take it for granted."""
        self._seen = self._engine.on_disk(self._root).snapshot
        self._git = read_git(self._root)

    def expect(self, writes: Mapping[str, bytes | None]) -> None:
        """We are about to write this; who sees it later saw no change of the user's."""
        for path, content in writes.items():
            self._expected.setdefault(path, set()).add(_digest(content))

    def unexpect(self, paths: Iterable[str]) -> None:
        """We did not write there after all: whatever comes is the user's."""
        for path in paths:
            self._expected.pop(path, None)
            self._landed.discard(path)

    def landed(self, paths: Iterable[str]) -> None:
        """We wrote there. What is as it was before at the next look was then changed back by somebody."""
        for path in paths:
            with contextlib.suppress(OSError, WorkspaceError):
                if _digest(content_of(locate(self._root, path))) in self._expected.get(path, ()):
                    self._landed.add(path)

    def awaits(self, path: str) -> bool:
        """Whether something that we wrote was not seen on disk yet."""
        return path in self._expected

    def expects(self, path: str, content: bytes) -> bool:
        """Whether this is what we wrote, or are about to."""
        return not self._expected.get(path, set()).isdisjoint(_as_shown(content))

    def saw(self, path: str, content: bytes) -> bool:
        """Whether this was on disk at the last look."""
        return self._seen is not None and _of(self._seen.entries, path) in _as_shown(content)

    def look(self, paths: frozenset[str] | None) -> Looked:
        git = read_git(self._root)
        if paths is not None and not paths:
            if git.under_way:
                return Looked(under_way=git.under_way)
            # It is over: whatever it did to files is seen together with where it led.
            paths = None
        if self._seen is None:
            self.begin()
            return Looked(under_way=git.under_way)
        found = self._engine.on_disk(self._root, paths)
        under_way = git.under_way or ("git is at work" if read_git(self._root) != git else "")
        before, now = self._seen, found.snapshot
        since = self._git
        self._git = since if under_way else git
        landed = self._landed if paths is None else self._landed & paths
        if before.entries is now.entries and not landed:
            return Looked(under_way=under_way)
        changed = [
            path
            for path in sorted(before.entries.keys() | now.entries.keys())
            if (_of(before.entries, path) != _of(now.entries, path) or path in landed)
            and not (is_noise(path) or found.ignores(path))
        ]
        users = tuple(path for path in changed if not self._is_ours(path, _of(now.entries, path)))
        switched = _switched(since, git) if users else ""
        said = {}
        for path in users if len(users) <= _MOST_TEXTS else ():
            said[path] = unfinished(path, Edit(_text(before, path), _text(now, path)))
        self._seen = now
        return Looked(users, said, switched, under_way)

    def _is_ours(self, path: str, digest: str) -> bool:
        """Once: whoever changes the file later and comes back to our text changed it twice."""
        self._landed.discard(path)
        return digest in self._expected.pop(path, ())


def _switched(before: GitState, now: GitState) -> str:
    """What git did to files. A new branch and a commit leave them as they are."""
    if before.commit != now.commit and not now.committed_since(before.commit):
        return "another branch was checked out" if before.head != now.head else "git moved the branch"
    return "git changed the stash" if before.stash != now.stash else ""


def _of(entries: Mapping[str, Entry], path: str) -> str:
    entry = entries.get(path)
    return entry.digest if entry is not None else ""


def _text(snapshot: Snapshot, path: str) -> str | None:
    """None when it cannot be known any more, or is no text."""
    try:
        return snapshot.read(path).decode()
    except (OSError, UnicodeDecodeError, WorkspaceChanged):
        return None


def _as_shown(content: bytes) -> frozenset[str]:
    """What is on disk when an editor shows this: most keep a byte order mark to themselves."""
    return frozenset({digest_of(content), digest_of(codecs.BOM_UTF8 + content)})


def _digest(content: bytes | None) -> str:
    return digest_of(content) if content is not None else ""
