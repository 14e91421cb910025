"""Off by one: positions, ends of ranges, counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import SUM
from untilgreen.solvers.offline.templates.constants import LARGEST
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, shown

_MOST_NUMBERS = 6
_COUNTING_CALLS = frozenset({"range", "pop", "insert", "islice", "comb", "perm"})


@on(1, ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp)
def one_more_or_less(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    if place.is_target or not _can_count(place):
        return
    kind = view.kind(node)
    if kind not in (kinds.NUMBER, None):
        return
    if isinstance(node, ast.BinOp):
        if not isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv):
            return
        if isinstance(node.right, ast.Constant) and node.right.value == 1:
            return  # Other constants and operators lead to the same.
    cost = 1.6 if _counts(place) else 2.6
    if kind is None:
        cost += 1.0 if not isinstance(node, ast.Call) else 1.6
    text = view.part(node, SUM)
    for sign, word in (("-", "less"), ("+", "more")):
        sentence = f"One {word} than `{shown(view.text(node))}`."
        yield view.replace(place, f"{text} {sign} 1", SUM, "off-by-one/step", cost, sentence)


def _counts(place: Place) -> bool:
    """Where numbers are positions or lengths."""
    parent = place.parent
    if isinstance(parent, ast.Call):
        func = parent.func
        name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
        return name in _COUNTING_CALLS
    return isinstance(parent, ast.Slice | ast.Compare) or place.field == "slice"


def _can_count(place: Place) -> bool:
    parent, field = place.parent, place.field
    if isinstance(
        parent, ast.Attribute | ast.Expr | ast.UnaryOp | ast.BoolOp | ast.Starred | ast.Await | ast.withitem
    ):
        return False
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.Sub) and field == "left":
        return False  # The whole sum is asked about, too.
    if isinstance(parent, ast.Subscript) and field == "value":
        return False
    if isinstance(parent, ast.Compare) and not all(
        isinstance(one, ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq | ast.NotEq) for one in parent.ops
    ):
        return False
    return field not in (
        "func",
        "test",
        "ifs",
        "guard",
        "iter",
        "exc",
        "cause",
        "type",
        "subject",
        "decorator_list",
        "bases",
    )


@on(3, ast.Name, ast.Attribute, ast.Call, ast.Subscript)
def some_more_or_less(view: View, place: Place) -> Iterator[Edit]:
    """By two, or by a number that the file knows."""
    if place.is_target or not _can_count(place) or view.kind(place.node) not in (kinds.NUMBER, None):
        return
    known = [n for n, _ in view.ingredients.of(view.site).numbers.most_common(_MOST_NUMBERS)]
    text = view.part(place.node, SUM)
    for number in dict.fromkeys((2, *known)):
        if isinstance(number, int) and 1 < number < LARGEST:
            for sign, word in (("-", "less"), ("+", "more")):
                sentence = f"{number} {word} than `{shown(view.text(place.node))}`."
                new = f"{text} {sign} {number}"
                yield view.replace(place, new, SUM, "off-by-one/more", 4.4, sentence, tier=3, risk=0.7)


FAMILY = Template(
    "off-by-one",
    1.6,
    "One more or one less than what is written, or some.",
    (one_more_or_less, some_more_or_less),
)
