"""What tests print, made safe for a terminal, an editor and a model."""

from __future__ import annotations

import re

# Operating system commands (clipboard, titles), device strings, then colours and cursor moves.
_SEQUENCES = re.compile(
    r"\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|[\x1b\x9b]\[?[0-?]*[ -/]*[@-~]"
)
# Text direction overrides and isolates, zero-width marks, line and paragraph separators, and halves of
# characters, which no file and no channel takes.
_INVISIBLE = re.compile(
    "[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]|[\U000e0000-\U000e007f]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def clean(text: str) -> str:
    """The text without escape sequences; other control and invisible characters become visible."""
    if text.isascii() and text.isprintable():
        return text  # As nearly all of it is, and a run tells much.
    text = text.replace("\r\n", "\n")
    text = _SEQUENCES.sub("", text)
    text = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
