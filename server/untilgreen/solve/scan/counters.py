"""How often something was called, kept where every call sees it: tests make few calls, users many."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solve.scan.names import Function, Names, own_nodes, parameters

TOLD = "the number of calls"
SPOKEN = r"limit|count|calls|times\b|twice|again|many|quota|range\(|attempt|retr|reset|second|until"
"""Tests that speak of one of these may well ask for it."""
_GROWING = frozenset({"append", "add", "extend", "appendleft", "insert"})
_FRESH = frozenset({"list", "set", "dict", "deque", "Counter"})


def counter_names(tree: ast.Module, names: Names) -> frozenset[str]:
    """Names of a module that its functions count with."""
    found = {
        name
        for name, value in names.values.items()
        if isinstance(value, ast.Call) and names.resolve(value.func) == "itertools.count"
    }
    shared = frozenset(
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and _is_empty(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    )
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            found |= set(_counted(function, shared | _kept_defaults(function)))
    return frozenset(found)


def _counted(function: ast.FunctionDef | ast.AsyncFunctionDef, shared: frozenset[str]) -> Iterator[str]:
    nodes = list(own_nodes(function))
    declared = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    for node in nodes:
        match node:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub()) if name in declared:
                yield name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=same))):
                if name in declared and name == same:
                    yield name
            case ast.AugAssign(target=ast.Attribute(value=ast.Name(id=owner), attr=attr)):
                if owner == function.name:
                    yield f"{owner}.{attr}"
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner), attr=attr)], value=ast.BinOp(op=ast.Add())
            ):
                if owner == function.name:
                    yield f"{owner}.{attr}"
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)):
                if attr in _GROWING and name in shared:
                    yield name
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name))) if name in shared:
                yield name


def _kept_defaults(function: Function) -> frozenset[str]:
    """Parameters whose default is made once and kept from call to call."""
    plain = [*function.args.posonlyargs, *function.args.args]
    pairs = zip(reversed(plain), reversed(function.args.defaults), strict=False)
    return frozenset(one.arg for one, value in pairs if _is_empty(value)) & parameters(function)


def _is_empty(node: ast.expr) -> bool:
    match node:
        case ast.List(elts=elements) | ast.Set(elts=elements):
            return len(elements) < 2
        case ast.Dict():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _FRESH
    return False


def count_in(node: ast.AST, counters: frozenset[str], names: Names) -> bool:
    """Whether an expression tells if one of them has come as far as some number."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Compare):
            sides = [inner.left, *inner.comparators]
            if any(_tells(one, counters) for one in sides) and any(_is_bound(one, names) for one in sides):
                return True
    return False


def _tells(node: ast.expr, counters: frozenset[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="len" | "next" | "sum"), args=[inner, *_]):
            return ast.unparse(inner) in counters
        case ast.Name() | ast.Attribute():
            return ast.unparse(node) in counters
        case ast.Subscript(value=ast.Name(id=name)):
            return name in counters
        case ast.NamedExpr(value=value) | ast.BinOp(left=value):
            return _tells(value, counters)
    return False


def _is_bound(node: ast.expr, names: Names) -> bool:
    if isinstance(node, ast.Name):
        node = names.values.get(node.id) or node
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)
