"""Twins: the same slip in several places of one statement, and the same change in all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View

_SIMPLE = (ast.Return, ast.Assign, ast.AugAssign, ast.Expr, ast.If, ast.While)


@on_statements(2, *_SIMPLE)
def numbers(view: View, statement: Statement) -> Iterator[Edit]:
    root = _root(statement.node)
    for value, nodes in _alike(root, ast.Constant).items():
        if type(value) is int:
            for other in (value + 1, value - 1):
                if other >= 0:
                    sentence = f"Use `{other}` instead of `{value}`, each time."
                    yield _changed(view, statement, nodes, str(other), "twin/number", 3.2, sentence)


@on_statements(2, *_SIMPLE)
def names(view: View, statement: Statement) -> Iterator[Edit]:
    root = _root(statement.node)
    known = view.names_at(statement)
    for name, nodes in _alike(root, ast.Name).items():
        if name not in known or name in ("self", "cls"):
            continue
        kind = view.kind_of(str(name))
        for other in known:
            agreed = kinds.agree(kind, view.kind_of(other))
            if agreed and other not in (name, "self", "cls"):
                cost = 3.6 if agreed == 2 else 4.4
                sentence = f"Use `{other}` instead of `{name}`, each time."
                yield _changed(view, statement, nodes, other, "twin/name", cost, sentence)


def _root(node: ast.stmt) -> ast.expr | None:
    found = node.test if isinstance(node, ast.If | ast.While) else getattr(node, "value", None)
    return found if isinstance(found, ast.expr) else None


def _alike(root: ast.expr | None, kind: type[ast.Constant] | type[ast.Name]) -> dict[object, list[ast.expr]]:
    """By what they are, those that come more than once."""
    found: dict[object, list[ast.expr]] = {}
    waiting: list[ast.AST] = [] if root is None else [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr | ast.Lambda | ast.comprehension):
            continue
        if isinstance(node, kind):
            key: object = node.value if isinstance(node, ast.Constant) else node.id
            if type(key) in (int, str):
                found.setdefault(key, []).append(node)
        waiting += ast.iter_child_nodes(node)
    return {key: nodes for key, nodes in found.items() if len(nodes) > 1}


def _changed(
    view: View,
    statement: Statement,
    nodes: list[ast.expr],
    text: str,
    template: str,
    cost: float,
    sentence: str,
) -> Edit:
    spans = sorted(view.span(node) for node in nodes)
    start, end = spans[0][0], spans[-1][1]
    parts, at = [], start
    for first, last in spans:
        parts += [view.source[at:first], text]
        at = last
    return view.splice(
        start, end, "".join(parts), template, cost, sentence, statement.node.lineno, tier=2, risk=0.3
    )


FAMILY = Template(
    "twin",
    3.2,
    "The same change in all places of one statement where the same slip was made.",
    (numbers, names),
)
