"""Nesting: a statement one level too deep, or not deep enough."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.blocks import is_movable, jumps_out
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View

_HOLDING = ast.If | ast.For | ast.While | ast.With | ast.AsyncFor | ast.AsyncWith
_OUT = "Run this after the block, not in it."
_IN = "Run this in the block before it."


@on_statements(1, ast.stmt)
def outwards(view: View, statement: Statement) -> Iterator[Edit]:
    """The last statements of a block behind it."""
    outer, node = statement.outer, statement.node
    if outer is None or statement.index == 0 or not isinstance(outer.node, _HOLDING):
        return
    if statement.field != _last_field(outer.node) or not is_movable(view, statement):
        return
    leaves_loop = isinstance(outer.node, ast.For | ast.While | ast.AsyncFor) and statement.field == "body"
    moved = statement.block[statement.index :]
    if leaves_loop and not outer.in_loop and any(jumps_out(one) for one in moved):
        return
    around = view.layout.lines(outer.node)
    own = view.layout.lines(node)
    last = view.layout.lines(moved[-1])
    if around is None or own is None or last is None:
        return
    text = view.layout.reindent(own[0], last[1], own[2], around[2])
    cost = 2.4 + 0.6 * (len(moved) - 1)
    # That a test never came into the block says nothing about what should follow it.
    line = outer.node.lineno
    yield view.splice(own[0], last[1], text, "nesting/out", cost, _OUT, line)
    # Two levels at once, when the block around it ends here, too.
    further = outer.outer
    if further is not None and isinstance(further.node, _HOLDING) and further.block is not None:
        ends_too = outer.index == len(outer.block) - 1 and outer.field == _last_field(further.node)
        target = view.layout.lines(further.node)
        if ends_too and target is not None and not any(jumps_out(one) for one in moved):
            text = view.layout.reindent(own[0], last[1], own[2], target[2])
            yield view.splice(own[0], last[1], text, "nesting/out", cost + 1.0, _OUT, line)


@on_statements(1, ast.stmt)
def inwards(view: View, statement: Statement) -> Iterator[Edit]:
    """The statement behind a block at the end of the block."""
    block, index, node = statement.block, statement.index, statement.node
    if index == 0 or not is_movable(view, statement):
        return
    own = view.layout.lines(node)
    assert own is not None
    before: ast.stmt = block[index - 1]
    cost = 2.4
    while isinstance(before, _HOLDING):
        body = getattr(before, _last_field(before))
        inner = view.layout.lines(body[-1])
        if inner is None:
            return
        text = view.layout.reindent(own[0], own[1], own[2], inner[2])
        yield view.splice(own[0], own[1], text, "nesting/in", cost, _IN, node.lineno)
        before = body[-1]
        cost += 0.8


@on_statements(1, *_HOLDING.__args__)
def before_the_block(view: View, statement: Statement) -> Iterator[Edit]:
    """The first statement of a block before it: what is done once and not each time."""
    node = statement.node
    body = getattr(node, "body", [])
    if len(body) < 2 or not is_movable(view, statement):
        return
    first, second, around = (view.layout.lines(one) for one in (body[0], body[1], node))
    if first is None or second is None or around is None:
        return
    if isinstance(node, ast.For | ast.While | ast.AsyncFor) and not statement.in_loop and jumps_out(body[0]):
        return
    moved = view.layout.reindent(first[0], first[1], first[2], around[2])
    text = moved + view.source[around[0] : first[0]]
    sentence = "Run this once, before the block."
    yield view.splice(around[0], first[1], text, "nesting/before", 3.0, sentence, node.lineno)


@on_statements(1, ast.stmt)
def into_the_next(view: View, statement: Statement) -> Iterator[Edit]:
    """A statement that belongs to the beginning of the block behind it."""
    block, index, node = statement.block, statement.index, statement.node
    if index + 1 >= len(block) or not is_movable(view, statement):
        return
    following = block[index + 1]
    if not isinstance(following, _HOLDING) or view.layout.lines(following) is None:
        return
    own, inner = view.layout.lines(node), view.layout.lines(following.body[0])
    if own is None or inner is None:
        return
    text = view.source[own[1] : inner[0]] + view.layout.reindent(own[0], own[1], own[2], inner[2])
    sentence = "Run this each time, at the beginning of the block."
    yield view.splice(own[0], inner[0], text, "nesting/into", 2.8, sentence, node.lineno)


def _last_field(node: ast.stmt) -> str:
    return "orelse" if getattr(node, "orelse", None) else "body"


FAMILY = Template(
    "nesting",
    2.4,
    "A statement one level further out or in.",
    (outwards, inwards, before_the_block, into_the_next),
)
