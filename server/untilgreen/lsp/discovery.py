"""Which tests a workspace has, read from its texts and never run: for lenses, stubs and the test tree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from untilgreen.lsp.places import Place, is_test_file, places_in
from untilgreen.workspace.copied import CACHES, ENVIRONMENT, FOREIGN, VERSION_CONTROL

MOST_FILES = 5000
"""Test files that are looked at; whoever has more finds the rest by opening or running them."""
LARGEST_FILE = 1 << 20


@dataclass(slots=True)
class _Folder:
    files: dict[str, tuple[Place, ...]] = field(default_factory=dict)
    looked: bool = False


class Discovery:
    """The tests of each workspace folder, as far as they are known."""

    def __init__(self) -> None:
        self._folders: dict[Path, _Folder] = {}

    def looked_at(self, root: Path) -> bool:
        return root in self._folders and self._folders[root].looked

    def learn(self, root: Path, found: Mapping[str, tuple[Place, ...]]) -> None:
        """What `look` found; texts that are open know better."""
        folder = self._folders.setdefault(root, _Folder())
        folder.files = dict(found) | folder.files
        folder.looked = True

    def see(self, root: Path, path: str, text: str, *, has_tests: bool = False) -> bool:
        """One text as it is now; true when the tests in it are others than before."""
        if not (has_tests or is_test_file(path)):
            return False
        files = self._folders.setdefault(root, _Folder()).files
        before, now = files.get(path, ()), places_in(text)
        if not now and before and text.strip():
            # In the middle of typing a text has no tests for a moment.
            return False
        files[path] = now
        return [place.name for place in before] != [place.name for place in now]

    def forget(self, root: Path) -> None:
        self._folders.pop(root, None)

    def files(self, root: Path) -> Mapping[str, tuple[Place, ...]]:
        return self._folders.get(root, _Folder()).files

    def reaching(self, root: Path, names: Iterable[str]) -> tuple[str, ...]:
        """Ids of tests that name one of these."""
        wanted = frozenset(names)
        return tuple(
            f"{path}::{place.name}"
            for path, places in sorted(self.files(root).items())
            for place in places
            if not wanted.isdisjoint(place.names)
        )


def look(root: Path) -> dict[str, tuple[Place, ...]]:
    """All test files of a folder, by name. Blocking: call it in a thread."""
    found: dict[str, tuple[Place, ...]] = {}
    for folder, folders, files in os.walk(root):
        if folder != str(root) and not ENVIRONMENT.isdisjoint([*files, *folders]):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not _is_foreign(name))
        for name in sorted(files):
            if is_test_file(name) and (text := read_text(Path(folder, name))) is not None:
                found[Path(folder, name).relative_to(root).as_posix()] = places_in.__wrapped__(text)
                if len(found) == MOST_FILES:
                    return found
    return found


def read_text(path: Path) -> str | None:
    """A plain file of a sensible size; None for anything else."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST_FILE:
            return None
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return None


def _is_foreign(name: str) -> bool:
    return name.startswith(".") or name in VERSION_CONTROL | CACHES | FOREIGN
