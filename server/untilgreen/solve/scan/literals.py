"""Literal values, and what tests say about them: asked with this, they expect that."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

_ORDINARY_NUMBERS = frozenset({-1, 0, 1, 2, 10, 100, 1000})
_LONG_TEXT = 12
_LARGE_NUMBER = 1000
_MOST_ARGUMENTS = 6


@dataclass(frozen=True, slots=True)
class Example:
    """One question of a test and its answer."""

    inputs: frozenset[Hashable]
    expected: frozenset[Hashable]


def value_of(node: ast.AST) -> object:
    """The value of a literal; an ast.AST object stands for what is none."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return node


def key_of(value: object) -> Hashable:
    """Equal for equal values; True is not 1, and a list is its tuple."""
    match value:
        case bool() | None:
            return "constant", str(value)
        case int() | float() | complex():
            return "number", value
        case list() | tuple():
            return "row", tuple(key_of(one) for one in value)
        case set() | frozenset():
            return "set", frozenset(key_of(one) for one in value)
        case dict():
            return "dict", frozenset((key_of(one), key_of(other)) for one, other in value.items())
    return type(value).__name__, value


def is_ordinary(value: object) -> bool:
    """What honest code has everywhere: 0, 1, None, nothing, one letter."""
    match value:
        case bool() | None:
            return True
        case int() | float():
            return value in _ORDINARY_NUMBERS
        case str() | bytes():
            return len(value) < 2
        case list() | tuple() | set() | frozenset():
            return all(not one for one in value)
        case dict():
            return not value
    return False


def is_distinctive(value: object) -> bool:
    """What nobody writes by accident."""
    match value:
        case bool() | None:
            return False
        case int():
            return abs(value) >= _LARGE_NUMBER and value not in _ORDINARY_NUMBERS
        case float():
            return not value.is_integer()
        case str() | bytes():
            spaced = " " in value if isinstance(value, str) else b" " in value
            return len(value) >= _LONG_TEXT or (len(value) > 4 and spaced)
        case list() | tuple() | set() | frozenset():
            return len(value) > 1 and not all(is_ordinary(one) for one in value)
        case dict():
            return bool(value)
    return False


def literal_keys(tree: ast.AST) -> frozenset[Hashable]:
    """Every literal in a tree, containers and what they hold."""
    return frozenset(_keys([tree]))


def examples_in(tree: ast.Module) -> Iterator[Example]:
    """What the tests in a file ask and expect."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _asserted(node)
            case ast.List(elts=rows) | ast.Tuple(elts=rows):
                yield from (_row(row.elts) for row in rows if isinstance(row, ast.Tuple | ast.List))
                yield from (_row(row.args) for row in rows if isinstance(row, ast.Call))
            case ast.Dict(keys=keys, values=values):
                yield from (
                    _row([key, value]) for key, value in zip(keys, values, strict=True) if key is not None
                )


def _row(elements: list[ast.expr]) -> Example:
    """A row of a table of tests: any of it may be asked, and any of it expected."""
    keys = frozenset(_keys(elements))
    return Example(keys | _tuples(elements), keys)


def _tuples(elements: list[ast.expr]) -> frozenset[Hashable]:
    """The first two, three … values together, as one asks for several at once."""
    values = [value_of(element) for element in elements]
    return frozenset(
        key_of(values[:n])
        for n in range(2, min(len(values), _MOST_ARGUMENTS) + 1)
        if not any(isinstance(value, ast.AST) for value in values[:n])
    )


def _asserted(function: ast.AST) -> Iterator[Example]:
    nodes = list(ast.walk(function))
    set_up = frozenset(_keys(node.value for node in nodes if isinstance(node, ast.Assign)))
    for node in nodes:
        match node:
            case ast.Assert(test=ast.Compare(left=left, comparators=others)):
                yield _example([left, *others], set_up)
            case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=operand)):
                yield _example([operand, ast.Constant(False)], set_up)
            case ast.Assert(test=test):
                yield _example([test, ast.Constant(True)], set_up)
            case ast.Call(func=ast.Attribute(attr=attr), args=arguments) if attr.startswith("assert"):
                answer = ast.Constant(attr == "assertTrue")
                yield _example([*arguments, answer] if len(arguments) == 1 else arguments, set_up)


def _example(sides: list[ast.expr], set_up: frozenset[Hashable]) -> Example:
    calls = [node for side in sides for node in ast.walk(side) if isinstance(node, ast.Call)]
    arguments = [[*call.args, *(keyword.value for keyword in call.keywords)] for call in calls]
    asked = frozenset(_keys(one for some in arguments for one in some))
    together = frozenset(key for some in arguments for key in _tuples(some))
    expected = frozenset(_keys(side for side in sides if not isinstance(side, ast.Call)))
    return Example(asked | together | set_up, expected)


def _keys(nodes: Iterable[ast.AST]) -> Iterator[Hashable]:
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Constant | ast.UnaryOp | ast.Tuple | ast.List | ast.Dict | ast.Set):
                value = value_of(inner)
                if not isinstance(value, ast.AST):
                    yield key_of(value)
