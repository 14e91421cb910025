"""Attributes: another one of the same object, a missing `self.`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.likeness import nearest
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import ATOM
from untilgreen.solvers.offline.templates.functions import attribute
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once

_MANY = 25


@on(1, ast.Attribute)
def another(view: View, place: Place) -> Iterator[Edit]:
    """The same object, another of its attributes that the file knows."""
    node = place.node
    assert isinstance(node, ast.Attribute)
    is_called = place.field == "func"
    helps = view.facts.has_raised("AttributeError")
    base = view.text(node.value)
    others = [one for one in _attributes(view, base, is_called) if one != node.attr]
    near = dict(nearest(node.attr, others, 8, 0.5))
    for other in others[:_MANY]:
        cost = 3.0 - 1.2 * near.get(other, 0.0) - (0.6 if helps else 0.0)
        yield attribute(view, place, other, "attribute/another", cost + (0.8 if place.is_target else 0.0))


@on(1, ast.Attribute)
def near_name(view: View, place: Place) -> Iterator[Edit]:
    """Any attribute of the file that is written nearly the same."""
    node = place.node
    assert isinstance(node, ast.Attribute)
    helps = 1.0 if view.facts.has_raised("AttributeError") else 0.0
    for other, likeness in _near(view, node.attr):
        yield attribute(view, place, other, "attribute/near", 4.0 - 1.6 * likeness - helps)


@on(1, ast.Attribute)
def farther(view: View, place: Place) -> Iterator[Edit]:
    """`rows[n].product.price`: by way of another attribute, and of what has no name, as objects with one."""
    node = place.node
    assert isinstance(node, ast.Attribute)
    if place.is_target or place.field == "func" or view.text(node.value) in ("self", "cls"):
        return
    alone, chains = _behind_names(view)
    others = chains if isinstance(node.value, ast.Name | ast.Attribute) else [*chains, *alone]
    for other in others:
        if other != node.attr:
            yield attribute(view, place, other, "attribute/farther", 3.4)


@on(1, ast.Attribute)
def dropped(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Attribute)
    if place.is_target or place.field == "func":
        return
    if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        if node.attr in view.names(place):
            yield view.replace(place, node.attr, ATOM, "attribute/local", 2.4)
        return
    yield view.replace(
        place, view.text(node.value), view.level(node.value), "attribute/dropped", 3.2, risk=0.3
    )


@on(1, ast.Name)
def missing_self(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Name)
    names = view.names(place)
    for owner in ("self", "cls"):
        if owner not in names or node.id == owner:
            continue
        members = view.ingredients.of(view.site).members(_class_of(view))
        if node.id in members:
            helps = view.facts.has_raised("NameError", "UnboundLocalError") or node.id not in names
            if place.is_target and not isinstance(place.parent, ast.Assign | ast.AugAssign):
                return
            cost = 1.8 if helps else 2.6
            sentence = f"`{node.id}` is an attribute of `{owner}`."
            yield view.replace(place, f"{owner}.{node.id}", ATOM, "attribute/self", cost, sentence)


@on(1, ast.Name)
def added(view: View, place: Place) -> Iterator[Edit]:
    """`node` for `node.value`."""
    node = place.node
    assert isinstance(node, ast.Name)
    if (
        place.is_target
        or place.field in ("func", "type", "bases", "decorator_list")
        or node.id in ("self", "cls")
    ):
        return
    if place.field == "value" and isinstance(place.parent, ast.Attribute):
        return
    if node.id in view.names(place):
        for other in _attributes(view, node.id, False)[:12]:
            yield view.replace(place, f"{node.id}.{other}", ATOM, "attribute/added", 3.2)


def _attributes(view: View, base: str, called: bool) -> list[str]:
    """What stands behind a dot after this text, the most frequent first."""
    stock = view.ingredients.of(view.site)
    if base in ("self", "cls"):
        members = stock.members(_class_of(view))
        if members:
            return [name for name, is_method in members.items() if is_method == called or not called]
    return list(stock.attributes_behind.get(base, {}))


@once
def _behind_names(view: View) -> tuple[list[str], list[str]]:
    """Attributes of objects that have a name of their own, and two of them in a row, as the file has them."""
    stock = view.ingredients.of(view.site)
    alone: dict[str, None] = {}
    chains: dict[str, None] = {}
    for text, found in stock.attributes_behind.items():
        first, dot, last = text.rpartition(".")
        if dot and first not in ("self", "cls"):
            chains.update((f"{last}.{name}", None) for name in found)
        elif not dot and text not in (*stock.globals, "self", "cls"):
            alone.update(dict.fromkeys(found))
    return list(alone)[:_MANY], list(chains)[:_MANY]


def _class_of(view: View) -> str:
    return view.site.name.rpartition(".")[0]


@once
def _near(view: View, name: str) -> list[tuple[str, float]]:
    return nearest(name, view.ingredients.of(view.site).attributes, 5, 0.55)


FAMILY = Template(
    "attribute",
    1.8,
    "Another attribute of the same object, an attribute added or left out, a missing `self.`.",
    (another, near_name, farther, dropped, missing_self, added),
)
