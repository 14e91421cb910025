"""Operators that bind otherwise than was meant: parentheses set, moved, left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import precedence
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import AND, ATOM, COMPARE, FACTOR, NOT, OR, POWER, TEST
from untilgreen.solvers.offline.templates.arithmetic import SIGNS
from untilgreen.solvers.offline.templates.comparison import SIGNS as COMPARING
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View

_SENTENCE = "Group the operators in another way."


@on(1, ast.BinOp)
def operations(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.BinOp)
    if isinstance(node.left, ast.BinOp):
        # (x ∘ y) • z, which becomes x ∘ (y • z)
        inner = node.left
        if not _is_plain_sum(inner.op, node.op):
            late = _binary(view, inner.right, node.op, node.right)
            late = f"({late})" if precedence.binary(node.op) < precedence.asked(inner, "right") else late
            text = f"{view.part(inner.left, precedence.asked(inner, 'left'))} {SIGNS[type(inner.op)]} {late}"
            yield view.replace(place, text, precedence.binary(inner.op), "grouping/operation", 2.4, _SENTENCE)
    if isinstance(node.right, ast.BinOp):
        # x ∘ (y • z), which becomes (x ∘ y) • z
        inner = node.right
        if not _is_plain_sum(node.op, inner.op):
            early = _binary(view, node.left, node.op, inner.left)
            early = f"({early})" if precedence.binary(node.op) < precedence.asked(inner, "left") else early
            text = (
                f"{early} {SIGNS[type(inner.op)]} {view.part(inner.right, precedence.asked(inner, 'right'))}"
            )
            yield view.replace(place, text, precedence.binary(inner.op), "grouping/operation", 2.4, _SENTENCE)


@on(1, ast.BoolOp)
def conditions(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.BoolOp)
    if isinstance(node.op, ast.Or):
        # a and b or c: a and (b or c)
        for at, value in enumerate(node.values):
            if isinstance(value, ast.BoolOp):
                first, last = value.values[:-1], value.values[-1]
                if at + 1 < len(node.values):
                    rest = " or ".join(view.part(one, AND) for one in (last, *node.values[at + 1 :]))
                    text = " and ".join([*(view.part(one, NOT) for one in first), f"({rest})"])
                    head = [view.part(one, AND) for one in node.values[:at]]
                    yield view.replace(
                        place,
                        " or ".join([*head, text]),
                        OR if head else AND,
                        "grouping/condition",
                        2.2,
                        _SENTENCE,
                    )
                if at:
                    begin = " or ".join(view.part(one, AND) for one in (*node.values[:at], value.values[0]))
                    text = " and ".join([f"({begin})", *(view.part(one, NOT) for one in value.values[1:])])
                    tail = [view.part(one, AND) for one in node.values[at + 1 :]]
                    yield view.replace(
                        place,
                        " or ".join([text, *tail]),
                        OR if tail else AND,
                        "grouping/condition",
                        2.2,
                        _SENTENCE,
                    )
        return
    for at, value in enumerate(node.values):
        if isinstance(value, ast.BoolOp):
            # a and (b or c): a and b or c
            texts = [
                view.part(one, NOT) if number != at else view.text(one)
                for number, one in enumerate(node.values)
            ]
            yield view.replace(place, " and ".join(texts), OR, "grouping/condition", 2.2, _SENTENCE)


@on(1, ast.BinOp, ast.BoolOp, ast.IfExp, ast.Compare)
def without_parentheses(view: View, place: Place) -> Iterator[Edit]:
    outer = view.wrapping(place)
    text = view.text(place.node)
    if outer is not None and view.level(place.node) < place.asked and "\n" not in text and place.asked < ATOM:
        yield view.splice(*outer, text, "grouping/parentheses", 2.2, "Leave the parentheses out.", place.line)


@on(1, ast.UnaryOp)
def negations(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.UnaryOp)
    operand = node.operand
    if isinstance(node.op, ast.USub) and isinstance(operand, ast.BinOp) and isinstance(operand.op, ast.Pow):
        text = f"(-{view.part(operand.left, POWER)}) ** {view.part(operand.right, FACTOR)}"
        yield view.replace(place, text, POWER, "grouping/sign", 2.0, _SENTENCE)


@on(1, ast.BinOp, ast.Compare)
def alternatives(view: View, place: Place) -> Iterator[Edit]:
    """`a + (b if c else d)` for `a + b if c else d`, and back."""
    node = place.node
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.IfExp):
        chosen = node.right
        text = (
            f"{_binary(view, node.left, node.op, chosen.body)} if {view.part(chosen.test, OR)}"
            f" else {view.part(chosen.orelse, TEST)}"
        )
        yield view.replace(place, text, TEST, "grouping/alternative", 2.8, _SENTENCE)


@on(1, ast.IfExp)
def chosen_part(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.IfExp)
    body = node.body
    if isinstance(body, ast.BinOp):
        choice = (
            f"({view.part(body.right, OR)} if {view.part(node.test, OR)} else {view.part(node.orelse, TEST)})"
        )
        text = f"{view.part(body.left, precedence.asked(body, 'left'))} {SIGNS[type(body.op)]} {choice}"
        yield view.replace(place, text, precedence.binary(body.op), "grouping/alternative", 2.4, _SENTENCE)


@on(1, ast.Compare)
def bits(view: View, place: Place) -> Iterator[Edit]:
    """`(a + b) % 2 == 0` and `a & (b == 0)` that were meant otherwise."""
    node = place.node
    assert isinstance(node, ast.Compare)
    if len(node.ops) == 1 and isinstance(node.left, ast.BinOp):
        inner = node.left
        sign = COMPARING[type(node.ops[0])]
        late = f"{view.part(inner.right, COMPARE + 1)} {sign} {view.part(node.comparators[0], COMPARE + 1)}"
        if isinstance(inner.op, ast.BitAnd | ast.BitOr):
            text = (
                f"{view.part(inner.left, precedence.asked(inner, 'left'))} {SIGNS[type(inner.op)]} ({late})"
            )
            yield view.replace(place, text, precedence.binary(inner.op), "grouping/bits", 2.8, _SENTENCE)


def _binary(view: View, left: ast.expr, operator: ast.operator, right: ast.expr) -> str:
    whole = ast.BinOp(left, operator, right)
    one = view.part(left, precedence.asked(whole, "left"))
    return f"{one} {SIGNS[type(operator)]} {view.part(right, precedence.asked(whole, 'right'))}"


def _is_plain_sum(one: ast.operator, other: ast.operator) -> bool:
    """Grouping does not matter."""
    return type(one) is type(other) and isinstance(
        one, ast.Add | ast.Mult | ast.BitOr | ast.BitAnd | ast.BitXor
    )


FAMILY = Template(
    "grouping",
    2.0,
    "Parentheses set, moved or left out.",
    (operations, conditions, without_parentheses, negations, alternatives, chosen_part, bits),
)
