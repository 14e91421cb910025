"""What an expression always is: a literal, a name for one, or a small sum of them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

from untilgreen.solve.scan.literals import value_of
from untilgreen.solve.scan.texts import fold

Constants = Mapping[str, ast.expr]
"""Names, and names with `()` behind them for functions that only give a constant."""
_NONE: Constants = {}
_SUMS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_BITS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.BitXor: operator.xor,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_SAME = frozenset({"int", "float", "str", "list", "tuple", "Decimal", "Fraction", "bool"})
_DEEP = 6
_LARGEST = 1 << 64


def constants_in(tree: ast.AST) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = zip(names, values, strict=False)
                found.update({name.id: value for name, value in pairs if isinstance(name, ast.Name)})
            case ast.Assign(targets=targets, value=value):
                found.update({target.id: value for target in targets if isinstance(target, ast.Name)})
            case ast.FunctionDef(name=name, body=[ast.Return(value=ast.expr() as value)]):
                found[f"{name}()"] = value
    return found


def constant_of(node: ast.expr, known: Constants = _NONE, depth: int = 0) -> object:
    """An ast.AST object stands for what is no constant."""
    value = value_of(node)
    if not isinstance(value, ast.AST) or depth > _DEEP:
        return value
    if (text := fold(node)) is not None and not isinstance(node, ast.Name):
        return text
    match node:
        case ast.Name(id=name) if name in known:
            return constant_of(known[name], known, depth + 1)
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner[:1].isupper() and name in known:
            return constant_of(known[name], known, depth + 1)
        case ast.Lambda(body=body):
            return constant_of(body, known, depth + 1)
        case ast.Call(func=ast.Name(id=name), args=[]) if f"{name}()" in known:
            return constant_of(known[f"{name}()"], known, depth + 1)
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _SAME:
            return _converted(name, constant_of(inner, known, depth + 1), node)
        case ast.Call(func=ast.Name(id="complex"), args=[one, other]):
            return constant_of(ast.Tuple(elts=[one, other]), known, depth + 1)
        case ast.Tuple(elts=elements):
            values = [constant_of(one, known, depth + 1) for one in elements]
            return node if any(isinstance(one, ast.AST) for one in values) else tuple(values)
        case ast.BinOp(left=left, op=op, right=right):
            first, second = constant_of(left, known, depth + 1), constant_of(right, known, depth + 1)
            return _calculated(first, op, second, node)
    return node


def _converted(name: str, value: object, node: ast.AST) -> object:
    if name in ("int", "float") and isinstance(value, str):
        try:
            return int(value) if name == "int" else float(value)
        except ValueError:
            return node
    return value


def _calculated(one: object, op: ast.operator, other: object, node: ast.AST) -> object:
    if isinstance(one, int) and isinstance(other, int) and type(op) in _BITS:
        return _BITS[type(op)](one, other)
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    if numbers and type(op) in _SUMS and abs(one) < _LARGEST and abs(other) < _LARGEST:  # type: ignore[arg-type]
        return _SUMS[type(op)](one, other)  # type: ignore[arg-type]
    return node
