"""Which local names of a function hold what its caller gave, or something temporary."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from untilgreen.solve.scan.folders import reaches
from untilgreen.solve.scan.names import Function, Names, own_nodes, parameters
from untilgreen.solve.scan.tables import WITNESSES

_TEMPORARY = ("tempfile.",)
_GIVEN_CALLS = frozenset({"parse_args", "parse_known_args"})


def given_names(function: Function, names: Names, outer: frozenset[str]) -> frozenset[str]:
    """Parameters, and all that is made from them or from what a user typed as arguments."""
    return _closure(function, names, outer | parameters(function), _is_argument)


def temporary_names(function: ast.AST, names: Names, outer: frozenset[str]) -> frozenset[str]:
    """What is made from a temporary file or folder."""
    return _closure(function, names, outer, is_temporary)


def path_names(function: ast.AST, names: Names, outer: frozenset[str]) -> frozenset[str]:
    """What is made from a path."""
    return _closure(function, names, outer, lambda node, names: reaches(node, names, "pathlib."))


def witness_names(function: ast.AST, names: Names, outer: Mapping[str, str]) -> dict[str, str]:
    """What is made from something that shows where the code runs, and from what."""
    known = dict(outer)
    flows = list(_flows(function))
    for _ in range(len(flows)):
        more = {
            name: told
            for target, value in flows
            if (told := witness_in(value, names, known)) is not None
            for name in _targets(target)
        }
        if more.keys() <= known.keys():
            break
        known |= more
    return known


def witness_in(node: ast.AST, names: Names, known: Mapping[str, str]) -> str | None:
    """The first thing in an expression that shows where the code runs."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in known:
            return known[inner.id]
        if isinstance(inner, ast.Attribute) and inner.attr == "isatty":
            return "isatty"
        if isinstance(inner, ast.Name | ast.Attribute | ast.Call):
            found = names.resolve(inner)
            if found in WITNESSES:
                return found
    return None


def mentions(node: ast.AST, some: frozenset[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in some for inner in ast.walk(node))


def is_temporary(node: ast.AST, names: Names) -> bool:
    return any(
        (found := names.resolve(inner)) is not None and found.startswith(_TEMPORARY)
        for inner in ast.walk(node)
    )


def _is_argument(node: ast.AST, names: Names) -> bool:
    return is_temporary(node, names) or any(
        (isinstance(inner, ast.Attribute) and inner.attr in _GIVEN_CALLS)
        or names.resolve(inner) == "sys.argv"
        for inner in ast.walk(node)
    )


def _closure(
    function: ast.AST, names: Names, first: frozenset[str], also: Callable[[ast.AST, Names], bool]
) -> frozenset[str]:
    known = first
    flows = list(_flows(function))
    while True:
        more = {
            name
            for target, value in flows
            if mentions(value, known) or also(value, names)
            for name in _targets(target)
        }
        if more <= known:
            return known
        known |= more


def _flows(function: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    for node in own_nodes(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.NamedExpr(target=target, value=value)
            ):
                yield target, value
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                yield target, value
            case ast.comprehension(target=target, iter=value):
                yield target, value
            case ast.withitem(optional_vars=ast.expr() as target, context_expr=value):
                yield target, value


def _targets(target: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
