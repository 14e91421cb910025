"""Statements: one too many, two in the wrong order, one in the wrong place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.blocks import is_movable, lines_of
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement, is_text
from untilgreen.solvers.offline.templates.names import shares
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View, shown

_KEPT = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Pass
_FARTHEST = 6


@on_statements(1, ast.stmt)
def deleted(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    if isinstance(node, _KEPT | ast.Global | ast.Nonlocal) or not _may_go(view, node):
        return
    start, end = view.site.offsets.span(node)
    sentence = f"Leave `{shown(view.source[start:end])}` out."
    cost, risk = (
        (3.0, 2.0) if not isinstance(node, ast.Return | ast.For | ast.While | ast.With) else (4.2, 3.0)
    )
    if isinstance(node, ast.Raise | ast.Assert):
        risk += 1.0
    lying = view.layout.lines(node)
    if lying is not None and len(statement.block) > 1 and is_movable(view, statement):
        yield view.splice(lying[0], lying[1], "", "statement/deleted", cost, sentence, node.lineno, risk=risk)
    elif lying is not None or not isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try):
        yield view.splice(
            start, end, "pass", "statement/deleted", cost + 0.4, sentence, node.lineno, risk=risk
        )


@on_statements(1, ast.stmt)
def exchanged(view: View, statement: Statement) -> Iterator[Edit]:
    block, index = statement.block, statement.index
    if index + 1 >= len(block) or not is_movable(view, statement) or not _moves(view, block[index + 1]):
        return
    if isinstance(statement.node, ast.Import | ast.ImportFrom) or isinstance(
        block[index + 1], ast.Import | ast.ImportFrom
    ):
        return
    one, other = view.layout.lines(statement.node), view.layout.lines(block[index + 1])
    assert one is not None
    assert other is not None
    between = view.source[one[1] : other[0]]
    text = lines_of(view, block[index + 1]) + between + lines_of(view, statement.node)
    sentence = "Exchange this statement and the next."
    yield view.splice(one[0], other[1], text, "statement/exchanged", 2.6, sentence, statement.node.lineno)


@on_statements(2, ast.stmt)
def moved(view: View, statement: Statement) -> Iterator[Edit]:
    """Farther than to the next place."""
    block, index, node = statement.block, statement.index, statement.node
    if not is_movable(view, statement) or isinstance(node, _KEPT):
        return
    own = view.layout.lines(node)
    assert own is not None
    for other_index in range(max(0, index - _FARTHEST), min(len(block), index + _FARTHEST + 1)):
        if abs(other_index - index) < 2 or not _moves(view, block[other_index]):
            continue
        passed = block[min(index, other_index) : max(index, other_index) + 1]
        if any(isinstance(one, ast.Global | ast.Nonlocal) for one in passed) or (
            other_index == 0 and is_text(block[0])
        ):
            continue
        other = view.layout.lines(block[other_index])
        assert other is not None
        if other_index > index:
            start, end = own[0], other[1]
            text = _whole(view, own[1], other[1]) + lines_of(view, node)
        else:
            start, end = other[0], own[1]
            text = lines_of(view, node) + view.source[other[0] : own[0]]
        sentence = f"Move this statement to line {block[other_index].lineno}."
        yield view.splice(start, end, text, "statement/moved", 4.0, sentence, node.lineno, tier=2)


def _moves(view: View, node: ast.stmt) -> bool:
    return not isinstance(node, ast.Global | ast.Nonlocal) and view.layout.lines(node) is not None


def _may_go(view: View, node: ast.stmt) -> bool:
    """Inner functions may rely on the name that it binds."""
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For | ast.With):
        return True
    return not any(isinstance(one, ast.Name) and shares(view, one.id) for one in ast.walk(node))


def _whole(view: View, start: int, end: int) -> str:
    text = view.source[start:end]
    return text if text.endswith(("\n", "\r")) else text + view.layout.newline


FAMILY = Template(
    "statement",
    2.6,
    "A statement left out, moved, or exchanged with the next.",
    (deleted, exchanged, moved),
)
