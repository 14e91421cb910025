"""Texts of open documents as the bytes that the editor would save. Pure, but for reading what is saved."""

from __future__ import annotations

import codecs
import tokenize
from io import BytesIO
from pathlib import Path

from untilgreen.intent import content_of

_BOM = codecs.BOM_UTF8


def buffer_bytes(text: str, on_disk: bytes | None) -> bytes | None:
    """A buffer as the editor would save it; None when the file is in an encoding only the editor knows."""
    encoding = "utf-8" if on_disk is None else encoding_of(on_disk)
    if encoding is None:
        return None
    if encoding != "utf-8":
        try:
            return text.encode(encoding)
        except UnicodeEncodeError:
            return None
    data = text.encode("utf-8", "surrogatepass")
    marked = on_disk is not None and on_disk.startswith(_BOM) and not data.startswith(_BOM)
    return _BOM + data if marked else data


def encoding_of(data: bytes) -> str | None:
    """UTF-8, or what the file itself says in its first lines; None when neither fits."""
    for name in ("utf-8", _declared(data)):
        if name is not None:
            try:
                data.decode(name)
            except UnicodeDecodeError:
                continue
            return name
    return None


def saved(path: Path) -> bytes | None:
    """What is on disk; None also for what is not a plain file, such as a link that somebody opened."""
    try:
        return content_of(path)
    except OSError:
        return None


def same(one: bytes | None, other: bytes | None) -> bool:
    """The same lines: an editor keeps its own line ends and marks, whatever it was sent."""
    if one is None or other is None or one == other:
        return one == other
    return _bare(one) == _bare(other)


def _bare(data: bytes) -> bytes:
    return data.removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _declared(data: bytes) -> str | None:
    try:
        return tokenize.detect_encoding(BytesIO(data).readline)[0]
    except SyntaxError:
        return None
