"""From the parser's lines and UTF-8 columns to characters of the text."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right

_LINE_END = re.compile(r"\r\n|\r|\n")
BYTE_ORDER_MARK = "\ufeff"


class Offsets:
    """Where lines and nodes of one text are."""

    def __init__(self, text: str) -> None:
        first = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
        self._text = text
        self.starts = [first, *(found.end() for found in _LINE_END.finditer(text))]
        ends = [found.start() for found in _LINE_END.finditer(text)]
        self.ends = [*ends, len(text)]
        self._is_ascii = text[first:].isascii()

    def at(self, line: int, column: int) -> int:
        """The character at a line (1-based) and a column that counts bytes."""
        start = self.starts[line - 1]
        if self._is_ascii:
            return start + column
        whole = self._text[start : self.ends[line - 1]]
        if whole.isascii():
            return start + column
        return start + len(whole.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "surrogatepass"))

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg | ast.ExceptHandler) -> tuple[int, int]:
        """From the first to behind the last character of a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def line_of(self, offset: int) -> int:
        """The line that holds a character, 1-based."""
        return bisect_right(self.starts, offset) or 1
