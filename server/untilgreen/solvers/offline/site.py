"""The pieces of a file that are repaired one at a time: its outermost functions, and what is around them."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.layout import Layout
from untilgreen.solvers.offline.offsets import BYTE_ORDER_MARK, Offsets
from untilgreen.trees import tree_of

if TYPE_CHECKING:
    from untilgreen.solvers.offline.view import View

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Site:
    """One function of a module or class; or, without a name, all code that runs when the file is imported:
    statements of modules and classes, decorators, defaults."""

    __slots__ = (
        "end",
        "first_line",
        "last_line",
        "layout",
        "name",
        "node",
        "offsets",
        "path",
        "start",
        "text",
        "tree",
        "view",
    )

    def __init__(self, path: str, name: str, layout: Layout, node: Function | ast.Module) -> None:
        self.path = path
        self.name = name
        self.layout = layout
        self.text = text = layout.text
        self.tree = layout.tree
        self.offsets = offsets = layout.offsets
        self.node = node
        self.view: View | None = None
        """What templates last saw of it; kept because tiers are asked for one after the other."""
        if isinstance(node, ast.Module):
            self.first_line, self.last_line = 1, len(offsets.starts)
            self.start, self.end = 0, len(text)
        else:
            assert node.end_lineno is not None
            self.first_line = min((one.lineno for one in node.decorator_list), default=node.lineno)
            self.last_line = node.end_lineno
            self.start = offsets.starts[self.first_line - 1]
            self.end = offsets.starts[self.last_line] if self.last_line < len(offsets.starts) else len(text)

    def source_of(self, edit: Edit) -> str:
        """The whole new text of the function as it would stand in the file; of the file without a name."""
        return self.text[self.start : edit.start] + edit.text + self.text[edit.end : self.end]

    def stands(self, node: ast.expr) -> bool:
        """Whether the text where a node should be is that node."""
        try:
            start, end = self.offsets.span(node)
        except (IndexError, UnicodeDecodeError):
            return False
        tree = parse(f"({self.text[start:end]})")
        found = tree.body[0] if tree is not None and len(tree.body) == 1 else None
        return isinstance(found, ast.Expr) and ast.dump(found.value) == ast.dump(node)


def sites(path: str, text: str) -> tuple[Site, ...]:
    """All of a file, functions first; nothing when it cannot be parsed."""
    tree = parse(text)
    if tree is None:
        return ()
    layout = Layout(text, tree, Offsets(text))
    found = [Site(path, name, layout, node) for name, node in _functions(tree.body, "")]
    return (*found, Site(path, "", layout, tree))


def parse(text: str) -> ast.Module | None:
    """What is broken is no error here: there is nothing to repair in small steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return tree_of(text.removeprefix(BYTE_ORDER_MARK))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")
        else:
            for field in ("body", "orelse", "finalbody"):
                inner = getattr(node, field, None)
                if isinstance(inner, list):
                    yield from _functions(inner, prefix)
            for handler in getattr(node, "handlers", ()):
                yield from _functions(handler.body, prefix)
