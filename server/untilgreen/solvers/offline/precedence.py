"""How tightly expressions bind: decides where parentheses are needed, and nowhere else."""

from __future__ import annotations

import ast

# The order of Python's grammar. An expression may stand where at most its own level is asked for.
NAMED, TUPLE, YIELD, TEST, OR, AND, NOT, COMPARE = range(8)
BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, TERM, FACTOR, POWER, AWAIT, ATOM = range(8, 18)

_BINARY: dict[type[ast.operator], int] = {
    ast.BitOr: BIT_OR,
    ast.BitXor: BIT_XOR,
    ast.BitAnd: BIT_AND,
    ast.LShift: SHIFT,
    ast.RShift: SHIFT,
    ast.Add: SUM,
    ast.Sub: SUM,
    ast.Mult: TERM,
    ast.MatMult: TERM,
    ast.Div: TERM,
    ast.FloorDiv: TERM,
    ast.Mod: TERM,
    ast.Pow: POWER,
}
_OWN: dict[type[ast.expr], int] = {
    ast.NamedExpr: NAMED,
    ast.Yield: YIELD,
    ast.YieldFrom: YIELD,
    ast.IfExp: TEST,
    ast.Lambda: TEST,
    ast.Compare: COMPARE,
    ast.Await: AWAIT,
    ast.Starred: TUPLE,
}
_ASKED: dict[tuple[type[ast.AST], str], int] = {
    (ast.Compare, "left"): BIT_OR,
    (ast.Compare, "comparators"): BIT_OR,
    (ast.IfExp, "body"): OR,
    (ast.IfExp, "test"): OR,
    (ast.Call, "func"): ATOM,
    (ast.Starred, "value"): BIT_OR,
    (ast.Attribute, "value"): ATOM,
    (ast.Subscript, "value"): ATOM,
    (ast.Subscript, "slice"): TEST,
    (ast.Await, "value"): ATOM,
    (ast.Yield, "value"): TUPLE,
    (ast.comprehension, "iter"): OR,
    (ast.comprehension, "ifs"): OR,
    (ast.Return, "value"): TUPLE,
    (ast.Assign, "value"): TUPLE,
    (ast.AugAssign, "value"): TUPLE,
    (ast.Expr, "value"): TUPLE,
    (ast.For, "iter"): TUPLE,
    (ast.AsyncFor, "iter"): TUPLE,
}


def binary(operator: ast.operator) -> int:
    """The level of an operator with two sides."""
    return _BINARY[type(operator)]


def own(node: ast.expr) -> int:
    """The level of an expression; a tuple without parentheses is the caller's to know."""
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)]
    if isinstance(node, ast.BoolOp):
        return AND if isinstance(node.op, ast.And) else OR
    if isinstance(node, ast.UnaryOp):
        return NOT if isinstance(node.op, ast.Not) else FACTOR
    return _OWN.get(type(node), ATOM)


def asked(parent: ast.AST, field: str) -> int:
    """The level that a place asks for."""
    if isinstance(parent, ast.BinOp):
        level = _BINARY[type(parent.op)]
        if isinstance(parent.op, ast.Pow):
            return AWAIT if field == "left" else FACTOR
        return level if field == "left" else level + 1
    if isinstance(parent, ast.BoolOp):
        return NOT if isinstance(parent.op, ast.And) else AND
    if isinstance(parent, ast.UnaryOp):
        return NOT if isinstance(parent.op, ast.Not) else FACTOR
    if isinstance(parent, ast.Dict) and field == "unpacked":
        return BIT_OR
    return _ASKED.get((type(parent), field), TEST)
