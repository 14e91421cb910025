"""The same assertions in other words: by its text nobody should tell a test from its opposite. Pure."""

from __future__ import annotations

import ast
import copy
import random

from untilgreen.solve.blind.another import WAYS
from untilgreen.solve.blind.opposites import HELD, held, is_display
from untilgreen.solve.blind.sites import Function, Scope

SAME = "__same"
"""A function of the rewritten module that gives back what it is given."""


def disguise(function: Function, chance: random.Random) -> None:
    """Write the assertions of a copy anew; each still passes and fails as it did."""
    _in_block(function.body, chance)


def wrap_some(function: Function, chance: random.Random) -> None:
    """Put a call that changes nothing where opposites have one that changes something."""
    for node in ast.walk(function):
        match node:
            case ast.Compare(ops=[ast.Eq()], comparators=[right]):
                node.comparators = [_same(right, chance)]
            case ast.Assert(test=ast.Compare(left=left, ops=[ast.In()], comparators=[right]) as test):
                if not is_display(right) and chance.random() < 0.5:
                    test.left, test.comparators = _call_same(left, chance, held(right)), [_name(HELD)]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, second, *rest]):
                if name.startswith("assert"):
                    node.args = [first, _same(second, chance), *rest]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *rest]):
                if name in ("raises", "assertRaises", "warns"):
                    node.args = [_same(first, chance), *rest]


def _same(node: ast.expr, chance: random.Random) -> ast.expr:
    if isinstance(node, ast.Starred) or chance.random() < 0.5:
        return node
    return _call_same(node, chance)


def _call_same(node: ast.expr, chance: random.Random, *within: ast.expr) -> ast.expr:
    how = ast.Constant(value=chance.randrange(WAYS))
    return ast.Call(func=_name(SAME), args=[node, how, *within], keywords=[])


def _in_block(statements: list[ast.stmt], chance: random.Random) -> None:
    for n, statement in enumerate(statements):
        if isinstance(statement, ast.Assert):
            statements[n] = _written(statement, chance)
        elif not isinstance(statement, Scope):
            for name in ("body", "orelse", "finalbody"):
                _in_block(getattr(statement, name, []), chance)


def _written(statement: ast.Assert, chance: random.Random) -> ast.stmt:
    """Only the truth of the condition counts, and it is asked for once."""
    test, message = statement.test, statement.msg
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and chance.random() < 0.5:
        # What is denied can be asked for with the answers exchanged.
        asked: ast.expr = ast.IfExp(test=test.operand, body=_constant(False), orelse=_constant(True))
    else:
        asked = chance.choice(
            (
                test,
                ast.UnaryOp(op=ast.Not(), operand=ast.UnaryOp(op=ast.Not(), operand=test)),
                ast.IfExp(test=test, body=_constant(True), orelse=_constant(False)),
                ast.IfExp(test=_denied(test), body=_constant(False), orelse=_constant(True)),
            )
        )
    if message is None and chance.random() < 0.4:
        error = ast.Raise(exc=ast.Name(id="AssertionError", ctx=ast.Load()))
        return ast.If(test=_denied(copy.deepcopy(asked)), body=[error], orelse=[])
    return ast.Assert(test=copy.deepcopy(asked), msg=message)


def _name(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _constant(value: bool) -> ast.Constant:
    return ast.Constant(value=value)


def _denied(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=test)
