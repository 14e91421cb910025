"""Texts that code puts together from constants: cut in pieces, a name is still the same name."""

from __future__ import annotations

import ast


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
