"""Branches: exchanged, missing `else`, `if` for `while`, `elif` for `if`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.blocks import LEAVING, jumps_out
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View


@on_statements(1, ast.If)
def exchanged(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    assert isinstance(node, ast.If)
    if not node.orelse or _is_elif(view, node.orelse):
        return
    one, other = _span(view, node.body), _span(view, node.orelse)
    if one is None or other is None or one[2] != other[2]:
        return
    middle = view.source[one[1] : other[0]]
    newline = view.layout.newline
    first, second = (view.source[part[0] : part[1]] for part in (one, other))
    if not second.endswith(("\n", "\r")):
        second += newline
    text = second + middle + first
    sentence = "Exchange the two branches."
    yield view.splice(one[0], other[1], text, "branch/exchanged", 2.4, sentence, node.lineno, risk=0.3)


@on_statements(1, ast.If)
def always(view: View, statement: Statement) -> Iterator[Edit]:
    """The condition left out: its body always runs; or `else` left out."""
    node = statement.node
    assert isinstance(node, ast.If)
    around = view.layout.lines(node)
    body = _span(view, node.body)
    if around is None or body is None:
        return
    if not node.orelse:
        text = view.layout.reindent(body[0], body[1], body[2], around[2])
        yield view.splice(
            around[0], around[1], text, "branch/always", 3.4, "Do this always.", node.lineno, risk=2.0
        )
        return
    rest = None if _is_elif(view, node.orelse) else _span(view, node.orelse)
    if rest is not None:
        text = view.layout.reindent(rest[0], rest[1], rest[2], around[2])
        sentence = "Do this in either case."
        yield view.splice(
            body[1], around[1], text, "branch/no-else", 3.0, sentence, node.orelse[0].lineno, risk=0.5
        )


@on_statements(1, ast.If)
def otherwise(view: View, statement: Statement) -> Iterator[Edit]:
    """What follows should be the `else` branch."""
    node, block, index = statement.node, statement.block, statement.index
    assert isinstance(node, ast.If)
    around = view.layout.lines(node)
    if around is None or node.orelse or index + 1 >= len(block) or isinstance(node.body[-1], LEAVING):
        return
    unit, newline = view.layout.unit, view.layout.newline
    for last in {index + 1, len(block) - 1}:
        following = _span(view, list(block[index + 1 : last + 1]))
        if following is None or any(
            isinstance(one, ast.Global | ast.Nonlocal) for one in block[index + 1 : last + 1]
        ):
            continue
        between = view.source[around[1] : following[0]]
        if between.strip():
            continue
        moved = view.layout.reindent(following[0], following[1], following[2], around[2] + unit)
        text = f"{around[2]}else:{newline}{moved}"
        cost = 2.6 if last == index + 1 else 3.0
        sentence = "Do the next only otherwise."
        yield view.splice(
            around[1], following[1], text, "branch/else", cost, sentence, block[index + 1].lineno
        )


@on_statements(1, ast.If)
def chained(view: View, statement: Statement) -> Iterator[Edit]:
    """`if` for `elif` and the other way round, `if` for `while`."""
    node, block, index = statement.node, statement.block, statement.index
    assert isinstance(node, ast.If)
    start = view.site.offsets.span(node)[0]
    if view.source.startswith("elif", start):
        if statement.outer is not None and view.layout.lines(statement.outer.node) is not None:
            yield view.splice(start, start + 4, "if", "branch/if", 2.6, "Ask this in any case.", node.lineno)
        return
    before = block[index - 1] if index else None
    if (
        isinstance(before, ast.If)
        and view.layout.lines(node) is not None
        and _takes_elif(view, before, start)
    ):
        yield view.splice(
            start, start + 2, "elif", "branch/elif", 2.6, "Ask this only otherwise.", node.lineno
        )
    if not node.orelse:
        yield view.splice(
            start, start + 2, "while", "branch/while", 2.8, "As long as this holds.", node.lineno
        )


@on_statements(1, ast.While)
def once(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    start = view.site.offsets.span(node)[0]
    if statement.in_loop or not any(jumps_out(one) for one in getattr(node, "body", ())):
        yield view.splice(start, start + 5, "if", "branch/once", 3.4, "Only once.", node.lineno)


def _is_elif(view: View, body: list[ast.stmt]) -> bool:
    return (
        len(body) == 1
        and isinstance(body[0], ast.If)
        and view.source.startswith("elif", view.site.offsets.span(body[0])[0])
    )


def _takes_elif(view: View, before: ast.If, start: int) -> bool:
    """Nothing but space is between them, and there is no `else` yet."""
    if _ends_with_else(before) or view.layout.lines(before) is None:
        return False
    return not view.source[_end(view, before) : start].strip()


def _ends_with_else(node: ast.If) -> bool:
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
    return bool(node.orelse)


def _end(view: View, node: ast.stmt) -> int:
    lying = view.layout.lines(node)
    assert lying is not None
    return lying[1]


def _span(view: View, body: list[ast.stmt]) -> tuple[int, int, str] | None:
    """The lines of a whole block."""
    first, last = view.layout.lines(body[0]), view.layout.lines(body[-1])
    return None if first is None or last is None else (first[0], last[1], first[2])


FAMILY = Template(
    "branch",
    2.4,
    "Branches exchanged, `else` added or left out, `elif` for `if`, `while` for `if`.",
    (exchanged, always, otherwise, chained, once),
)
