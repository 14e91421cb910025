"""The opposite of an expectation: where the test passes, it cannot hold, whatever the code does. Pure.

Two kinds are needed. A negated one fails because the expectation is met; only a runner that lets everything
pass would let it pass, too. A changed one asks for another value; an object that is equal to everything, or a
check that checks nothing, would not mind.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

CHANGED, STRANGER, UNRELATED, UNHEARD = "__changed", "__stranger", "__unrelated", "__unheard"
"""Names that the rewritten module defines under random ones: a function that makes another value, a value
that is equal to none but itself, an exception and a warning that nobody raises."""
EXACTLY, ROUGHLY, FARTHER, BEYOND = "__exactly", "__roughly", "__farther", "__beyond"
"""Stand for CHANGED, with what is asked of the other value: nothing but the very same one will do, so that a
near one may be written down · it may be rounded · there is some tolerance · it is not in a container."""
HELD = "__held"
"""A variable for a container that is asked twice."""

_NEGATED = {
    "assertEqual": "assertNotEqual",
    "assertTrue": "assertFalse",
    "assertIs": "assertIsNot",
    "assertIsNone": "assertIsNotNone",
    "assertIn": "assertNotIn",
    "assertLess": "assertGreaterEqual",
    "assertIsInstance": "assertNotIsInstance",
    "assertGreater": "assertLessEqual",
    "assertAlmostEqual": "assertNotAlmostEqual",
    "assertRegex": "assertNotRegex",
    "assert_called": "assert_not_called",
    "assert_awaited": "assert_not_awaited",
}
NEGATED = {**_NEGATED, **{other: name for name, other in _NEGATED.items()}}
NEGATED |= {"assert_called_once": "assert_not_called", "assert_awaited_once": "assert_not_awaited"}
NEGATED |= {"assertEquals": "assertNotEqual", "failUnless": "failIf", "assert_": "assertFalse"}
_EQUAL = frozenset(
    (
        *("assertEqual", "assertEquals", "assertListEqual", "assertTupleEqual", "assertDictEqual"),
        *("assertSetEqual", "assertSequenceEqual", "assertMultiLineEqual", "assertAlmostEqual"),
        *("assertCountEqual", "assertJSONEqual", "assertHTMLEqual", "assertQuerySetEqual"),
        *("assert_equal", "assert_array_equal", "assert_allclose", "assert_almost_equal"),
        *("assert_array_almost_equal", "assert_frame_equal", "assert_series_equal", "assert_index_equal"),
        *("assert_approx_equal", "assert_string_equal"),
    )
)
_CALLED_WITH = frozenset(
    (
        *("assert_called_with", "assert_called_once_with", "assert_any_call"),
        *("assert_awaited_with", "assert_awaited_once_with", "assert_any_await"),
    )
)
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assert_raises"})
_WARNS = frozenset({"warns", "assertWarns", "assertWarnsRegex"})
_NAMED = (ast.Name, ast.Attribute)
_TOLERANCES = frozenset({"places", "delta", "rtol", "atol", "rel", "abs", "decimal", "significant"})
_FAR = {ast.Lt: "-inf", ast.LtE: "-inf", ast.Gt: "inf", ast.GtE: "inf"}


@dataclass(frozen=True, slots=True)
class Change:
    """One way to turn an expectation around."""

    kind: Literal["negated", "changed"]
    statements: tuple[ast.stmt, ...]
    type: str = ""
    """The exception that it ends with; empty when that may be any."""


def opposites(statement: ast.stmt) -> tuple[Change, ...]:
    """All ways; none for a statement that expects nothing."""
    match statement:
        case ast.Assert(test=test):
            return tuple(_of_assert(test))
        case ast.Expr(value=ast.Call() as call):
            return tuple(_of_call(call))
        case ast.Expr(value=ast.Await(value=ast.Call() as call)):
            return tuple(
                Change(change.kind, tuple(map(_awaited, change.statements)), change.type)
                for change in _of_call(call)
            )
        case ast.With() | ast.AsyncWith():
            return tuple(_of_with(statement))
        case ast.If(test=test, body=[ast.Raise() | ast.Expr() as last], orelse=[]) if _fails(last):
            denied = ast.If(test=_denied(test), body=[copy.deepcopy(last)], orelse=[])
            return (Change("negated", (denied,)),)
    return ()


def _of_assert(test: ast.expr) -> Iterator[Change]:
    if isinstance(test, ast.Tuple | ast.Constant):
        return
    yield Change("negated", (ast.Assert(test=_denied(test)),), "AssertionError")
    for changed in _changed(test):
        yield Change("changed", (ast.Assert(test=changed),))


def _changed(test: ast.expr) -> Iterator[ast.expr]:
    """The same question with another expectation, to which the answer is no."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            yield from (
                ast.Compare(left=one, ops=[op], comparators=[other])
                for one, other in _other_values(left, op, right)
            )
        case ast.BoolOp(op=ast.And(), values=values):
            for n, value in enumerate(values):
                for other in _changed(value):
                    yield ast.BoolOp(op=ast.And(), values=[*values[:n], other, *values[n + 1 :]])
        case ast.Call(func=ast.Name(id="isinstance") as func, args=[value, _]):
            yield ast.Call(func=func, args=[value, _name(UNRELATED)], keywords=[])


def _other_values(left: ast.expr, op: ast.cmpop, right: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if _matches_anything(left) or _matches_anything(right):
        return
    if isinstance(op, ast.Eq):
        if _is_plain(right) or not _is_plain(left):
            yield left, _call(EXACTLY, right)
        if _is_plain(left) or not _is_plain(right):
            yield _call(EXACTLY, left), right
    elif isinstance(op, ast.In):
        if is_display(right):
            yield left, ast.List(elts=[_name(STRANGER)], ctx=ast.Load())
        else:
            yield _outside(left, right), _name(HELD)
    elif type(op) in _FAR:
        far = ast.Call(func=_name("float"), args=[ast.Constant(value=_FAR[type(op)])], keywords=[])
        opposite = ast.UnaryOp(op=ast.USub(), operand=far)
        if _is_number(right):
            yield left, far
        elif _is_number(left):
            yield opposite, right


def _of_call(call: ast.Call) -> Iterator[Change]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    args = call.args
    if name in _RAISES and len(args) >= 2 and name != "assertRaisesRegex":
        called = ast.Expr(ast.Call(func=args[1], args=args[2:], keywords=call.keywords))
        yield Change("negated", _held_back(args[0], called))
        yield Change("changed", _held_back(args[0], _again(call, [_name(UNRELATED), *args[1:]])))
    if any(isinstance(arg, ast.Starred) for arg in args):
        return
    if name in NEGATED and isinstance(call.func, ast.Attribute):
        func = ast.Attribute(value=call.func.value, attr=NEGATED[name], ctx=ast.Load())
        yield Change("negated", (ast.Expr(ast.Call(func=func, args=args, keywords=call.keywords)),))
    if name in _EQUAL and len(args) >= 2 and not any(map(_matches_anything, args[:2])):
        how = EXACTLY if name in ("assertEqual", "assertEquals") else ROUGHLY
        if len(args) > 2 or any(keyword.arg in _TOLERANCES for keyword in call.keywords):
            how = EXACTLY if how == EXACTLY else FARTHER
        if _is_plain(args[1]) or not _is_plain(args[0]):
            yield Change("changed", (_again(call, [args[0], _call(how, args[1]), *args[2:]]),))
        if _is_plain(args[0]) or not _is_plain(args[1]):
            yield Change("changed", (_again(call, [_call(how, args[0]), *args[1:]]),))
    elif name == "assertIn" and len(args) >= 2:
        outside = _outside(args[0], args[1])
        yield Change("changed", (_again(call, [outside, _name(HELD), *args[2:]]),))
    elif name == "assertIsInstance" and len(args) >= 2:
        yield Change("changed", (_again(call, [args[0], _name(UNRELATED), *args[2:]]),))
    elif name in _CALLED_WITH:
        yield Change("changed", (_again(call, [*args, _name(STRANGER)]),))
    elif name == "assert_has_calls" and args:
        strange = ast.List(elts=[_name(STRANGER)], ctx=ast.Load())
        yield Change("changed", (_again(call, [strange, *args[1:]]),))


def _of_with(statement: ast.With | ast.AsyncWith) -> Iterator[Change]:
    for n, item in enumerate(statement.items):
        call = item.context_expr
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        others = [one for one in statement.items if one is not item]
        if name in _RAISES and (len(call.args) in (1, 2) or call.keywords):
            inner: list[ast.stmt] = list(statement.body)
            if others:
                inner = [type(statement)(items=others, body=inner)]
            expected = call.args[0] if call.args else None
            yield Change("negated", _held_back(expected, *inner))
            yield Change("changed", _held_back(expected, _expecting(statement, n, call, UNRELATED)))
        elif name in _WARNS and call.args:
            yield Change("changed", (_expecting(statement, n, call, UNHEARD),))
        elif name == "assertLogs":
            strange = ast.Call(func=call.func, args=[ast.Constant(value=UNHEARD)], keywords=[])
            yield Change("changed", (_with_item(statement, n, strange),))


def _held_back(expected: ast.expr | None, *statements: ast.stmt) -> tuple[ast.stmt, ...]:
    """What ends or skips tests when nobody expects it, instead of failing one, is made to fail one."""
    nodes = [] if expected is None else list(ast.walk(expected))
    names = {one.id if isinstance(one, ast.Name) else one.attr for one in nodes if isinstance(one, _NAMED)}
    if not names or all(name.endswith(("Error", "Warning")) for name in names):
        return statements
    fails = ast.Raise(exc=_name("AssertionError"))
    handler = ast.ExceptHandler(type=_name("BaseException"), name=None, body=[fails])
    return (ast.Try(body=list(statements), handlers=[handler], orelse=[], finalbody=[]),)


def _expecting(statement: ast.With | ast.AsyncWith, n: int, call: ast.Call, other: str) -> ast.stmt:
    return _with_item(
        statement, n, ast.Call(func=call.func, args=[_name(other), *call.args[1:]], keywords=call.keywords)
    )


def _with_item(statement: ast.With | ast.AsyncWith, n: int, expression: ast.expr) -> ast.stmt:
    items = list(statement.items)
    items[n] = ast.withitem(context_expr=expression, optional_vars=items[n].optional_vars)
    return type(statement)(items=items, body=statement.body)


def _fails(statement: ast.stmt) -> bool:
    """`raise AssertionError(…)`, `pytest.fail(…)`, `self.fail(…)`."""
    match statement:
        case ast.Raise(exc=ast.Name(id="AssertionError") | ast.Call(func=ast.Name(id="AssertionError"))):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="fail"))):
            return True
    return False


def _matches_anything(node: ast.expr) -> bool:
    """`mock.ANY` and its like are equal to every other value, too."""
    names = [getattr(inner, "id", getattr(inner, "attr", "")) for inner in ast.walk(node)]
    return any(name in ("ANY", "Any", "AnyThing", "Anything") or name.startswith("Is") for name in names)


def _is_plain(node: ast.expr) -> bool:
    """Written down in the test, and not made by the code: literals, and calls of `approx` with them."""
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=operand):
            return _is_plain(operand)
        case ast.BinOp(left=left, right=right):
            return _is_plain(left) and _is_plain(right)
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return all(map(_is_plain, elements))
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and _is_plain(key) for key in keys) and all(map(_is_plain, values))
        case ast.Call(func=ast.Name(id="approx") | ast.Attribute(attr="approx")):
            return True
    return False


def is_display(node: ast.expr) -> bool:
    """A container whose elements are all written down."""
    return _is_plain(node) and not isinstance(node, ast.Constant)


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _is_number(operand)
        case ast.Constant(value=int() | float()):
            return True
    return False


def _denied(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=test)


def _name(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _call(name: str, argument: ast.expr) -> ast.Call:
    return ast.Call(func=_name(name), args=[argument], keywords=[])


def _outside(value: ast.expr, container: ast.expr) -> ast.Call:
    return ast.Call(func=_name(BEYOND), args=[value, held(container)], keywords=[])


def held(container: ast.expr) -> ast.expr:
    """Keep a container in HELD while it is used."""
    return ast.NamedExpr(target=ast.Name(id=HELD, ctx=ast.Store()), value=container)


def _again(call: ast.Call, args: list[ast.expr]) -> ast.Expr:
    return ast.Expr(ast.Call(func=call.func, args=args, keywords=call.keywords))


def _awaited(statement: ast.stmt) -> ast.stmt:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return ast.Expr(ast.Await(value=statement.value))
    return statement
