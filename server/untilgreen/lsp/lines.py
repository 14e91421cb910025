"""Lines as the protocol counts them: `\\r\\n`, `\\n` and `\\r` end a line, nothing else does."""

from __future__ import annotations

import re
from typing import Literal

from lsprotocol import types as lsp

Encoding = Literal["utf-8", "utf-16", "utf-32"]

# str.splitlines also splits at form feed, U+0085, U+2028 and others, and then every later line is off by one.
_LINE_END = re.compile(r"\r\n|\n|\r")


def split_lines(text: str) -> list[str]:
    """The lines without their ends; always one more than there are line ends."""
    return _LINE_END.split(text)


def newline_of(text: str) -> str:
    """The first line end of a text, `\\n` when it has none."""
    found = _LINE_END.search(text)
    return found.group() if found else "\n"


def with_newlines(text: str, newline: str) -> str:
    """The same lines, each ended alike."""
    return _LINE_END.sub(lambda _: newline, text)


def width(line: str, encoding: Encoding) -> int:
    """How many of the client's units a line has."""
    if encoding == "utf-8":
        return len(line.encode("utf-8", "surrogatepass"))
    if encoding == "utf-16":
        return len(line.encode("utf-16-le", "surrogatepass")) // 2
    return len(line)


def line_range(lines: list[str], number: int, encoding: Encoding) -> lsp.Range:
    """The code on a 1-based line, without its indentation; the nearest line when there is no such one."""
    index = min(max(number, 1), len(lines)) - 1
    line = lines[index]
    indentation = line[: len(line) - len(line.lstrip())]
    return lsp.Range(
        start=lsp.Position(line=index, character=width(indentation, encoding)),
        end=lsp.Position(line=index, character=width(line, encoding)),
    )
