"""Twins: the same slip in several places of one statement, and the same change in all of them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.precedence import ATOM
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View, shown

_SIMPLE = (ast.Return, ast.Assign, ast.AugAssign, ast.Expr, ast.If, ast.While)

_MOST_PARTS = 10
_PAIRS = (("min", "max"), ("any", "all"), ("left", "right"), ("floor", "ceil"))


@on_statements(2, *_SIMPLE)
def numbers(view: View, statement: Statement) -> Iterator[Edit]:
    root = _root(statement.node)
    for value, nodes in _alike(root, ast.Constant).items():
        if type(value) is int:
            for other in (value + 1, value - 1):
                if other >= 0:
                    sentence = f"Use `{other}` instead of `{value}`, each time."
                    texts = dict.fromkeys(map(view.span, nodes), str(other))
                    yield _changed(view, statement, texts, "twin/number", 3.2, sentence)


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
                texts = dict.fromkeys(map(view.span, nodes), other)
                yield _changed(view, statement, texts, "twin/name", cost, sentence)


@on_statements(2, *_SIMPLE)
def exchanged(view: View, statement: Statement) -> Iterator[Edit]:
    """`min(a, b), max(c, d)` for `max(a, b), min(c, d)`."""
    root = _root(statement.node)
    called = [node for node in ast.walk(root) if isinstance(node, ast.Name)] if root is not None else []
    for one, other in _PAIRS:
        turned = {one: other, other: one}
        nodes = [node for node in called if node.id in turned]
        if len({node.id for node in nodes}) == 2:
            texts = {view.span(node): turned[node.id] for node in nodes}
            sentence = f"Exchange `{one}` and `{other}`."
            yield _changed(view, statement, texts, "twin/exchanged", 2.4, sentence)


@on_statements(2, *_SIMPLE)
def crossed(view: View, statement: Statement) -> Iterator[Edit]:
    """`a * (b - x) + c * (x - b)` with the two factors exchanged: each stands where the other belongs."""
    root = _root(statement.node)
    found = [
        part
        for node in (ast.walk(root) if root is not None else ())
        if isinstance(node, ast.BinOp)
        for part in (node.left, node.right)
        if not isinstance(part, ast.Constant)
    ]
    if len(found) > _MOST_PARTS:
        return
    for one, other in itertools.combinations(sorted(found, key=view.span), 2):
        (_, end), (start, _) = view.span(one), view.span(other)
        if end > start or view.text(one) == view.text(other) or not view.source[end:start].strip("() "):
            continue
        if kinds.agree(view.kind(one), view.kind(other)):
            texts = {view.span(at): _standing(view, at, new) for at, new in ((one, other), (other, one))}
            sentence = f"Exchange `{shown(view.text(one))}` and `{shown(view.text(other))}`."
            yield _changed(view, statement, texts, "twin/crossed", 3.2, sentence)


def _standing(view: View, place: ast.expr, new: ast.expr) -> str:
    """The text of another expression in this place, with its parentheses or without."""
    return view.text(new) if view.wrapping_of(place) is not None else view.part(new, ATOM)


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
    texts: dict[tuple[int, int], str],
    template: str,
    cost: float,
    sentence: str,
) -> Edit:
    """By where it stands, what stands there instead."""
    start, end = min(texts)[0], max(texts)[1]
    parts, at = [], start
    for (first, last), text in sorted(texts.items()):
        parts += [view.source[at:first], text]
        at = last
    return view.splice(
        start, end, "".join(parts), template, cost, sentence, statement.node.lineno, tier=2, risk=0.3
    )


FAMILY = Template(
    "twin",
    3.2,
    "The same change in all places of one statement where the same slip was made.",
    (numbers, names, exchanged, crossed),
)
