"""The workspace as the search sees it: the snapshot with a base laid over it, and what may be changed."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from untilgreen.model import FileChange, Patch
from untilgreen.workspace import Snapshot

MAX_BYTES = 400_000
"""Of one file; what is longer was hardly written by hand."""
_BOM = "\ufeff"
_TEST_FOLDERS = frozenset({"tests", "test", "testing"})
_TEST_NAMES = ("test_*.py", "*_test.py", "test.py", "tests.py", "conftest.py")
_SET_UP_NAMES = ("setup.py", "noxfile.py", "manage.py", "sitecustomize.py", "usercustomize.py")


class Tree:
    """Reads each file once. The guard has the last word on what a patch may touch; this saves its time."""

    def __init__(self, snapshot: Snapshot, base: Patch, test_files: Iterable[str]) -> None:
        self.base = base
        self._snapshot = snapshot
        self._test_files = frozenset(test_files)
        self._texts: dict[str, str | None] = {}

    def on(self, base: Patch) -> Tree:
        """The same workspace with another patch laid over it."""
        return Tree(self._snapshot, base, self._test_files)

    def text(self, path: str) -> str | None:
        """With plain line ends; None for what is not there, too long, or no text."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def may_change(self, path: str) -> bool:
        parts = PurePosixPath(path).parts
        if not path.endswith(".py") or path in self._test_files or not self._snapshot.exists(path):
            return False
        if self._snapshot.entries[path].kind == "link" or any(part.startswith(".") for part in parts):
            return False
        names = (*_TEST_NAMES, *_SET_UP_NAMES)
        named = any(fnmatchcase(parts[-1].lower(), pattern) for pattern in names)
        return not named and not any(part.lower() in _TEST_FOLDERS for part in parts[:-1])

    def sources(self) -> tuple[str, ...]:
        """All files that may be changed."""
        return tuple(path for path in sorted(self._snapshot.entries) if self.may_change(path))

    def patched(self, path: str, text: str) -> Patch:
        """The base, and this file with this text."""
        entry = self._snapshot.entries[path]
        files = {**self.base.files, path: FileChange(self._encoded(path, text), entry.mode)}
        return Patch(files)

    def _read(self, path: str) -> str | None:
        try:
            text = self._content(path).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        return text.removeprefix(_BOM).replace("\r\n", "\n") if len(text) <= MAX_BYTES else None

    def _content(self, path: str) -> bytes:
        change = self.base.files.get(path)
        if change is None:
            return self._snapshot.read(path)
        if change.content is None:
            raise FileNotFoundError(path)
        return change.content

    def _encoded(self, path: str, text: str) -> bytes:
        """As the file was before: its line ends and its byte order mark stay."""
        before = self._content(path).decode("utf-8")
        if "\r\n" in before:
            text = text.replace("\n", "\r\n")
        return (_BOM + text if before.startswith(_BOM) else text).encode("utf-8")
