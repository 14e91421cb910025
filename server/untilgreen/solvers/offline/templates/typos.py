"""Names that are written wrongly, which the failing tests say: NameError, AttributeError, KeyError."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import BUILTINS
from untilgreen.solvers.offline.likeness import nearest
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import ATOM
from untilgreen.solvers.offline.templates.functions import attribute
from untilgreen.solvers.offline.templates.strings import quoted
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once

_UNKNOWN_NAME = re.compile(r"name '(\w+)' is not defined|variable '(\w+)'")
_UNKNOWN_ATTRIBUTE = re.compile(r"object has no attribute '(\w+)'|has no attribute '(\w+)'")
_SUGGESTED = re.compile(r"[Dd]id you mean:? '(?:\w+\.)?(\w+)'")
_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")


@on(1, ast.Name)
def name(view: View, place: Place) -> Iterator[Edit]:
    """A name that nothing binds, or that a test could not find."""
    node = place.node
    assert isinstance(node, ast.Name)
    if place.is_target:
        return
    known = view.ingredients.of(view.site).globals
    local = view.names(place)
    missing = _said(view, _UNKNOWN_NAME)
    is_unbound = node.id not in local and node.id not in known and node.id not in BUILTINS
    if node.id not in missing and not is_unbound:
        return
    others = {*local, *known, *BUILTINS}
    for rank, (other, likeness) in enumerate(nearest(node.id, sorted(others), 8, 0.4)):
        bonus = 0.4 if other in local else 0.0
        yield view.replace(place, other, ATOM, "typo/name", 1.8 - 0.8 * likeness - bonus + 0.1 * rank)
    for other in local:
        yield view.replace(place, other, ATOM, "typo/name", 2.2)


@on(1, ast.Attribute)
def member(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Attribute)
    if node.attr not in _said(view, _UNKNOWN_ATTRIBUTE):
        return
    suggested = [one for _, message in view.facts.raised for one in _SUGGESTED.findall(message)]
    for other in suggested:
        yield attribute(view, place, other, "typo/attribute", 0.6)
    stock = view.ingredients.of(view.site)
    others = {*stock.attributes, *_COMMON}
    for other in stock.members(view.site.name.rpartition(".")[0]):
        others.add(other)
    for rank, (other, likeness) in enumerate(nearest(node.attr, sorted(others), 8, 0.4)):
        yield attribute(view, place, other, "typo/attribute", 1.8 - 0.8 * likeness + 0.1 * rank)


@on(1, ast.Constant)
def key(view: View, place: Place) -> Iterator[Edit]:
    """A key that was not there, when another is."""
    node = place.node
    assert isinstance(node, ast.Constant)
    if not isinstance(node.value, str) or not view.facts.has_raised("KeyError"):
        return
    if repr(node.value) not in {message.strip() for kind, message in view.facts.raised if kind == "KeyError"}:
        return
    others = {*view.ingredients.of(view.site).strings, *view.facts.test_strings}
    for rank, (other, likeness) in enumerate(nearest(node.value, sorted(others), 8, 0.3)):
        text = quoted(other, view.text(node))
        yield view.replace(place, text, ATOM, "typo/key", 1.8 - 0.8 * likeness + 0.1 * rank)


@on(1, ast.Call)
def keyword(view: View, place: Place) -> Iterator[Edit]:
    """A keyword that the function does not take."""
    node = place.node
    assert isinstance(node, ast.Call)
    wrong = _said(view, _UNEXPECTED)
    name_of = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    functions = view.ingredients.of(view.site).functions.get(name_of, ())
    taken = [one.arg for function in functions for one in (*function.args.args, *function.args.kwonlyargs)]
    taken += view.facts.signatures.get(name_of, ())
    for one in node.keywords:
        if one.arg is None:
            continue
        start = view.site.offsets.span(one)[0]
        is_wrong = one.arg in wrong or (functions and one.arg not in taken)
        have = {other.arg for other in node.keywords}
        for other in dict.fromkeys(taken):
            if other not in have and other not in ("self", "cls"):
                cost = 1.2 if is_wrong else 3.4
                sentence = f"The argument is called `{other}`."
                yield view.splice(
                    start, start + len(one.arg), other, "typo/keyword", cost, sentence, place.line
                )


@once
def _said(view: View, pattern: re.Pattern[str]) -> frozenset[str]:
    found = [one for _, message in view.facts.raised for one in pattern.findall(message)]
    return frozenset(part for one in found for part in (one if isinstance(one, tuple) else (one,)) if part)


_COMMON = frozenset(
    one
    for kind in (str, list, dict, set, tuple, int, float, bytes)
    for one in dir(kind)
    if not one.startswith("_")
)

FAMILY = Template(
    "typo",
    0.8,
    "A name, attribute, key or keyword that is written wrongly.",
    (name, member, key, keyword),
)
