"""Default values of parameters; most of all those that are shared between calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place, Statement, is_text
from untilgreen.solvers.offline.precedence import ATOM, AWAIT
from untilgreen.solvers.offline.site import Function
from untilgreen.solvers.offline.templates.template import Template, on, on_statements
from untilgreen.solvers.offline.view import View


@on_statements(1, ast.FunctionDef, ast.AsyncFunctionDef)
def shared(view: View, statement: Statement) -> Iterator[Edit]:
    """`def f(x=[])`: a new one for each call."""
    node = statement.node
    assert isinstance(node, Function)
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(named[len(named) - len(arguments.defaults) :], arguments.defaults, strict=True)]
    pairs += [
        (one, value) for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
    ]
    first = next((one for one in node.body if not is_text(one)), None)
    lying = view.layout.lines(first) if first is not None else None
    if lying is None:
        return
    at, _, indent = lying
    newline, unit = view.layout.newline, view.layout.unit
    for parameter, value in pairs:
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


def _is_shared(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Dict | ast.Set):
        return True
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("list", "dict", "set", "defaultdict")
    )


FAMILY = Template("default", 1.6, "Another default value; a new one for each call.", (shared, value))
