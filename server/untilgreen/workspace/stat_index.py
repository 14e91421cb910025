"""What was seen of workspaces before, so that a new look costs one stat for each file.

A file is read again when its times, size, inode or mode are not as they were; a folder is listed again when
its own times are not. What changed shortly before it was seen could change once more and look the same, so
it is not believed the next time, as in git's index.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import eq
from pathlib import Path
from types import MappingProxyType

from untilgreen.model import Entry
from untilgreen.workspace.content import open_file
from untilgreen.workspace.copied import Listing, Place, Rules
from untilgreen.workspace.ignored import IGNORE_FILE, MAX_BYTES, Ignored, IgnoreRules
from untilgreen.workspace.kept import Kept
from untilgreen.workspace.second_look import MANY, SecondLook
from untilgreen.workspace.seen import RulesFile, SeenFolder, Signature, look_at, signature
from untilgreen.workspace.tracked import Tracked, git_folder, read_tracked

SETTLED_NS = 2_000_000_000
"""Times of some file systems are as coarse as this."""


class StatIndex:
    """One for all workspaces of a process; kept by whoever takes snapshots again and again."""

    def __init__(self, clock: Callable[[], int] = time.time_ns, many: int = MANY) -> None:
        self._clock = clock
        self._many = many
        self._trees: dict[Path, tuple[object, SeenTree]] = {}

    def tree(
        self, root: Path, exclude: Collection[str], include: Collection[str], import_roots: Collection[str]
    ) -> SeenTree:
        """What is known of a workspace; nothing when it is seen with other rules than before."""
        key = (tuple(exclude), tuple(include), tuple(import_roots))
        known = self._trees.get(root)
        if known is None or known[0] != key:
            if known is not None:
                with known[1].lock:
                    known[1].second.close()
            second = SecondLook(self._many)
            known = self._trees[root] = (key, SeenTree(root, Rules(*key), self._clock, second))
        return known[1]

    def close(self) -> None:
        """End what looks at large trees with us; a later look starts it again."""
        for _, tree in self._trees.values():
            with tree.lock:
                tree.second.close()


@dataclass(frozen=True, slots=True)
class Whole:
    """All that was read of a tree."""

    entries: Mapping[str, Entry]
    digests: Mapping[str, str]
    """Of each folder that has files."""
    left_out: frozenset[str]
    total_bytes: int


class SeenTree:
    """All folders of one workspace. Not for two threads at once: hold its lock."""

    def __init__(self, root: Path, rules: Rules, clock: Callable[[], int], second: SecondLook) -> None:
        self.lock = threading.Lock()
        self.second = second
        self.folders: dict[str, SeenFolder] = {}
        self.kept = Kept()
        self._whole: Whole | None = None
        self._root = str(root)
        self._rules = rules
        self._clock = clock
        self._believed = 0
        """What changed before this moment cannot change again and look the same."""
        self._git = git_folder(root)
        self._exclude: RulesFile | None = None
        self._start = Place()
        self._tracked: Tracked | None = None
        self._tracked_stamp: Signature | None = None

    def look(self, only: Collection[str] | None = None) -> None:
        """Look at every file, or only at these and what lies around them; nothing is read yet."""
        self._believed = self._clock() - SETTLED_NS
        self._read_git()
        known = self.folders
        asked = list(known) if only is None else _around(only, known)
        stale = self.second.stale([known[folder] for folder in asked], _is_as_it_was)
        if known and not stale and known[""].place == self._start:
            return
        self._whole = None
        folders: dict[str, SeenFolder] = {}
        pending = [self._start]
        while pending:
            place = pending.pop()
            seen = known.get(place.folder)
            if seen is None or place.folder in stale or seen.place != place:
                seen = self._list(place, seen)
            folders[place.folder] = seen
            pending += seen.listing.folders
        self.folders = folders

    def total_bytes(self) -> int:
        """Of all files that would be read or were read before."""
        if self._whole is not None and all(seen.found is seen.known for seen in self.folders.values()):
            return self._whole.total_bytes
        return sum(size for _, size in self.sizes())

    def sizes(self) -> Iterator[tuple[str, int]]:
        return (one for seen in self.folders.values() for one in seen.sizes())

    def read(self) -> Whole:
        """Read what changed since it was read before."""
        for seen in self.folders.values():
            if seen.found is not seen.known:
                seen.read(self._believed)
                self._whole = None
        if self._whole is None:
            entries: dict[str, Entry] = {}
            left_out: set[str] = set()
            for seen in self.folders.values():
                entries |= seen.entries
                left_out.update(seen.left_out, seen.listing.left_out)
            digests = {folder: seen.digest for folder, seen in self.folders.items() if seen.entries}
            total = sum(entry.size for entry in entries.values())
            self._whole = Whole(MappingProxyType(entries), digests, frozenset(left_out), total)
        return self._whole

    def forget(self, path: str) -> None:
        """Read this file again the next time: it has not the content that was expected."""
        with self.lock:
            if seen := self.folders.get(path.rpartition("/")[0]):
                seen.known = [None] * len(seen.known)

    def ignores(self, path: str) -> bool:
        """Whether git ignores a file that comes along all the same."""
        folder, _, name = path.rpartition("/")
        seen = self.folders.get(folder)
        return seen is not None and name in seen.listing.if_small

    def takes_buffer(self, path: str) -> bool:
        """The same rules for an open editor buffer, whose file may not be on disk."""
        parts = path.split("/")
        if not {"", ".", ".."}.isdisjoint(parts):
            raise ValueError(f"not a path inside the workspace: {path!r}")
        listing = self.folders[""].listing
        for depth, name in enumerate(parts[:-1], 1):
            folder = "/".join(parts[:depth])
            if seen := self.folders.get(folder):
                listing = seen.listing
                continue
            place = self._rules.enter(listing, folder, name)
            if place is None:
                return False
            listing = self._rules.arrive(place, frozenset())
        return self._rules.file(listing, path, parts[-1], self._tracks).startswith("take")

    def _tracks(self, path: str) -> bool:
        """Whether git tracks it. Its index is read when this is asked first: few projects need it."""
        if self._tracked is None:
            self._tracked_stamp = self._stamp(self._git.index)
            self._tracked = read_tracked(self._git.index)
        return self._tracked.has(path)

    def _list(self, place: Place, seen: SeenFolder | None) -> SeenFolder:
        where = f"{self._root}/{place.folder}" if place.folder else self._root
        stamp = self._stamp(where)
        files: list[str] = []
        folders: list[str] = []
        try:
            with os.scandir(where) as scan:
                for item in scan:
                    if item.is_dir(follow_symlinks=False):
                        folders.append(item.name)
                    elif item.is_file(follow_symlinks=False) or item.is_symlink():
                        files.append(item.name)
        except OSError:
            nothing = Listing(place, left_out=(f"{place.folder}/",))
            return SeenFolder(place, nothing, [where], [None], None, [], [], [], {})
        own_rules = None
        inside = place
        if IGNORE_FILE in files and not place.closed:
            own_rules = self._rules_file(f"{where}/{IGNORE_FILE}", seen.own_rules if seen else None)
            if own_rules is not None:
                inside = replace(place, rules=place.rules.below(place.folder, own_rules.rules))
        listing = self._rules.look(inside, files, folders, self._tracks)
        paths = [f"{where}/{name}" for name in listing.files]
        before = dict(zip(seen.where, seen.known, strict=True)) if seen else {}
        known = [before.get(path) for path in paths]
        found = [look_at(path) for path in paths]
        marks, stamps = [where], [stamp]
        if own_rules is not None:
            marks, stamps = [where, f"{where}/{IGNORE_FILE}"], [stamp, own_rules.stamp]
        entries = seen.entries if seen else {}
        return SeenFolder(place, listing, marks, stamps, own_rules, paths, known, found, entries)

    def _read_git(self) -> None:
        exclude = self._rules_file(self._git.exclude, self._exclude)
        if (exclude and exclude.rules) is not (self._exclude and self._exclude.rules):
            self._start = Place(rules=Ignored().below("", exclude.rules)) if exclude else Place()
        self._exclude = exclude
        stamp, before = self._tracked_stamp, self._tracked
        if before is None or (stamp is not None and look_at(self._git.index) == stamp):
            return
        self._tracked_stamp = self._stamp(self._git.index)
        self._tracked = read_tracked(self._git.index)
        if self._tracked != before:
            for seen in self.folders.values():
                seen.stamps = [None] * len(seen.stamps)

    def _rules_file(self, where: str, before: RulesFile | None) -> RulesFile | None:
        """The same rules object while the content is the same, so that folders below need no new listing."""
        stamp = self._stamp(where)
        if before and stamp is not None and stamp == before.stamp:
            return before
        try:
            with open_file(where) as file:
                content = file.read(MAX_BYTES)
        except OSError:
            content = b""
        same = before is not None and before.content == content
        return RulesFile(stamp, content, before.rules if before and same else IgnoreRules(content))

    def _stamp(self, where: str) -> Signature | None:
        """What something looks like now; None when that says nothing about later."""
        found = look_at(where)
        return found if found and max(found[0], found[1]) < self._believed else None


def _is_as_it_was(seen: SeenFolder) -> bool:
    """Compare with what is there now; False when the folder must be listed again."""
    try:
        # Only loops of C in these two lines: they are what a look at an unchanged workspace costs.
        if not all(map(eq, map(signature, map(os.lstat, seen.marks)), seen.stamps)):
            return False
        found: list[Signature | None] = list(map(signature, map(os.lstat, seen.where)))
    except OSError:
        return False
    seen.found = seen.known if found == seen.known else found
    return True


def _around(paths: Collection[str], known: Collection[str]) -> set[str]:
    """The folders in which these paths lie, and all below one that is named itself."""
    folders: set[str] = set()
    for path in paths:
        if path in known:
            folders |= {folder for folder in known if folder == path or folder.startswith(f"{path}/")}
        while path:
            path = path.rpartition("/")[0]
            folders.add(path)
    return folders.intersection(known)
