"""Where something is only named, or used in the one way that is harmless."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solve.scan import tables
from untilgreen.solve.scan.place import Place

_KINDS = frozenset({"builtins.isinstance", "builtins.issubclass"})
_WITH_NAME = frozenset({"builtins.getattr", "builtins.hasattr", "builtins.setattr", "builtins.delattr"})
_PACKING = (".dumps",)


def harmless_mentions(node: ast.AST, place: Place) -> Iterator[ast.AST]:
    """Nodes right below this one that are no sign by themselves."""
    match node:
        case ast.Attribute(value=value):
            yield from _closed(value, place)
        case ast.Assign(targets=[ast.Name()], value=value) if not place.in_class:
            yield from _closed(value, place)
        case ast.NamedExpr(value=value):
            yield from _closed(value, place)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    yield from _closed(default, place)
        case ast.ExceptHandler(type=ast.expr() as kind):
            yield from _alternatives(kind)
        case ast.MatchClass(cls=kind):
            yield kind
        case ast.Compare(
            ops=[ast.Is() | ast.IsNot() | ast.Eq() | ast.NotEq() | ast.In()], comparators=[kind]
        ):
            if isinstance(node.left, ast.Call) and place.resolve(node.left.func) == "builtins.type":
                yield from _alternatives(kind)
        case ast.Subscript(value=value) if place.resolve(node) is not None:
            yield from _through(value, place)
        case ast.Call():
            yield from _of_call(node, place)


def _of_call(node: ast.Call, place: Place) -> Iterator[ast.AST]:
    called = place.resolve(node.func) or ""
    if called in _KINDS and len(node.args) > 1:
        yield from _alternatives(node.args[1])
    if called in _WITH_NAME and len(node.args) > 1 and place.names.text(node.args[1]) is not None:
        yield from _closed(node.args[0], place)
    if place.resolve(node) is not None:
        # What it fetches is looked at, not the way to it.
        yield from (inner for argument in node.args for inner in _closed(argument, place))
        if isinstance(node.func, ast.Attribute):
            yield from _through(node.func.value, place)
    rule = tables.USES.get(called)
    first = node.args[0] if node.args else None
    if (rule == "unpickle" and first is not None and _is_packed(first, place)) or (
        rule == "random-seed" and first is not None and place.is_given(first)
    ):
        yield node.func


def _is_packed(node: ast.expr, place: Place) -> bool:
    """It was packed here a moment ago: nobody else had it."""
    if isinstance(node, ast.Name):
        node = place.names.values.get(node.id) or node
    return isinstance(node, ast.Call) and (place.resolve(node.func) or "").endswith(_PACKING)


def _closed(node: ast.expr, place: Place) -> Iterator[ast.AST]:
    if isinstance(node, ast.Name | ast.Attribute) and place.resolve(node) in tables.CLOSED:
        yield node


def _through(node: ast.expr, place: Place) -> Iterator[ast.AST]:
    """`vars(sys)` in `vars(sys)["path"]`"""
    if place.resolve(node) == "sys.modules":
        return
    yield node
    if isinstance(node, ast.Call):
        yield from node.args
    if isinstance(node, ast.Attribute):
        yield node.value


def _alternatives(kind: ast.expr) -> Iterator[ast.AST]:
    yield kind
    for inner in ast.walk(kind):
        if isinstance(inner, ast.Name | ast.Attribute):
            yield inner
