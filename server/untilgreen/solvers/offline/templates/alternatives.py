"""Alternatives: one value in one case and another one otherwise, where only one case is left."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import OR, TEST
from untilgreen.solvers.offline.templates.functions import METHODS
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.unused import unused
from untilgreen.solvers.offline.view import View, once, shown

_VALUE_OF = ast.Return | ast.Assign | ast.AugAssign | ast.Call | ast.keyword | ast.BinOp | ast.Yield
_PLAIN = (("None", 0.6), ("0", 0.6), ('""', 0.8), ("[]", 0.8))
_MOST_TWINS = 2


@on(2, ast.BinOp)
def nothing_to_divide_by(view: View, place: Place) -> Iterator[Edit]:
    """`total / count if count else 0`, where a test ended with a division by zero."""
    node = place.node
    assert isinstance(node, ast.BinOp)
    if not isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod) or isinstance(node.right, ast.Constant):
        return
    if not view.facts.has_raised("ZeroDivisionError"):
        return
    asked = view.part(node.right, OR)
    for text, more in (("0", 0.0), ("0.0", 0.2), ("None", 0.6), ("1", 1.2)):
        yield _either(view, place, view.part(node, OR), asked, text, 2.6 + more)


@on(2, ast.BinOp, ast.Call, ast.Name, ast.Attribute, ast.Subscript)
def told_but_not_asked(view: View, place: Place) -> Iterator[Edit]:
    """A name that nothing reads may decide: `len(values) - 1 if sample else len(values)`."""
    node = place.node
    names = [name for name in sorted(_unread(view)) if name in view.names(place)]
    if not names or place.is_target or place.field in ("func", "test") or not isinstance(node, ast.expr):
        return
    if not isinstance(place.parent, _VALUE_OF):
        return
    own = view.part(node, OR)
    for other, more in _others(view, node):
        for name in names:
            yield _either(view, place, own, name, other, 3.0 + more)
            yield _either(view, place, other, name, own, 3.2 + more)


def _others(view: View, node: ast.expr) -> Iterator[tuple[str, float]]:
    if isinstance(node, ast.BinOp):
        yield view.part(node.left, OR), 0.0
        yield view.part(node.right, OR), 0.4
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        start, end = view.span(node)
        behind = view.span(node.func)[1]
        for twin in METHODS.get(node.func.attr, ())[:_MOST_TWINS]:
            base = view.source[start : behind - len(node.func.attr)]
            yield f"{base}{twin}{view.source[behind:end]}", 0.0
        yield view.part(node.func.value, OR), 0.4
    for text, more in _PLAIN:
        yield text, 0.4 + more


def _either(view: View, place: Place, one: str, asked: str, other: str, cost: float) -> Edit:
    sentence = f"`{shown(one)}` if `{shown(asked)}`, else `{shown(other)}`."
    text = f"{one} if {asked} else {other}"
    return view.replace(place, text, TEST, "alternative/either", cost, sentence, tier=2, risk=0.8)


@once
def _unread(view: View) -> frozenset[str]:
    return unused(view.site.node)


FAMILY = Template(
    "alternative",
    2.6,
    "One value in one case, another one otherwise.",
    (nothing_to_divide_by, told_but_not_asked),
)
