"""Variables: another one that is at hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations, islice

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import BUILTINS
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import ATOM
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once

_MOST_PAIRS = 15


@on(1, ast.Name)
def variable(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Name)
    if place.is_target or place.field in ("func", "type", "decorator_list", "bases"):
        return
    names = view.names(place)
    if node.id not in names and node.id in view.ingredients.of(view.site).globals:
        base = 3.6  # A global was meant; that it should be a local one is less likely.
    elif node.id not in names and node.id in BUILTINS:
        return
    else:
        base = 2.0
    kind = view.kind(node)
    behind = place.parent.attr if isinstance(place.parent, ast.Attribute) else ""
    for name in names:
        if behind and not kinds.can_have(view.kind_of(name), behind):
            continue
        if name == node.id or (name in ("self", "cls")) != (node.id in ("self", "cls")):
            continue
        agreed = kinds.agree(kind, view.kind_of(name))
        if agreed:
            cost = base + (0.0 if agreed == 2 else 0.6) - _likeness(node.id, name)
            yield view.replace(place, name, ATOM, "name/variable", cost)


@on(1, ast.Name)
def target(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Name)
    if (
        not place.is_target
        or isinstance(node.ctx, ast.Del)
        or not isinstance(place.parent, ast.Assign | ast.AugAssign)
    ):
        return
    if shares(view, node.id):
        return
    kind = view.kind(node)
    for name in view.names(place):
        if name not in (node.id, "self", "cls"):
            agreed = kinds.agree(kind, view.kind_of(name))
            if agreed:
                cost = 4.2 - (0.5 if agreed == 2 else 0.0) - _likeness(node.id, name)
                sentence = f"Assign to `{name}` instead of `{node.id}`."
                yield view.replace(place, name, ATOM, "name/target", cost, sentence, risk=0.5)


@on(1, ast.Name)
def known_elsewhere(view: View, place: Place) -> Iterator[Edit]:
    """A constant, class or function of the module instead of another one of the same make."""
    node = place.node
    assert isinstance(node, ast.Name)
    stock = view.ingredients.of(view.site)
    own = stock.globals.get(node.id)
    if (
        place.is_target
        or own is None
        or place.field == "func"
        or isinstance(own, ast.Import | ast.ImportFrom)
    ):
        return
    local = view.names(place) if view.site.name else ()
    for name, statement in stock.globals.items():
        if name != node.id and type(statement) is type(own) and name not in local:
            yield view.replace(place, name, ATOM, "name/global", 2.8 - _likeness(node.id, name))


@on(1, ast.expr)
def exchanged(view: View, place: Place) -> Iterator[Edit]:
    """`[[0] * height for _ in range(width)]`: two names, each in the place of the other."""
    if not isinstance(place.parent, ast.Return | ast.Assign | ast.Expr) or place.is_target:
        return
    parts = list(ast.walk(place.node))
    if any(isinstance(one, ast.JoinedStr) for one in parts):
        return  # Where names stand in it is not known.
    at_hand = frozenset(view.names(place)) - {"self", "cls"}
    read = [one for one in parts if isinstance(one, ast.Name) and one.id in at_hand]
    for one, other in islice(combinations(sorted({name.id for name in read}), 2), _MOST_PAIRS):
        if kinds.agree(view.kind_of(one), view.kind_of(other)):
            start, end = view.span(place.node)
            text, at = "", start
            for name in sorted((name for name in read if name.id in (one, other)), key=view.span):
                first, last = view.span(name)
                text += view.source[at:first] + (other if name.id == one else one)
                at = last
            cost, sentence = 3.0 - 0.5 * _likeness(one, other), f"Exchange `{one}` and `{other}`."
            text += view.source[at:end]
            yield view.splice(start, end, text, "name/exchanged", cost, sentence, place.line, risk=0.3)


def _likeness(one: str, other: str) -> float:
    """Names that people mix up: `i` and `j`, `left` and `right`, `row` and `rows`, `min_x` and `max_x`."""
    if len(one) == 1 and len(other) == 1:
        return 0.4
    if one.strip("s_0123456789") == other.strip("s_0123456789"):
        return 0.4
    if one.partition("_")[2] and one.partition("_")[2] == other.partition("_")[2]:
        return 0.4
    if frozenset((one, other)) in _PAIRS or one.partition("_")[0] == other.partition("_")[0]:
        return 0.4
    return 0.0


_PAIRS = frozenset(
    frozenset(pair)
    for pair in (
        ("left", "right"), ("lo", "hi"), ("low", "high"), ("start", "end"), ("start", "stop"), ("first",
        "last"),
        ("row", "col"), ("width", "height"), ("key", "value"), ("min", "max"), ("old", "new"), ("src",
        "dst"),
        ("source", "target"), ("left", "mid"), ("right", "mid"), ("lo", "mid"), ("hi", "mid"), ("low",
        "mid"),
        ("high", "mid"), ("prev", "curr"), ("prev", "current"), ("current", "next"), ("begin", "end"),
        ("top", "bottom"),
    )
)  # fmt: skip


def shares(view: View, name: str) -> bool:
    """An inner function says that it shares this name; its binding must stay."""
    return name in _shared(view)


@once
def _shared(view: View) -> frozenset[str]:
    return frozenset(
        one for node in ast.walk(view.site.node) if isinstance(node, ast.Nonlocal) for one in node.names
    )


FAMILY = Template(
    "name", 2.0, "Another variable that is at hand.", (variable, target, known_elsewhere, exchanged)
)
