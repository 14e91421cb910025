"""Literal values: when two are the same, and which of them nobody writes by accident."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator

_ORDINARY_NUMBERS = frozenset({-1, 0, 1, 2, 10, 100, 1000})
_LONG_TEXT = 12
_LARGE_NUMBER = 1000


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
    return frozenset(keys_in([tree]))


def keys_in(nodes: Iterable[ast.AST]) -> Iterator[Hashable]:
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Constant | ast.UnaryOp | ast.Tuple | ast.List | ast.Dict | ast.Set):
                value = value_of(inner)
                if not isinstance(value, ast.AST):
                    yield key_of(value)


def atoms_of(value: object) -> list[object]:
    """What a value holds in the end, without its containers."""
    match value:
        case list() | tuple() | set() | frozenset():
            return [atom for one in value for atom in atoms_of(one)]
        case dict():
            return [atom for pair in value.items() for atom in atoms_of(pair)]
    return [value]


def is_number(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)
