"""Sort keys: what decides between things that are alike otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import TEST
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, shown


@on(1, ast.Lambda)
def tie(view: View, place: Place) -> Iterator[Edit]:
    """`key=lambda pair: pair[1]` for `key=lambda pair: (pair[1], pair[0])`."""
    node = place.node
    assert isinstance(node, ast.Lambda)
    is_key = isinstance(place.parent, ast.keyword) and place.parent.arg == "key"
    if not is_key or len(node.args.args) != 1:
        return
    body, name = node.body, node.args.args[0].arg
    parts = [view.part(one, TEST) for one in (body.elts if isinstance(body, ast.Tuple) else [body])]
    start, end = view.span(body)
    for other, cost in _others(view, body, name):
        if other in parts:
            continue
        for made, more in (
            (f"({', '.join((*parts, other))})", 0.0),
            (f"({', '.join((other, *parts))})", 0.8),
        ):
            sentence = f"Order by `{shown(made)}`."
            yield view.splice(
                start, end, made, "sorting/tie", 2.6 + cost + more, sentence, place.line, risk=0.2
            )


@on(1, ast.Call)
def by_default(view: View, place: Place) -> Iterator[Edit]:
    """`sorted(pairs)` for `sorted(pairs, key=lambda one: one[1])`."""
    node = place.node
    assert isinstance(node, ast.Call)
    function = node.func
    called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if called not in ("sorted", "sort", "min", "max") or any(one.arg == "key" for one in node.keywords):
        return
    if isinstance(function, ast.Name) and len(node.args) != 1:
        return
    at = view.span(node)[1] - 1
    comma = ", " if node.args or node.keywords else ""
    for key, cost in (
        ("lambda one: one[1]", 0.0),
        ("len", 0.2),
        ("lambda one: -one", 0.8),
        ("str.lower", 0.6),
    ):
        sentence = f"Order by `{key}`."
        text = f"{comma}key={key}"
        if not view.source[:at].rstrip().endswith(","):
            yield view.splice(at, at, text, "sorting/key", 3.4 + cost, sentence, place.line, risk=0.5)


def _others(view: View, body: ast.expr, name: str) -> Iterator[tuple[str, float]]:
    """What else there is to order by."""
    known = view.ingredients.of(view.site).attributes_behind.get(name, ())
    found = [one for one in ast.walk(body) if isinstance(one, ast.Subscript | ast.Attribute)]
    indexed = any(isinstance(one, ast.Subscript) for one in found)
    yield name, 0.4 if indexed or found else 0.0
    if indexed or not found:
        for index in (0, 1, 2):
            yield f"{name}[{index}]", 0.0 if indexed else 1.0
    for attribute in list(known)[:8]:
        yield f"{name}.{attribute}", 0.2


FAMILY = Template(
    "sorting", 2.6, "Another order: by what decides between things that are alike.", (tie, by_default)
)
