"""Which folder a file belongs to, and how its uri and its path in that folder relate."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from pygls.uris import from_fs_path, to_fs_path

# A lone file's root is where one of these lies.
_MARKERS = ("pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", "tox.ini", ".git")


def is_wide(folder: Path) -> bool:
    """Where everything of a user or of a machine lies; nobody means all of it by opening one file there."""
    home = Path.home()
    places = {home, *home.parents, Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")}
    return folder in places and not any((folder / marker).exists() for marker in _MARKERS)


def around(path: Path, folders: Iterable[Path]) -> list[Path]:
    """The workspace folders that hold the path, the innermost first; without one, the nearest project."""
    found = [folder for folder in folders if path.is_relative_to(folder)]
    return sorted(found, key=lambda folder: -len(folder.parts)) or [_project_around(path)]


def _project_around(path: Path) -> Path:
    start = path if path.is_dir() else path.parent
    for candidate in (start, *start.parents):
        # A home folder under version control is not a project.
        if candidate == Path.home():
            break
        if any((candidate / marker).exists() for marker in _MARKERS):
            return candidate
    return start


@lru_cache(maxsize=4096)
def path_of(uri: str) -> Path | None:
    """The path of a file uri; None for documents that are not files."""
    path = to_fs_path(uri)
    return Path(path) if path else None


def uri_of(path: Path) -> str:
    return str(from_fs_path(str(path)))


def within(root: Path, path: Path) -> str | None:
    """The posix path relative to the root; None when it lies outside."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else None
