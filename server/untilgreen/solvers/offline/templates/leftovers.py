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
from untilgreen.solvers.offline.templates.steps import attribute_kinds
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
    if not is_value(place) or view.kind(place.node) not in (kinds.NUMBER, None):
        return
    text = view.text(place.node)
    names = {name: view.kind_of(name) for name in Pools.of(view).unread.intersection(view.names(place))}
    for name, kind in sorted((names | idle_values(view)).items()):
        if kind in (kinds.NUMBER, None) and name != text:
            for call, side in (("min", "more"), ("max", "less")):
                sentence = f"Take no {side} than `{name}`, which nothing reads."
                yield view.replace(place, f"{call}({text}, {name})", ATOM, "leftover/limit", 2.6, sentence)


@once
def idle_values(view: View) -> dict[str, str | None]:
    """Attributes of the object and constants of the file that nothing in the project looks at, with their
    kinds: `self.capacity`, `LIMIT`."""
    stock, says = view.ingredients.of(view.site), view.ingredients.says
    function, found = view.site.node, dict[str, str | None]()
    if isinstance(function, ast.Module) or stock.path.endswith("__init__.py") or "__all__" in stock.globals:
        return found
    if "self" in [one.arg for one in function.args.args[:1]] and function.name != "__init__":
        found |= {f"self.{one}": kind for one, kind in _kept(view).items() if f".{one}" not in stock.read}
    for name, node in stock.globals.items():
        if name.isupper() and name not in stock.read and isinstance(node, ast.Assign):
            found[name] = kinds.of_node(node.value, {})
    return {text: kind for text, kind in found.items() if not says(text.removeprefix("self"), stock.path)}


def _kept(view: View) -> dict[str, str | None]:
    """Attributes that methods of the class set."""
    known = attribute_kinds(view)
    return {
        node.attr: known.get(node.attr)
        for node in (ast.walk(view.owner) if view.owner is not None else ())
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


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
