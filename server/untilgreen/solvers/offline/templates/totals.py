"""Totals: a number that all items of something make together, and that is missing from another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.pools import Pools
from untilgreen.solvers.offline.precedence import SUM, TERM
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View

_OF_MANY = ("list", "tuple", "set", "deque")
_TOTALS = (
    ("/", TERM, "len", 3.0),
    ("-", SUM, "max", 3.8),
    ("-", SUM, "min", 3.8),
    ("-", SUM, "len", 3.6),
    ("-", SUM, "sum", 3.8),
    ("+", SUM, "len", 3.8),
    ("+", SUM, "sum", 4.0),
    ("//", TERM, "len", 3.8),
    ("*", TERM, "len", 4.0),
)


@on(2, ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Constant)
def taken_in(view: View, place: Place) -> Iterator[Edit]:
    """`sum(marks) / len(marks)`, `100 - max(points)`: with how many there are, or the largest."""
    node = place.node
    if (
        place.is_target
        or view.kind(node) != kinds.NUMBER
        or not isinstance(place.parent, ast.Return | ast.Assign | ast.AugAssign | ast.Compare)
    ):
        return
    own = view.text(node)
    for name in view.names(place):
        if Pools.of(view).kind_of(name) not in _OF_MANY:
            continue
        for sign, level, made, cost in _TOTALS:
            if f"{made}({name})" not in own:
                text = f"{view.part(node, level)} {sign} {made}({name})"
                yield view.replace(place, text, level, "total/taken-in", cost, tier=2, risk=0.5)


FAMILY = Template(
    "total",
    3.0,
    "How many items there are, their sum, the largest or the smallest, where a number lacks it.",
    (taken_in,),
)
