"""Reading a project's own files: regular ones, of the workspace, and not without end."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from pathlib import Path

from untilgreen.workspace import open_file

FILE_BYTES = 16 << 20

Read = Callable[[str], bytes | None]
"""The bytes of a workspace-relative file; None when there is none, OSError when it may not be read."""


class Unreadable(Exception):
    """Why a file is passed over; reads on after a comma."""


def reader(root: Path) -> Read:
    """Reads regular files of the workspace; what leads out of it is an OSError."""

    def read(path: str) -> bytes | None:
        full = Path(os.path.realpath((root / path).parent)) / posixpath.basename(path)
        if not full.is_relative_to(os.path.realpath(root)):
            raise OSError("it lies outside of the workspace")
        try:
            with open_file(full) as file:
                content = file.read(FILE_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if len(content) > FILE_BYTES:
            raise OSError(f"it is larger than {FILE_BYTES >> 20} MB")
        return content

    return read


def read_text(read: Read, path: str) -> str | None:
    """The text of a file; None when there is none."""
    try:
        content = read(path)
        return None if content is None else content.decode("utf-8-sig")
    except OSError as error:
        said = error.strerror or str(error)
        raise Unreadable(said[0].lower() + said[1:]) from error
    except ValueError as error:
        raise Unreadable("it is not UTF-8 text") from error
