"""What an editor makes of edits, actions and notices that a server sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cattrs import Converter
from lsprotocol import types as lsp

OWN_NOTICES = (
    "untilgreen/event",
    "untilgreen/status",
    "experimental/serverStatus",
    "experimental/discoveredTests",
    "experimental/changeTestState",
    "experimental/endRunTest",
)


def edited(text: str, edits: list[lsp.TextEdit]) -> str:
    """Whole-line edits as an editor applies them, with the line ends of the document."""
    eol = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(eol)
    for edit in sorted(edits, key=lambda edit: edit.range.start.line, reverse=True):
        start, end = edit.range.start, edit.range.end
        before = eol.join([*lines[: start.line], lines[start.line][: start.character]])
        after = eol.join([lines[end.line][end.character :], *lines[end.line + 1 :]])
        lines = (before + edit.new_text.replace("\r\n", "\n").replace("\n", eol) + after).split(eol)
    return eol.join(lines)


def command_or_action(converter: Converter) -> Callable[[Any, Any], lsp.Command | lsp.CodeAction]:
    def structure(item: Any, _: Any) -> lsp.Command | lsp.CodeAction:
        if isinstance(item["command"], str):
            return converter.structure(item, lsp.Command)
        return converter.structure(item, lsp.CodeAction)

    return structure
