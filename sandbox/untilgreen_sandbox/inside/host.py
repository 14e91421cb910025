"""The host, seen from the program inside: frames on standard input and output, and what they must hold."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import List, Optional, Tuple

from untilgreen_sandbox.inside import wire

HOST_IN, HOST_OUT = 0, 1
# The host sends whole files; the limit on what it copies is its own.
MAX_FILES = 1 << 30

Files = List[Tuple[str, Optional[bytes], int]]
_held: List[bytes] = []


class HostGone(Exception):
    """Nobody listens any more."""


def receive(at_end: Callable[[], None] = lambda: None) -> tuple[dict[str, object], bytes]:
    """The next message; `at_end` is called when there will be none, before that is raised."""
    try:
        head = _read(wire.HEADER.size)
    except HostGone:
        at_end()
        raise
    n_json, n_blob = wire.sizes(head, MAX_FILES)
    return wire.parse(_read(n_json)), _read(n_blob)


def _read(size: int) -> bytes:
    parts = []
    while size:
        part = os.read(HOST_IN, min(size, 1 << 20))
        if not part:
            raise HostGone
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def hold(message: dict[str, object], blob: bytes) -> None:
    """To be sent together with what comes next: on its way to the host each write wakes several processes.

    There may be more bytes than fit into one frame.
    """
    for at in range(0, len(blob), wire.MAX_BLOB):
        _held.append(wire.pack(message, blob[at : at + wire.MAX_BLOB]))


def send(message: dict[str, object], blob: bytes = b"") -> None:
    view = memoryview(b"".join((*_held, wire.pack(message, blob))))
    _held.clear()
    while view:
        view = view[os.write(HOST_OUT, view) :]


def text(message: dict[str, object], name: str) -> str:
    value = message[name]
    if not isinstance(value, str):
        raise ValueError("%s is not a text" % name)
    return value


def names(message: dict[str, object], name: str) -> list[str]:
    value = message[name]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("%s is not a list of texts" % name)
    return value


def fields(message: dict[str, object], name: str) -> dict[str, object]:
    value = message[name]
    if not isinstance(value, dict):
        raise ValueError("%s is not an object" % name)
    return value


def files(message: dict[str, object], blob: bytes) -> Files:
    """The files of a request: `[path, mode, size or null]` each, their bytes one after the other."""
    listed = message.get("files")
    if not isinstance(listed, list):
        raise ValueError("files is not a list")
    files: Files = []
    at = 0
    for path, mode, size in listed:
        files.append((path, None if size is None else blob[at : at + size], mode))
        at += size or 0
    if at != len(blob):
        raise ValueError("sizes and bytes do not agree")
    return files
