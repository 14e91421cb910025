"""Default values of parameters; most of all those that are shared between calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.blocks import first_statement
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.precedence import ATOM, AWAIT
from untilgreen.solvers.offline.scope import with_defaults
from untilgreen.solvers.offline.site import Function
from untilgreen.solvers.offline.templates.template import Template, on, on_statements
from untilgreen.solvers.offline.view import View, once


@on_statements(1, ast.FunctionDef, ast.AsyncFunctionDef)
def shared(view: View, statement: Statement) -> Iterator[Edit]:
    """`def f(x=[])`: a new one for each call."""
    node = statement.node
    assert isinstance(node, Function)
    first = first_statement(node.body)
    lying = view.layout.lines(first) if first is not None else None
    if lying is None:
        return
    at, _, indent = lying
    newline, unit = view.layout.newline, view.layout.unit
    for parameter, value in with_defaults(node.args):
        if not _is_shared(value):
            continue
        start, end = view.span(value)
        name = parameter.arg
        code = f"{indent}if {name} is None:{newline}{indent}{unit}{name} = {view.text(value)}{newline}"
        text = f"None{view.source[end:at]}{code}"
        sentence = f"Make a new `{view.text(value)}` for each call."
        yield view.splice(start, at, text, "default/shared", 1.6, sentence, node.lineno)


@on(1, ast.expr)
def value(view: View, place: Place) -> Iterator[Edit]:
    if place.field not in ("defaults", "kw_defaults") or isinstance(place.node, ast.Lambda):
        return
    own = view.text(place.node)
    for text, cost in (
        ("None", 2.4),
        ("0", 2.6),
        ("1", 2.6),
        ("True", 2.8),
        ("False", 2.8),
        ('""', 3.0),
        ("()", 3.2),
        ('" "', 3.4),
    ):
        if text != own:
            level = AWAIT if text.isdigit() else ATOM
            yield view.replace(place, text, level, "default/value", cost, f"Start from `{text}`.")


@on_statements(1, ast.Assign)
def taken_over(view: View, statement: Statement) -> Iterator[Edit]:
    """`self.rows = rows` for `self.rows = list(rows)`, where the rows are changed later on."""
    node = statement.node
    assert isinstance(node, ast.Assign)
    given = node.value.values[0] if isinstance(node.value, ast.BoolOp) else node.value
    if len(node.targets) != 1 or not isinstance(given, ast.Name) or view.wrapping_of(node.value) is not None:
        return
    if given.id not in statement.scope.parameters or given.id in ("self", "cls"):
        return
    target = view.text(node.targets[0]) if isinstance(node.targets[0], ast.Name | ast.Attribute) else ""
    start, end = view.span(node.value)
    for kind in _changed(view).get(target, ()):
        text = f"{kind}({view.text(node.value)})"
        sentence = f"Keep a copy, as `{target}` is changed later."
        yield view.splice(start, end, text, "default/taken", 1.2, sentence, node.lineno, risk=0.2)


@once
def _changed(view: View) -> dict[str, dict[str, None]]:
    """What is changed in its place, in this function or in the class around it, and what it seems to be."""
    around = [view.owner] if view.owner is not None else []
    found: dict[str, dict[str, None]] = {}
    for node in (part for whole in (view.site.node, *around) for part in ast.walk(whole)):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found.setdefault(ast.unparse(node.value), {}).update(dict.fromkeys(("dict", "list")))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            kinds_of_it = dict.fromkeys(kind for kind, ways in _WAYS.items() if node.func.attr in ways)
            found.setdefault(ast.unparse(node.func.value), {}).update(kinds_of_it)
    return found


_WAYS = {
    "list": ("append", "extend", "insert", "sort", "reverse", "remove", "pop", "clear"),
    "dict": ("setdefault", "update", "popitem", "pop", "clear"),
    "set": ("add", "discard", "update", "remove", "clear"),
}


def _is_shared(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Dict | ast.Set):
        return True
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("list", "dict", "set", "defaultdict")
    )


FAMILY = Template(
    "default",
    1.2,
    "Another default value; a new one for each call, and a copy of what others hold, too.",
    (shared, value, taken_over),
)
