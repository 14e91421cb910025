"""Leftovers: what is imported or found out and used nowhere was meant for something that is missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import Stock
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.pools import Pools
from untilgreen.solvers.offline.precedence import ATOM
from untilgreen.solvers.offline.templates.calls import is_value
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once

_USED_FOR = {
    "math": ("sqrt", "floor", "ceil", "isqrt", "log", "fabs", "factorial", "prod"),
    "copy": ("deepcopy", "copy"),
    "html": ("escape", "unescape"),
    "json": ("dumps", "loads"),
    "re": ("escape", "compile"),
    "statistics": ("mean", "median"),
    "itertools": ("chain", "count", "cycle"),
}
"""Functions of modules that take one value."""
_FOR_TYPES = frozenset({"__future__", "typing", "collections.abc", "abc", "dataclasses", "typing_extensions"})
_MOST_USES = 12


@on(1, ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.ListComp)
def used(view: View, place: Place) -> Iterator[Edit]:
    """`math.sqrt(total)` for `total`, where `math` is imported for nothing."""
    uses = _uses(view) if view.site.name else []
    if not uses or not is_value(place):
        return
    text = view.text(place.node)
    for name in uses:
        sentence = f"Call `{name}`, which is imported and not used."
        yield view.replace(place, f"{name}({text})", ATOM, "leftover/used", 2.4, sentence, risk=0.3)


@on(1, ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)
def limited(view: View, place: Place) -> Iterator[Edit]:
    """`min(day, last)`, where `last` is found out for nothing."""
    names = Pools.of(view).unread.intersection(view.names(place)) if is_value(place) else ()
    if view.kind(place.node) not in (kinds.NUMBER, None):
        return
    text = view.text(place.node)
    for name in sorted(names):
        if view.kind_of(name) in (kinds.NUMBER, None) and name != text:
            for call, side in (("min", "more"), ("max", "less")):
                sentence = f"Take no {side} than `{name}`, which nothing reads."
                yield view.replace(place, f"{call}({text}, {name})", ATOM, "leftover/limit", 2.6, sentence)


@once
def _uses(view: View) -> list[str]:
    found: list[str] = []
    for name, statement in _idle(view.ingredients.of(view.site)):
        if isinstance(statement, ast.ImportFrom):
            found += [name] if statement.module not in _FOR_TYPES else []
        else:
            # A dotted one is known by its first part, and used for what it does when it is imported.
            module = next((one.name for one in statement.names if name in (one.asname, one.name)), "")
            found += [f"{name}.{one}" for one in _USED_FOR.get(module, ())]
    return found[:_MOST_USES]


def _idle(stock: Stock) -> Iterator[tuple[str, ast.Import | ast.ImportFrom]]:
    """Names that nothing of the file reads; none of a package, which imports for others."""
    if stock.path.endswith("__init__.py") or "__all__" in stock.globals:
        return
    read = {node.id for node in ast.walk(stock.tree) if isinstance(node, ast.Name)}
    for name, node in stock.globals.items():
        if isinstance(node, ast.Import | ast.ImportFrom) and name not in read:
            yield name, node


FAMILY = Template(
    "leftover", 2.4, "A call of what is imported for nothing, a limit that nothing reads.", (used, limited)
)
