"""How statements lie in the lines of a file."""

from __future__ import annotations

import ast
import re

from untilgreen.solvers.offline.offsets import Offsets

_REST_OF_LINE = re.compile(r"[ \t\f]*(#[^\r\n]*)?")
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


class Layout:
    """Of one file."""

    def __init__(self, text: str, tree: ast.Module, offsets: Offsets) -> None:
        self.text = text
        self.offsets = offsets
        ending = re.search(r"\r\n|\r|\n", text)
        self.newline = ending.group() if ending else "\n"
        self.tree = tree
        self._strings: frozenset[int] | None = None
        self._unit: str | None = None
        self._lying: dict[int, tuple[int, int, str] | None] = {}

    @property
    def unit(self) -> str:
        """One step of indentation."""
        if self._unit is None:
            self._unit = self._find_unit()
        return self._unit

    def lines(self, node: ast.stmt) -> tuple[int, int, str] | None:
        """First and last offset of the lines that hold a statement and nothing else, and its indentation.

        None when it shares a line with others: `if x: y`, `a; b`, `elif`."""
        if id(node) not in self._lying:
            self._lying[id(node)] = self._find_lines(node)
        return self._lying[id(node)]

    def reindent(self, start: int, end: int, old: str, new: str) -> str:
        """The lines between two offsets moved in or out; what is inside of strings stays."""
        moved = []
        position = start
        frozen = self._inside_strings()
        while position < end:
            found = _LINES.match(self.text, position)
            assert found is not None
            line = found.group()
            number = self.offsets.line_of(position)
            if number not in frozen and line.startswith(old) and line.strip():
                line = new + line[len(old) :]
            moved.append(line)
            position = found.end()
        return "".join(moved)

    def _find_lines(self, node: ast.stmt) -> tuple[int, int, str] | None:
        start, stop = self.offsets.span(node)
        for decorator in getattr(node, "decorator_list", ()):
            start = min(start, self.text.rindex("@", 0, self.offsets.span(decorator)[0]))
        if isinstance(node, ast.If) and self.text.startswith("elif", start):
            return None
        number = self.offsets.line_of(start)
        first = self.offsets.starts[number - 1]
        indent = self.text[first:start]
        if indent.strip(" \t\f") or (number > 1 and self._goes_on(number - 1)):
            return None
        rest = _REST_OF_LINE.match(self.text, stop)
        assert rest is not None
        number = self.offsets.line_of(stop)
        if rest.end() != self.offsets.ends[number - 1]:
            return None
        last = self.offsets.starts[number] if number < len(self.offsets.starts) else len(self.text)
        return first, last, indent.rpartition("\f")[2]

    def _goes_on(self, number: int) -> bool:
        return self.text.endswith("\\", 0, self.offsets.ends[number - 1])

    def _inside_strings(self) -> frozenset[int]:
        """Lines that begin inside of a string."""
        if self._strings is None:
            found: set[int] = set()
            waiting: list[ast.AST] = [self.tree]
            while waiting:
                node = waiting.pop()
                if isinstance(node, ast.Constant | ast.JoinedStr):
                    assert node.end_lineno is not None
                    found.update(range(node.lineno + 1, node.end_lineno + 1))
                else:
                    waiting += ast.iter_child_nodes(node)
            self._strings = frozenset(found)
        return self._strings

    def _find_unit(self) -> str:
        for node in ast.walk(self.tree):
            body = getattr(node, "body", None)
            if isinstance(node, ast.stmt) and isinstance(body, list) and body:
                outside, inside = self.lines(node), self.lines(body[0])
                if outside and inside and inside[2].startswith(outside[2]) and inside[2] != outside[2]:
                    return inside[2][len(outside[2]) :]
        return "    "
