"""Divisions that should count what has begun, and sets that are compared where they were joined."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import ATOM, BIT_OR, COMPARE, FACTOR, TERM
from untilgreen.solvers.offline.templates.booleans import is_condition
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View

_UP = "Count the last one, too, when it is not full."


@on(1, ast.BinOp)
def up(view: View, place: Place) -> Iterator[Edit]:
    """`math.ceil(n / size)` for `n // size`: as many pages as it takes."""
    node = place.node
    assert isinstance(node, ast.BinOp)
    if not isinstance(node.op, ast.FloorDiv) or view.kind(node) not in (kinds.NUMBER, None):
        return
    left, right = view.part(node.left, TERM), view.part(node.right, FACTOR)
    if "math" in view.ingredients.of(view.site).globals:
        yield view.replace(place, f"math.ceil({left} / {right})", ATOM, "rounding/up", 2.4, _UP)
    yield view.replace(place, f"-(-{left} // {right})", FACTOR, "rounding/up", 3.0, _UP)


@on(1, ast.BinOp)
def within(view: View, place: Place) -> Iterator[Edit]:
    """`wanted <= set(tags)` for `wanted & set(tags)`: all of them, not some."""
    node = place.node
    assert isinstance(node, ast.BinOp)
    if isinstance(node.op, ast.BitAnd) and is_condition(place) and view.kind(node) != kinds.NUMBER:
        for sign in ("<=", ">="):
            text = f"{view.part(node.left, BIT_OR)} {sign} {view.part(node.right, BIT_OR)}"
            yield view.replace(
                place, text, COMPARE, "rounding/within", 2.8, "Ask whether all of it is there."
            )


FAMILY = Template("rounding", 2.4, "A division rounded up, a set within another one.", (up, within))
