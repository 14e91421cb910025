"""A patch as a unified diff, in the form that `git apply` and `patch` read."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

from untilgreen.model import FileChange, Patch

NO_NEWLINE = "\\ No newline at end of file\n"


def unified_diff(before: Callable[[str], bytes | None], patch: Patch) -> str:
    """All files of the patch in order of their paths; what stays the same is not named.

    Bytes that are not UTF-8 become lone surrogates: encode the text with "surrogateescape" to get them back.
    """
    return "".join("".join(_file(path, before(path), change)) for path, change in patch)


def _file(path: str, old: bytes | None, change: FileChange) -> Iterator[str]:
    new = change.content
    if old == new:
        return
    a, b = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    yield f"diff --git {a} {b}\n"
    if old is None:
        yield f"new file mode {'100755' if change.mode & 0o111 else '100644'}\n"
    elif new is None:
        yield "deleted file mode 100644\n"
    name_a = "/dev/null" if old is None else a
    name_b = "/dev/null" if new is None else b
    if b"\0" in (old or b"") or b"\0" in (new or b""):
        yield f"Binary files {name_a} and {name_b} differ\n"
        return
    hunks = list(difflib.unified_diff(_lines(old or b""), _lines(new or b"")))[2:]
    if not hunks:
        return
    # As git does: a tab ends a name that holds a space.
    yield f"--- {name_a}{_end(name_a)}\n"
    yield f"+++ {name_b}{_end(name_b)}\n"
    for line in hunks:
        yield line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}"


def _lines(data: bytes) -> list[str]:
    """Lines with their ends, split at \\n and nowhere else: \\r, \\f and U+2028 belong to the line."""
    *lines, last = data.decode("utf-8", "surrogateescape").split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _quoted(name: str) -> str:
    """A name as git writes it: in quotes when it holds a quote, a backslash or a control character."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    if not any(char in escapes or ord(char) < 32 or ord(char) == 127 for char in name):
        return name
    escaped = (
        escapes.get(char) or (f"\\{ord(char):03o}" if ord(char) < 32 or ord(char) == 127 else char)
        for char in name
    )
    return f'"{"".join(escaped)}"'


def _end(name: str) -> str:
    return "\t" if " " in name and not name.startswith('"') else ""
