"""What an expression always is: a text that is put together, a literal, a name for one, a small sum."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

from untilgreen.solve.scan.literals import value_of

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


def fold(node: ast.AST) -> str | None:
    """The text that an expression of constant texts makes."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=bytes(data)):
            return data.decode("latin-1")
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [fold(left), fold(right)]
        case ast.JoinedStr(values=values):
            parts = [fold(value) for value in values]
        case ast.FormattedValue(value=value):
            return fold(value)
        case ast.Call(func=ast.Attribute(value=owner, attr=method), args=arguments):
            return _method(owner, method, arguments)
        case ast.Call(func=ast.Name(id="chr"), args=[ast.Constant(value=int(code))]) if 0 <= code < 0x110000:
            return chr(code)
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return fold(inner)
        case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
            whole = fold(inner)
            return whole[::-1] if whole is not None else None
        case _:
            return None
    return None if None in parts else "".join(part or "" for part in parts)


def _method(owner: ast.expr, method: str, arguments: list[ast.expr]) -> str | None:
    whole = fold(owner)
    if whole is None:
        return None
    match method, arguments:
        case "join", [ast.List(elts=elements) | ast.Tuple(elts=elements)]:
            texts = [fold(element) for element in elements]
            return None if None in texts else whole.join(text or "" for text in texts)
        case "lower" | "upper" | "strip" | "title" | "casefold", []:
            return str(getattr(whole, method)())
        case "decode" | "encode", _:
            return whole
        case "replace", [one, other]:
            old, new = fold(one), fold(other)
            return None if old is None or new is None else whole.replace(old, new)
    return None


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
