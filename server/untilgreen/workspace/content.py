"""The bytes of a file: opened without surprises, and digested in one way everywhere."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from pathlib import Path

# These flags are zero where a system does not know them.
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
)
_PIECE = 1 << 20


def digest_of(content: bytes) -> str:
    """The digest of every file, link and snapshot."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def open_file(path: Path | str) -> io.FileIO:
    """Open a regular file; a link or a pipe that took its place is an OSError, not a way out or a hang."""
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"not a regular file: {path}")
    return open(descriptor, "rb", buffering=0)  # noqa: PTH123 - a descriptor has no path


def read_file(path: str) -> bytes:
    """The whole of a regular file, with as few calls as can be: a workspace has many thousands."""
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"not a regular file: {path}")
        content = os.read(descriptor, status.st_size + 1)
        if len(content) == status.st_size:
            return content
        # It grew, shrank, or is longer than one call gives.
        parts = [content]
        while parts[-1]:
            parts.append(os.read(descriptor, _PIECE))
        return b"".join(parts)
    finally:
        os.close(descriptor)


def digest_and_size(path: str, size: int) -> tuple[str, int]:
    """Of the file's content as it is read; one that should be large goes through in pieces."""
    if size < _PIECE:
        content = read_file(path)
        return digest_of(content), len(content)
    with open_file(path) as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
        return digest.hexdigest(), file.tell()
