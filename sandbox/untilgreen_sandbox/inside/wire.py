"""Frames between the host and the program inside: two lengths, a JSON object, raw bytes.

Both ends use this file, and neither trusts the other: sizes and depth are limited before anything is kept.
"""

from __future__ import annotations

import json
import struct

HEADER = struct.Struct("!II")
MAX_JSON = 8 << 20
MAX_BLOB = 1 << 20
MAX_DEPTH = 24


class BadFrame(ValueError):
    """The other side sent what is not allowed."""


def pack(message: dict[str, object], blob: bytes = b"") -> bytes:
    body = json.dumps(message).encode("ascii")
    return HEADER.pack(len(body), len(blob)) + body + blob


def sizes(header: bytes, max_blob: int = MAX_BLOB) -> tuple[int, int]:
    """The lengths a header announces, refused when over the limits."""
    n_json, n_blob = HEADER.unpack(header)
    if n_json > MAX_JSON or n_blob > max_blob:
        raise BadFrame("a frame of %d + %d bytes is over the limit" % (n_json, n_blob))
    return n_json, n_blob


def parse(body: bytes) -> dict[str, object]:
    """One JSON object, not nested deeper than any of ours."""
    try:
        message = json.loads(str(body, "utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadFrame("not JSON: %s" % error) from None
    if not isinstance(message, dict):
        raise BadFrame("not a JSON object")
    # Nothing is nested deeper than it has brackets; few messages have so many.
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH and _deeper_than(message, MAX_DEPTH):
        raise BadFrame("nested too deeply")
    return message


def _deeper_than(value: object, depth: int) -> bool:
    if isinstance(value, dict):
        return depth == 0 or any(_deeper_than(item, depth - 1) for item in value.values())
    if isinstance(value, list):
        return depth == 0 or any(_deeper_than(item, depth - 1) for item in value)
    return False
