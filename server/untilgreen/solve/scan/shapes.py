"""Signs that are shapes of code: answers that are always the same, handlers that hide everything."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.rules import Rule
from untilgreen.solve.scan.names import Function, Names, own_nodes

Shape = tuple[Rule, str, str, ast.AST, str]
"""Rule, what, key, the node that is to blame, and what the tests must not speak of."""

_BROAD = frozenset({"builtins.Exception", "builtins.BaseException", "builtins.AssertionError"})


def is_constant(function: Function) -> bool:
    """True when whatever it is asked, the answer is one and the same."""
    answers = answers_of(function)
    return len(answers) == 1 and None not in answers


def shapes_of_try(node: ast.Try | ast.TryStar, names: Names) -> Iterator[Shape]:
    for handler in node.handlers:
        caught = "except" if handler.type is None else f"except {ast.unparse(handler.type)}"
        if _is_broad(handler.type, names) and all(_hides(statement) for statement in handler.body):
            yield "swallowed-exception", caught, "except", handler, ""
    for statement in node.finalbody:
        for inner in (statement, *own_nodes(statement)):
            if isinstance(inner, ast.Return):
                yield "swallowed-exception", "return in finally", "finally", inner, ""


def suppresses(node: ast.Call, names: Names) -> bool:
    """`contextlib.suppress(Exception)`"""
    return names.resolve(node.func) == "contextlib.suppress" and any(
        names.resolve(argument) in _BROAD for argument in node.args
    )


def answers_of(function: Function) -> set[object]:
    """The truth of each answer; None stands for one that depends on something."""
    if isinstance(function, ast.Lambda):
        return {_truth(function.body)}
    nodes = list(own_nodes(function))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes):
        return {None}
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    # To hand the question on is no answer.
    answers = [
        value for value in returned if not (isinstance(value, ast.Name) and value.id == "NotImplemented")
    ]
    return {None if value is None else _truth(value) for value in answers}


def _truth(node: ast.expr) -> object:
    """True or False when it is always that; None when it depends."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _truth(operand)
            return None if inner is None else not inner
        case ast.BoolOp(op=ast.Or(), values=values) if any(_truth(value) is True for value in values):
            return True
        case ast.BoolOp(op=ast.And(), values=values) if any(_truth(value) is False for value in values):
            return False
        case ast.BoolOp(values=values):
            inner = {_truth(value) for value in values}
            return inner.pop() if len(inner) == 1 else None
        case ast.IfExp(body=body, orelse=other):
            return _truth(body) if _truth(body) == _truth(other) else None
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(left, op, right)
        case ast.Call(func=ast.Name(id="bool"), args=[inner]):
            return _truth(inner)
        case ast.Call(func=ast.Name(id="hash" | "len"), args=[ast.Constant()]):
            return True
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
    return None


def _compared(left: ast.expr, op: ast.cmpop, right: ast.expr) -> object:
    same = ast.dump(left) == ast.dump(right)
    plain = isinstance(left, ast.Name | ast.Constant | ast.Attribute)
    if same and plain and isinstance(op, ast.Eq | ast.Is | ast.LtE | ast.GtE):
        return True
    if same and plain and isinstance(op, ast.NotEq | ast.IsNot | ast.Lt | ast.Gt):
        return False
    return None


def _is_broad(node: ast.expr | None, names: Names) -> bool:
    if node is None:
        return True
    if isinstance(node, ast.Name):
        node = names.values.get(node.id) or node
    caught = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(names.resolve(one) in _BROAD for one in caught)


def _hides(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Continue() | ast.Break() | ast.Delete() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Return(value=None):
            return True
        case ast.Return(value=value) | ast.Assign(value=value):
            return value is not None and is_literal(value)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="debug"))):
            return True
    return False


def is_literal(node: ast.AST) -> bool:
    """A constant, or a container of constants."""
    match node:
        case ast.Constant():
            return True
        case ast.Call(func=ast.Name(id="dict" | "list" | "tuple" | "set" | "str" | "int" | "float" | "bool")):
            return all(map(is_literal, node.args))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not(), operand=operand):
            return is_literal(operand)
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return all(is_literal(element) for element in elements)
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and is_literal(key) for key in keys) and all(map(is_literal, values))
    return False
