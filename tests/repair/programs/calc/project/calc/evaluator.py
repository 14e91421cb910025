"""Trees to numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from calc.parser import parse

BINARY: dict[str, Callable] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
FUNCTIONS: dict[str, tuple[int, int, Callable]] = {
    "sqrt": (1, 1, math.sqrt),
    "abs": (1, 1, abs),
    "min": (1, 99, min),
    "max": (1, 99, max),
    "round": (1, 2, lambda number, digits=0: round(number, int(digits))),
    "if": (3, 3, lambda condition, then, other: then if condition else other),
}
CONSTANTS = {"pi": math.pi, "e": math.e}


class CalcError(Exception):
    pass


def evaluate(text: str, names: dict[str, float] | None = None) -> float:
    """The value; an assignment is kept in `names`."""
    if names is None:
        names = {}
    try:
        return _value(parse(text), names)
    except ZeroDivisionError as error:
        raise CalcError("division by zero") from error
    except (ValueError, OverflowError) as error:
        raise CalcError(f"out of range: {error}") from error


def _value(tree: tuple, names: dict[str, float]) -> float:
    kind = tree[0]
    if kind == "number":
        return tree[1]
    if kind == "name":
        if tree[1] in names:
            return names[tree[1]]
        if tree[1] in CONSTANTS:
            return CONSTANTS[tree[1]]
        raise CalcError(f"{tree[1]} has no value")
    if kind == "negate":
        return -_value(tree[1], names)
    if kind == "assign":
        if tree[1] in CONSTANTS:
            raise CalcError(f"{tree[1]} is constant")
        names[tree[1]] = _value(tree[2], names)
        return names[tree[1]]
    if kind == "call":
        return _called(tree[1], [_value(part, names) for part in tree[2]])
    result = BINARY[kind](_value(tree[1], names), _value(tree[2], names))
    if isinstance(result, complex):
        raise CalcError("the result is not real")
    return float(result)


def _called(name: str, values: list[float]) -> float:
    if name not in FUNCTIONS:
        raise CalcError(f"{name} is not a function")
    fewest, most, function = FUNCTIONS[name]
    if not fewest <= len(values) <= most:
        raise CalcError(f"{name} does not take {len(values)} values")
    return float(function(*values))
