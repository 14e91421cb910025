"""Decorators: one that is missing, or that should not be there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.site import Function
from untilgreen.solvers.offline.templates.returns import holds_yield
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View, once, shown

_OF_CLASSES = ("dataclass", "dataclasses.dataclass", "total_ordering", "functools.total_ordering")
_OF_GENERATORS = ("contextmanager", "contextlib.contextmanager")


@on_statements(1, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
def missing(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    assert isinstance(node, Function | ast.ClassDef)
    lying = view.layout.lines(node)
    if lying is None:
        return
    there = {view.text(one) for one in node.decorator_list}
    line = min((one.lineno for one in node.decorator_list), default=node.lineno)
    start = view.site.offsets.starts[line - 1]
    for text, cost in _fitting(view, statement, node):
        if text not in there:
            code = f"{lying[2]}@{text}{view.layout.newline}"
            sentence = f"Decorate `{node.name}` with `@{shown(text)}`."
            yield view.splice(start, start, code, "decorator/missing", cost, sentence, node.lineno, risk=0.4)


@on_statements(1, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
def superfluous(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    assert isinstance(node, Function | ast.ClassDef)
    starts = view.site.offsets.starts
    following = [*(one.lineno for one in node.decorator_list[1:]), node.lineno]
    for one, line in zip(node.decorator_list, following, strict=False):
        sentence = f"Leave `@{shown(view.text(one))}` out."
        start, end = starts[one.lineno - 1], starts[line - 1]
        yield view.splice(start, end, "", "decorator/superfluous", 3.2, sentence, one.lineno, risk=1.0)


def _fitting(view: View, statement: Statement, node: Function | ast.ClassDef) -> Iterator[tuple[str, float]]:
    known = view.ingredients.of(view.site).globals
    if isinstance(node, ast.ClassDef):
        yield from ((one, 1.8) for one in _OF_CLASSES if one.partition(".")[0] in known)
    elif statement.outer is not None and isinstance(statement.outer.node, ast.ClassDef):
        yield from _of_methods(node)
    elif statement.function is not None:
        for module in ("functools.wraps", "wraps"):
            if module.partition(".")[0] in known:
                yield from ((f"{module}({one})", 1.8) for one in statement.scope.parameters)
    if not isinstance(node, ast.ClassDef) and holds_yield(node):
        yield from ((one, 1.6) for one in _OF_GENERATORS if one.partition(".")[0] in known)
    for text in _elsewhere(view).get(isinstance(node, ast.ClassDef), ()):
        yield text, 2.6


def _of_methods(node: Function) -> Iterator[tuple[str, float]]:
    """What a method looks as if it were."""
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    if names[:1] == ["cls"]:
        yield "classmethod", 1.4
    elif names[:1] != ["self"]:
        yield "staticmethod", 1.6
        if names:
            yield "classmethod", 3.0
    elif len(names) == 1 and not node.name.startswith("__"):
        yield "property", 2.2


@once
def _elsewhere(view: View) -> dict[bool, dict[str, None]]:
    """Decorators of the file: of functions, and of classes."""
    found: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for node in ast.walk(view.site.tree):
        if isinstance(node, Function | ast.ClassDef):
            for one in node.decorator_list:
                found[isinstance(node, ast.ClassDef)][view.text(one)] = None
    return found


FAMILY = Template(
    "decorator", 1.4, "A decorator that is missing, or that should not be there.", (missing, superfluous)
)
