"""Alternatives: one value in one case and another one otherwise, where only one case is left."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.pools import Pools, names_in
from untilgreen.solvers.offline.precedence import ATOM, OR, TEST
from untilgreen.solvers.offline.questions import can_be_none
from untilgreen.solvers.offline.templates.constants import LARGEST
from untilgreen.solvers.offline.templates.functions import METHODS
from untilgreen.solvers.offline.templates.strings import quoted
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once, shown

_VALUE_OF = ast.Return | ast.Assign | ast.AugAssign | ast.Call | ast.keyword | ast.BinOp | ast.Yield
_PLAIN = (("None", 0.6), ("0", 0.6), ('""', 0.8), ("[]", 0.8))
_MOST_TWINS, _MOST_ASKED = 2, 24
_FAR = 1.5
"""Bits of conditions that are worth a try here."""


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
    names = [name for name in sorted(Pools.of(view).unread) if name in view.names(place)]
    if not names or place.is_target or place.field in ("func", "test") or not isinstance(node, ast.expr):
        return
    if not isinstance(place.parent, _VALUE_OF):
        return
    own = view.part(node, OR)
    for other, more in _others(view, node):
        for name in names:
            yield _either(view, place, own, name, other, 3.0 + more)
            yield _either(view, place, other, name, own, 3.2 + more)


@on(2, ast.BinOp, ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.DictComp, ast.Dict)
def one_of_them(view: View, place: Place) -> Iterator[Edit]:
    """`left if size is None else left[size]`: all of them, unless one was asked for."""
    if not isinstance(place.parent, ast.Return | ast.Assign) or place.is_target:
        return
    if view.kind(place.node) not in (*kinds.COLLECTIONS - {kinds.TEXT}, None):
        return
    own = view.part(place.node, ATOM)
    for name in (one for one in view.places.top.parameters if one in Pools.of(view).unread):
        if can_be_none(view, name):
            yield _either(view, place, view.part(place.node, OR), f"{name} is None", f"{own}[{name}]", 2.8)


@on(2, ast.Call, ast.ListComp, ast.SetComp, ast.DictComp, ast.Subscript)
def as_it_was(view: View, place: Place) -> Iterator[Edit]:
    """`words = [… for word in words …] or words`: when nothing is left, what there was."""
    if not isinstance(place.parent, ast.Assign) or place.is_target or len(place.parent.targets) > 1:
        return
    name = view.text(place.parent.targets[0])
    if name in names_in(view, place.node) and "\n" not in view.text(place.node):
        text, sentence = f"{view.part(place.node, OR)} or {name}", f"Keep `{name}` when nothing is left."
        yield view.replace(place, text, OR, "alternative/kept", 3.4, sentence, tier=2, risk=0.5)


@on(3, ast.BinOp, ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.Constant)
def special_case(view: View, place: Place) -> Iterator[Edit]:
    """`int(sign) if sign.isdigit() else 1`: asked about what the value is made of, or about any name when it
    is a constant."""
    node = place.node
    if place.is_target or place.field in ("func", "test") or not isinstance(place.parent, _VALUE_OF):
        return
    names = frozenset(view.names(place))
    about = names_in(view, node) or names
    asked = [
        piece
        for piece in Pools.of(view).conditions
        if piece.cost < _FAR and piece.needs <= names and not piece.needs.isdisjoint(about)
    ]
    own = view.part(node, OR)
    for other, more in _defaults(view, node):
        for piece in asked[:_MOST_ASKED] if other != own else ():
            yield _either(view, place, own, piece.text, other, 4.4 + piece.cost + more, 3)


def _defaults(view: View, node: ast.expr) -> Iterator[tuple[str, float]]:
    """What it could be otherwise, of the same kind."""
    kind, value = view.kind(node), getattr(node, "value", None)
    if isinstance(node, ast.Constant):
        if isinstance(value, int) and not isinstance(value, bool) and value < LARGEST:
            yield from ((repr(other), 0.0) for other in (value - 1, value + 1, 0) if other >= 0)
        elif isinstance(value, str):
            yield from ((quoted(other, view.text(node)), 0.0) for other in _missed_words(view))
        return
    for text, more, its in (("0", 0.0, kinds.NUMBER), ("1", 0.2, kinds.NUMBER), ('""', 0.0, kinds.TEXT)):
        if kinds.agree(kind, its) == 2:
            yield text, more
    yield "None", 0.4


@once
def _missed_words(view: View) -> list[str]:
    """Words that tests know and the file does not say anywhere."""
    said = view.ingredients.of(view.site).strings
    return sorted(word for word in view.facts.test_strings if word.isidentifier() and word not in said)[:4]


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


def _either(view: View, place: Place, one: str, asked: str, other: str, cost: float, tier: int = 2) -> Edit:
    sentence = f"`{shown(one)}` if `{shown(asked)}`, else `{shown(other)}`."
    text = f"{one} if {asked} else {other}"
    risk = 0.8 if tier == 2 else 1.4
    return view.replace(place, text, TEST, "alternative/either", cost, sentence, tier=tier, risk=risk)


FAMILY = Template(
    "alternative",
    2.6,
    "One value in one case, another one otherwise.",
    (nothing_to_divide_by, told_but_not_asked, one_of_them, as_it_was, special_case),
)
