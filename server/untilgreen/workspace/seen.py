"""One folder as it was at the last look: its files, what they looked like, what was in them."""

from __future__ import annotations

import contextlib
import os
import stat
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from operator import attrgetter

from untilgreen.model import Entry
from untilgreen.workspace.content import digest_and_size, digest_of
from untilgreen.workspace.copied import IGNORED_BYTES, Listing, Place
from untilgreen.workspace.ignored import IgnoreRules

Signature = tuple[int, int, int, int, int]
"""Time of change of content and of anything, inode, size, mode."""
signature: Callable[[os.stat_result], Signature] = attrgetter(
    "st_mtime_ns", "st_ctime_ns", "st_ino", "st_size", "st_mode"
)


@dataclass(frozen=True, slots=True)
class RulesFile:
    """A .gitignore file, or another one like it."""

    stamp: Signature | None
    """None when it must be read again the next time."""
    content: bytes
    rules: IgnoreRules


@dataclass(slots=True)
class SeenFolder:
    """Between a look and the reading, `found` is what is there and `known` what was read before."""

    place: Place
    listing: Listing
    marks: list[str]
    """Full paths of the folder itself and of its .gitignore file."""
    stamps: list[Signature | None]
    """What those looked like; None when the listing must not be believed the next time."""
    own_rules: RulesFile | None
    where: list[str]
    """Full paths of the listing's files."""
    known: list[Signature | None]
    """What each file looked like when it was read; None when it must be read again."""
    found: list[Signature | None]
    """What each file looks like now; None when it is gone. The same object as `known` when all was read."""
    entries: dict[str, Entry]
    left_out: tuple[str, ...] = ()
    """What the listing took and is too large or cannot be read."""
    digest: str = ""
    _packed: tuple[object, object, bytes | None] | None = None

    def digest_of_looks(self) -> bytes | None:
        """Of what the marks and the files looked like; None when that is not known of all."""
        if self._packed is None or self._packed[0] is not self.stamps or self._packed[1] is not self.known:
            known = [*self.stamps, *self.known]
            self._packed = (self.stamps, self.known, None)
            with contextlib.suppress(OverflowError):
                told = [look for look in known if look is not None]
                if len(told) == len(known):
                    looks = array("q", chain.from_iterable(told))
                    self._packed = (*self._packed[:2], blake2b(looks, digest_size=16).digest())
        return self._packed[2]

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Path and size of each file that is taken, before it is read."""
        if self.found is self.known:
            yield from ((path, entry.size) for path, entry in self.entries.items())
            return
        for path, now in zip(self._paths(), self.found, strict=True):
            size = None if now is None else self._size(path, now)
            if size is not None:
                yield path, size

    def read(self, believed: int) -> None:
        """Read what is not as it was, or changed too late to be believed."""
        entries: dict[str, Entry] = {}
        left_out: list[str] = []
        known: list[Signature | None] = []
        for path, where, now, before in zip(self._paths(), self.where, self.found, self.known, strict=True):
            known.append(now if now is not None and max(now[0], now[1]) < believed else None)
            if now is None:
                left_out.append(path)
            elif now == before and path in self.entries:
                entries[path] = self.entries[path]
            elif self._size(path, now) is None:
                left_out += [path] if stat.S_ISREG(now[4]) else []
            else:
                try:
                    entries[path] = _entry(where, now)
                except OSError:
                    known[-1] = None
                    left_out.append(path)
        self.entries, self.left_out = entries, tuple(left_out)
        self.known = self.found = known
        self.digest = digest_of_entries(entries)

    def _paths(self) -> Iterator[str]:
        prefix = f"{self.place.folder}/" if self.place.folder else ""
        return (prefix + name for name in self.listing.files)

    def _size(self, path: str, now: Signature) -> int | None:
        """None when it is not taken."""
        if stat.S_ISLNK(now[4]):
            return 0
        small = now[3] <= IGNORED_BYTES or path.rpartition("/")[2] not in self.listing.if_small
        return now[3] if stat.S_ISREG(now[4]) and small else None


def look_at(where: str) -> Signature | None:
    """What something looks like now; None when it is not there."""
    try:
        return signature(os.lstat(where))
    except OSError:
        return None


def digest_of_entries(entries: dict[str, Entry]) -> str:
    """Of all paths, modes and contents in one folder."""
    lines = [f"{path}\0{one.kind}\0{one.mode}\0{one.digest}\n" for path, one in sorted(entries.items())]
    return digest_of("".join(lines).encode())


def _entry(where: str, now: Signature) -> Entry:
    mode = now[4]
    if stat.S_ISLNK(mode):
        return Entry("link", mode & 0o777, 0, digest_of(os.fsencode(os.readlink(where))))  # noqa: PTH115
    digest, size = digest_and_size(where, now[3])
    return Entry("file", mode & 0o777, size, digest)
