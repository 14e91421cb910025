"""Comparisons: the wrong operator, the wrong end of a range."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import BIT_OR, COMPARE
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View

SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_ORDER = frozenset({"<", "<=", ">", ">="})
# What people write for what they meant, with the bits that it costs.
_MEANT: dict[str, tuple[tuple[str, str, float], ...]] = {
    "<": (("<=", "boundary", 1.0), (">", "direction", 1.7), (">=", "direction", 2.0), ("!=", "order", 3.0),
    ("==", "order", 3.2)),
    "<=": (("<", "boundary", 1.0), (">=", "direction", 1.7), (">", "direction", 2.0), ("==", "order", 3.0),
    ("!=", "order", 3.2)),
    ">": ((">=", "boundary", 1.0), ("<", "direction", 1.7), ("<=", "direction", 2.0), ("!=", "order", 3.0),
    ("==", "order", 3.2)),
    ">=": ((">", "boundary", 1.0), ("<=", "direction", 1.7), ("<", "direction", 2.0), ("==", "order", 3.0),
    ("!=", "order", 3.2)),
    "==": (("!=", "equality", 1.7), ("<=", "order", 2.4), (">=", "order", 2.4), ("in", "membership", 2.6),
    ("is", "identity", 2.8), ("<", "order", 3.0), (">", "order", 3.0)),
    "!=": (("==", "equality", 1.7), ("<", "order", 2.6), (">", "order", 2.6), ("not in", "membership", 2.6),
    ("is not", "identity", 2.8), ("<=", "order", 3.2), (">=", "order", 3.2)),
    "is": (("is not", "identity", 1.7), ("==", "identity", 1.8)),
    "is not": (("is", "identity", 1.7), ("!=", "identity", 1.8)),
    "in": (("not in", "membership", 1.6), ("==", "membership", 2.6)),
    "not in": (("in", "membership", 1.6), ("!=", "membership", 2.6)),
}  # fmt: skip
_RISK = {"equality": 1.0, "identity": 0.3, "membership": 0.3, "direction": 0.3, "order": 0.5}


@on(1, ast.Compare)
def operators(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Compare)
    left = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        start, end = view.operator(left, right)
        sign = SIGNS[type(operator)]
        for meant, name, cost in _MEANT[sign]:
            if _can_be(view, left, meant, right):
                yield view.splice(
                    *_spaced(view, start, end, meant),
                    f"comparison/{name}",
                    cost,
                    f"Compare with `{meant}` instead of `{sign}`.",
                    place.line,
                    risk=_risk(view, sign, meant, name, left, right),
                )
        left = right


def _risk(view: View, sign: str, meant: str, name: str, left: ast.expr, right: ast.expr) -> float:
    risk = _RISK.get(name, 0.0)
    equality = sign in ("==", "!=") and meant in _ORDER
    if equality and kinds.NUMBER not in (view.kind(left), view.kind(right)):
        risk += 1.5  # Numbers are ordered; other things that are equal to something seldom are.
    return risk


@on(1, ast.Compare)
def sides(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Compare)
    if len(node.ops) == 1:
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            left, right = view.part(node.left, BIT_OR), view.part(node.comparators[0], BIT_OR)
            text = f"{right} {SIGNS[type(node.ops[0])]} {left}"
            yield view.replace(place, text, COMPARE, "comparison/sides", 3.0)
        return
    operands = [node.left, *node.comparators]
    for number in range(len(node.ops)):
        sign = SIGNS[type(node.ops[number])]
        text = f"{view.part(operands[number], BIT_OR)} {sign} {view.part(operands[number + 1], BIT_OR)}"
        yield view.replace(place, text, COMPARE, "comparison/chain", 2.8, risk=0.5)


@on(2, ast.Compare)
def lower_end(view: View, place: Place) -> Iterator[Edit]:
    """`x < n` that should have been `0 <= x < n`."""
    node = place.node
    assert isinstance(node, ast.Compare)
    sign = SIGNS[type(node.ops[0])]
    if len(node.ops) > 1 or sign not in ("<", "<=") or isinstance(node.left, ast.Constant):
        return
    if kinds.agree(view.kind(node.left), kinds.NUMBER):
        text = view.text(node)
        for begin, cost in (("0 <=", 4.2), ("0 <", 4.4), ("1 <=", 5.0)):
            yield view.replace(place, f"{begin} {text}", COMPARE, "comparison/chain", cost, tier=2, risk=0.5)


def _can_be(view: View, left: ast.expr, sign: str, right: ast.expr) -> bool:
    """With what was observed; without, everything can be."""
    one, other = view.kind(left), view.kind(right)
    if sign in _ORDER:
        if kinds.NONE in (one, other) or "dict" in (one, other):
            return False
        return kinds.agree(one, other) > 0
    if sign in ("in", "not in"):
        if other in (kinds.NUMBER, kinds.NONE, kinds.BOOLEAN):
            return False
        return not (other == kinds.TEXT and one not in (None, kinds.TEXT))
    if sign in ("is", "is not"):
        return isinstance(right, ast.Constant) and (right.value is None or isinstance(right.value, bool))
    return True


def _spaced(view: View, start: int, end: int, sign: str) -> tuple[int, int, str]:
    """Words need space around them; signs were written with or without it."""
    if sign[0].isalpha():
        before = "" if view.source[start - 1].isspace() else " "
        after = "" if view.source[end].isspace() else " "
        return start, end, f"{before}{sign}{after}"
    return start, end, sign


FAMILY = Template(
    "comparison",
    1.0,
    "Another comparison: the boundary itself, the other direction, equal or not, in or not in.",
    (operators, sides, lower_end),
)
