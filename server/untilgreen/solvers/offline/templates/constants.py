"""Constants: numbers, truth values, None, empty collections."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import ATOM, AWAIT, FACTOR
from untilgreen.solvers.offline.templates.arithmetic import SIGNS, does_nothing
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View

_EMPTY = ("[]", "{}", "()", "set()", '""', "0", "None")
_MANY = 12
LARGEST = 10**40
"""Numbers beyond it, such as keys, were copied and not thought of."""


@on(1, ast.Constant)
def numbers(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Constant)
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float) or _is_text_statement(place):
        return
    for other, cost in _near(value).items():
        beside = place.parent if isinstance(place.parent, ast.BinOp) and place.field == "right" else None
        if beside is None or not does_nothing(SIGNS[type(beside.op)], ast.Constant(other)):
            # One more or less is a slip; another number altogether is easily what a test happens to ask for.
            # With 0 as its argument a call is easily asked for nothing at all.
            nothing = 0.6 if other == 0 and isinstance(place.parent, ast.Call) else 0.0
            yield _number(view, place, other, cost, 1, risk=nothing if cost < 2.5 else 0.8)
    # Tests name the numbers that matter; those that only they know are likely copied, not meant.
    for other in _nearest(view.facts.test_numbers, value):
        yield _number(view, place, other, 3.4, 1, risk=2.5)


@on(2, ast.Constant)
def numbers_of_the_file(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Constant)
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float) or _is_text_statement(place):
        return
    for other in _nearest(view.ingredients.of(view.site).numbers, value):
        yield _number(view, place, other, 3.6, 2, risk=0.8)
    if place.field not in ("keys", "decorator_list"):
        for name in view.names(place):
            agreed = kinds.agree(view.kind_of(name), kinds.NUMBER)
            if agreed and name not in ("self", "cls"):
                yield view.replace(place, name, ATOM, "constant/name", 3.0 if agreed == 2 else 4.2, tier=2)


def _nearest(numbers: Iterable[int | float], value: int | float) -> list[int | float]:
    """Others of the same kind."""
    same = [one for one in numbers if type(one) is type(value) and one != value and abs(one) < LARGEST]
    return sorted(same, key=lambda one: abs(one - value))[:_MANY] if abs(value) < LARGEST else []


@on(1, ast.Constant)
def truth(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Constant)
    if isinstance(node.value, bool):
        yield view.replace(place, str(not node.value), ATOM, "constant/truth", 1.4, risk=0.5)
        yield view.replace(place, "None", ATOM, "constant/truth", 4.0, risk=1.0)
    elif node.value is None and not isinstance(place.parent, ast.Compare):
        for text, cost in (("0", 3.0), ("False", 3.0), ("True", 3.2), ("[]", 3.0), ('""', 3.2), ("{}", 3.4)):
            yield view.replace(place, text, AWAIT, "constant/none", cost, risk=0.5)


@on(1, ast.Constant)
def sentinel(view: View, place: Place) -> Iterator[Edit]:
    """`is MISSING` for `is None`, where the module has such an object."""
    node = place.node
    assert isinstance(node, ast.Constant)
    if node.value is None and isinstance(place.parent, ast.Compare):
        for name, statement in view.ingredients.of(view.site).globals.items():
            made = getattr(statement, "value", None)
            if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "object":
                yield view.replace(place, name, ATOM, "constant/sentinel", 1.4)


@on(1, ast.Constant)
def instead_of_a_number(view: View, place: Place) -> Iterator[Edit]:
    """What a search starts from."""
    node = place.node
    assert isinstance(node, ast.Constant)
    if type(node.value) in (int, float) and isinstance(place.parent, ast.Assign | ast.Return | ast.arguments):
        for text, cost in (
            ("None", 3.4),
            ('float("inf")', 3.4),
            ('float("-inf")', 3.6),
            ("True", 4.0),
            ("False", 4.0),
        ):
            yield view.replace(place, text, ATOM, "constant/start", cost, risk=0.5)
        if isinstance(place.parent, ast.Return) or node.value == 0:
            for text in ("[]", '""', "{}"):
                yield view.replace(place, text, ATOM, "constant/start", 4.0, risk=0.5)


@on(1, ast.List, ast.Dict, ast.Tuple, ast.Call)
def empty(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    if place.is_target or not _is_empty(node) or isinstance(place.parent, ast.Expr):
        return
    own = view.text(node)
    for text in _EMPTY:
        if text != own:
            yield view.replace(place, text, ATOM if text != "0" else AWAIT, "constant/empty", 2.6, risk=0.3)
    if own == "[]":
        for text in ("[[]]", "[0]", "[1]", "[None]"):
            yield view.replace(place, text, ATOM, "constant/empty", 3.2)


def _is_empty(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Tuple):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("list", "dict", "set", "tuple")
        and not node.args
        and not node.keywords
    )


def _near(value: int | float) -> dict[int | float, float]:
    """Other numbers, with what they cost; each once."""
    found: dict[int | float, float] = {}
    if isinstance(value, int) and abs(value) >= LARGEST:
        return found
    if isinstance(value, int):
        steps: list[tuple[int | float, float]] = [(value + 1, 1.6), (value - 1, 1.6), (-value, 2.4)]
        steps += [(0, 2.2), (1, 2.2), (2, 2.8), (-1, 2.6), (10, 3.4)]
        if abs(value) < 10**12:
            steps += [
                (value * 10, 3.0),
                (value // 10, 3.2),
                (value * 2, 3.2),
                (value // 2, 3.2),
                (value + 2, 3.4),
            ]
            if value > 2:
                steps += [(value - 2, 3.4), (100, 4.0), (1000, 4.2)]
            if value in (2, 8, 10, 16):
                steps += [(2, 2.6), (8, 2.8), (10, 2.6), (16, 2.6), (36, 3.6)]
    else:
        steps = [(value + 1, 2.6), (value - 1, 2.6), (-value, 2.4), (0.0, 2.6), (1.0, 2.6), (0.5, 3.0)]
        steps += [
            (value * 10, 2.6),
            (value / 10, 2.6),
            (value * 100, 3.0),
            (value / 100, 3.0),
            (1 - value, 2.8),
        ]
        steps += [(1 + value, 2.6), (value / 2, 3.0), (value * 2, 3.0)]
    for other, cost in steps:
        if other != value and other not in found and abs(other) < 10**18 and other == other:
            found[other] = cost
    return found


def _number(view: View, place: Place, value: int | float, cost: float, tier: int, risk: float = 0.0) -> Edit:
    text = repr(round(value, 12)) if isinstance(value, float) else repr(value)
    is_negative = text.startswith("-")
    if isinstance(place.parent, ast.UnaryOp) and isinstance(place.parent.op, ast.USub):
        if value == 0:
            start, end = view.span(place.parent)
            sentence = f"Use `{text}` instead of `{view.text(place.parent)}`."
            return view.splice(
                start, end, text, "constant/number", cost, sentence, place.line, tier=tier, risk=risk
            )
        text = text.removeprefix("-")
        is_negative = False
    level = FACTOR if is_negative else AWAIT
    return view.replace(place, text, level, "constant/number", cost, tier=tier, risk=risk)


def _is_text_statement(place: Place) -> bool:
    return isinstance(place.parent, ast.Expr)


FAMILY = Template(
    "constant",
    1.4,
    "Another number, truth value or empty collection.",
    (numbers, numbers_of_the_file, truth, sentinel, instead_of_a_number, empty),
)
