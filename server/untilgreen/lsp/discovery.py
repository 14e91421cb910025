"""Which tests a workspace has, read from its texts and never run: for lenses, stubs and the test tree."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from untilgreen.lsp.places import Place, is_test_file, tests_in
from untilgreen.workspace.copied import CACHES, ENVIRONMENT, FOREIGN, VERSION_CONTROL

MOST_FILES = 5000
"""Test files that are looked at; whoever has more finds the rest by opening or running them."""
MOST_FOLDERS = 20_000
LARGEST_FILE = 1 << 20


class Discovery:
    """The tests of each workspace folder, as far as they are known."""

    def __init__(self) -> None:
        self._folders: dict[Path, dict[str, tuple[Place, ...]]] = {}
        self._looked: set[Path] = set()

    def looked_at(self, root: Path) -> bool:
        return root in self._looked

    def learn(
        self, root: Path, found: Mapping[str, tuple[Place, ...]], open_now: Collection[str]
    ) -> list[str]:
        """What `look` found; texts that are open know better. Which files have other tests than before."""
        before = self._folders.get(root, {})
        kept = [path for path in before if path in open_now or not is_test_file(path)]
        now = {**found, **{path: before[path] for path in kept}}
        self._folders[root] = now
        self._looked.add(root)
        return [path for path in {**before, **now} if _names(before.get(path)) != _names(now.get(path))]

    def see(self, root: Path, path: str, text: str, *, has_tests: bool = False) -> bool:
        """One text as it is now; true when the tests in it are others than before."""
        if not (has_tests or is_test_file(path)):
            return False
        now = tests_in(text)
        if now is None:
            # In the middle of typing a text has no tests for a moment.
            return False
        files = self._folders.setdefault(root, {})
        before, files[path] = files.get(path), now
        return _names(before) != _names(now)

    def lose(self, root: Path, path: str) -> bool:
        """A file is gone; true when it had tests."""
        return bool(self._folders.get(root, {}).pop(path, ()))

    def forget(self, root: Path) -> None:
        self._folders.pop(root, None)
        self._looked.discard(root)

    def files(self, root: Path) -> Mapping[str, tuple[Place, ...]]:
        return self._folders.get(root, {})

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
    for n, (folder, folders, files) in enumerate(os.walk(root)):
        if n == MOST_FOLDERS:
            return found
        if folder != str(root) and not ENVIRONMENT.isdisjoint([*files, *folders]):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not _is_foreign(name))
        for name in sorted(files):
            if is_test_file(name) and (text := read_text(Path(folder, name))) is not None:
                found[Path(folder, name).relative_to(root).as_posix()] = tests_in.__wrapped__(text) or ()
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


def _names(places: tuple[Place, ...] | None) -> list[str]:
    return [place.name for place in places or ()]
