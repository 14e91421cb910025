"""Statements put in, taken out, moved: whole lines, indented as the file is."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement, is_text
from untilgreen.solvers.offline.view import View

LEAVING = ast.Return | ast.Raise | ast.Break | ast.Continue


def insert(
    view: View,
    statement: Statement,
    code: Sequence[str],
    template: str,
    cost: float,
    sentence: str,
    *,
    after: bool = False,
    tier: int = 2,
    risk: float = 1.5,
) -> Edit | None:
    """New lines before or behind a statement, each as deep as its leading tabs say.

    None where no line can be put."""
    lying = view.layout.lines(statement.node)
    if lying is None:
        return None
    start, end, indent = lying
    newline, unit = view.layout.newline, view.layout.unit
    lines = []
    for line in code:
        bare = line.lstrip("\t")
        lines.append(indent + unit * (len(line) - len(bare)) + bare)
    text = newline.join(lines)
    at = end if after else start
    if after and not view.source.endswith(("\n", "\r"), 0, end):
        text = newline + text
    else:
        text += newline
    # Behind a loop or branch, too: that its last line was never reached says nothing about what follows.
    number = statement.node.lineno
    return Edit(view.site.path, at, at, text, template, tier, cost, risk, sentence, number)


def takes_insertion(view: View, statement: Statement, after: bool) -> bool:
    """Where a new statement would run, and where it may stand."""
    node, index = statement.node, statement.index
    if view.layout.lines(node) is None:
        return False
    if after:
        return (
            index == len(statement.block) - 1
            and not isinstance(node, LEAVING)
            and not _is_first_only(node, index)
        )
    if _is_first_only(node, index) or isinstance(node, ast.Global | ast.Nonlocal):
        return False
    if index and isinstance(statement.block[index - 1], LEAVING):
        return False
    return _is_suspected(view, statement)


def is_movable(view: View, statement: Statement) -> bool:
    """Not a docstring, a declaration or a piece of another line."""
    node = statement.node
    if _is_first_only(node, statement.index) or isinstance(node, ast.Global | ast.Nonlocal):
        return False
    return view.layout.lines(node) is not None


def lines_of(view: View, node: ast.stmt) -> str:
    """The text of whole lines, with a line end."""
    lying = view.layout.lines(node)
    assert lying is not None
    text = view.source[lying[0] : lying[1]]
    return text if text.endswith(("\n", "\r")) else text + view.layout.newline


def holds(node: ast.AST, *types: type[ast.AST]) -> bool:
    """Whether code that belongs to this function or loop has such a node."""
    inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    waiting: list[ast.AST] = [] if isinstance(node, inner) else [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, types):
            return True
        waiting += [child for child in ast.iter_child_nodes(one) if not isinstance(child, inner)]
    return False


def first_statement(body: Sequence[ast.stmt]) -> ast.stmt | None:
    """The first that does something: docstrings do not."""
    return next((one for one in body if not is_text(one)), None)


def jumps_out(node: ast.stmt) -> bool:
    """Whether it has a `break` or `continue` that belongs to a loop around it."""
    if isinstance(node, ast.Break | ast.Continue):
        return True
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    parts: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        parts = list(node.orelse)
    while parts:
        part = parts.pop()
        if isinstance(part, ast.stmt):
            if jumps_out(part):
                return True
        else:
            parts += ast.iter_child_nodes(part)
    return False


def _is_first_only(node: ast.stmt, index: int) -> bool:
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return True
    return index == 0 and is_text(node)


def _is_suspected(view: View, statement: Statement) -> bool:
    """Near a line that is suspected, if any is."""
    lines = view.facts.lines
    if not lines:
        return True
    node = statement.node
    if any(line in lines for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)):
        return True
    before = statement.block[statement.index - 1] if statement.index else None
    return before is not None and before.lineno in lines
