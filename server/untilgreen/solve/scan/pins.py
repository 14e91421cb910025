"""Conditions that only literals meet: `n == 5`, `a in (1, 2)`, `19 < a < 21`, `not a - 20`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from untilgreen.solve.scan.constants import Constants, constant_of
from untilgreen.solve.scan.given import mentions
from untilgreen.solve.scan.literals import is_number

_SAME = frozenset({"str", "repr", "int", "float", "tuple", "list"})
_LIKE = frozenset({"startswith", "endswith", "match", "fullmatch", "search", "__contains__"})
_FEW = 3
_FIRST_ASKS = frozenset({"match", "fullmatch", "search"})


@dataclass(frozen=True, slots=True)
class Pins:
    """Any of these lets the condition be met; each is what must be asked together."""

    alternatives: tuple[tuple[object, ...], ...]
    alike: bool = False
    computed: bool = False
    part: bool = False


Both = tuple[Pins | None, Pins | None]
"""What pins it when the condition is met, and when it is not."""
_NEITHER: Both = (None, None)


def is_asked(node: ast.AST, asked: frozenset[str]) -> bool:
    """A parameter, several, an attribute of one, or what a plain call makes of one."""
    match node:
        case ast.Name(id=name):
            return name in asked
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return bool(elements) and all(is_asked(element, asked) for element in elements)
        case ast.Attribute(value=value) | ast.Starred(value=value) | ast.FormattedValue(value=value):
            return is_asked(value, asked)
        case ast.Subscript(value=value, slice=ast.Constant()):
            return is_asked(value, asked)
        case ast.JoinedStr(values=values):
            return any(is_asked(value, asked) for value in values)
        case ast.Call(func=ast.Attribute(value=value), args=[]):
            return is_asked(value, asked)
        case ast.Call(func=ast.Name(id=name), args=[value]) if name in _SAME:
            return is_asked(value, asked)
    return False


def pins_of(test: ast.expr, asked: frozenset[str], literals: Constants) -> Both:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.BinOp() as difference):
            return _difference(difference, asked, literals), None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yes, no = pins_of(operand, asked, literals)
            return no, yes
        case ast.BoolOp(op=op, values=values):
            return _together(op, [pins_of(value, asked, literals) for value in values])
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(left, op, right, asked, literals)
        case ast.Compare(
            left=low, ops=[ast.Lt() | ast.LtE(), ast.Lt() | ast.LtE()], comparators=[middle, high]
        ):
            return _between(low, middle, high, test.ops, asked, literals), None
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[first, *rest]):
            return _called(owner, attr, first, rest, asked, literals), None
        case ast.Call(func=ast.Name(id="eq"), args=[left, right]):
            return _compared(left, ast.Eq(), right, asked, literals)
    return _NEITHER


def _together(op: ast.boolop, parts: list[Both]) -> Both:
    def every(some: list[Pins | None]) -> Pins | None:
        pinned = [pins for pins in some if pins is not None]
        combined: list[tuple[object, ...]] = [()]
        for pins in pinned:
            combined = [(*before, *one) for before in combined for one in pins.alternatives][:200]
        return _joined(pinned, tuple(combined)) if pinned else None

    def either(some: list[Pins | None]) -> Pins | None:
        if not some or None in some:
            return None
        pinned = [pins for pins in some if pins is not None]
        return _joined(pinned, tuple(one for pins in pinned for one in pins.alternatives))

    yes, no = [part[0] for part in parts], [part[1] for part in parts]
    return (every(yes), either(no)) if isinstance(op, ast.And) else (either(yes), every(no))


def _joined(pinned: list[Pins], alternatives: tuple[tuple[object, ...], ...]) -> Pins:
    return Pins(
        alternatives,
        any(one.alike for one in pinned),
        any(one.computed for one in pinned),
        any(one.part for one in pinned),
    )


def _compared(
    left: ast.expr, op: ast.cmpop, right: ast.expr, asked: frozenset[str], literals: Constants
) -> Both:
    if isinstance(op, ast.In | ast.NotIn):
        among = _contained(left, right, asked, literals)
        return (among, None) if isinstance(op, ast.In) else (None, among)
    if not isinstance(op, ast.Eq | ast.Is | ast.NotEq | ast.IsNot):
        return _NEITHER
    if isinstance(constant_of(left, literals), ast.AST):
        left, right = right, left
    value = constant_of(left, literals)
    if isinstance(value, ast.AST):
        return _NEITHER
    right = _meant(right, asked, literals)
    if isinstance(right, ast.BinOp) and value == 0 and (near := _difference(right, asked, literals)):
        pins = near
    elif is_asked(right, asked):
        whole = value if isinstance(value, tuple) and isinstance(right, ast.Tuple) else (value,)
        pins = Pins((whole,), part=isinstance(right, ast.Subscript | ast.Attribute))
    elif mentions(right, asked):
        pins = Pins(((value,),), computed=True)
    else:
        return _NEITHER
    return (pins, None) if isinstance(op, ast.Eq | ast.Is) else (None, pins)


def _contained(left: ast.expr, right: ast.expr, asked: frozenset[str], literals: Constants) -> Pins | None:
    if isinstance(value := constant_of(left, literals), str) and is_asked(right, asked):
        return Pins(((value,),), alike=True)
    if isinstance(right, ast.Name):
        right = literals.get(right.id, right)
    if isinstance(right, ast.Call) and getattr(right.func, "id", "") == "range":
        right = _few(right, literals)
    if isinstance(right, ast.Call) and len(right.args) == 1:
        right = right.args[0]
    left = _meant(left, asked, literals)
    if not mentions(left, asked) or not isinstance(right, ast.Tuple | ast.List | ast.Set | ast.Dict):
        return None
    elements = right.keys if isinstance(right, ast.Dict) else right.elts
    values = [constant_of(one, literals) for one in elements if one is not None]
    if not values or any(isinstance(one, ast.AST) for one in values):
        return None
    several = isinstance(left, ast.Tuple)
    alternatives = tuple(tuple(one) if several and isinstance(one, tuple) else (one,) for one in values)
    return Pins(alternatives, computed=not is_asked(left, asked))


def _few(call: ast.Call, literals: Constants) -> ast.expr:
    """A range of so few numbers that they could have been named."""
    ends = [constant_of(one, literals) for one in call.args[:2]]
    if len(ends) == 2 and all(type(one) is int for one in ends):
        numbers = range(ends[0], ends[1])  # type: ignore[call-overload]
        if 0 < len(numbers) <= _FEW:
            return ast.Tuple(elts=[ast.Constant(number) for number in numbers])
    return call


def _meant(node: ast.expr, asked: frozenset[str], literals: Constants) -> ast.expr:
    """What a name of its own was made of."""
    return literals.get(node.id, node) if isinstance(node, ast.Name) and node.id not in asked else node


def _between(
    low: ast.expr,
    middle: ast.expr,
    high: ast.expr,
    ops: list[ast.cmpop],
    asked: frozenset[str],
    literals: Constants,
) -> Pins | None:
    """One whole number, and no other, is between."""
    first, last = constant_of(low, literals), constant_of(high, literals)
    if not is_asked(middle, asked) or type(first) is not int or type(last) is not int:
        return None
    first += isinstance(ops[0], ast.Lt)
    last -= isinstance(ops[1], ast.Lt)
    return Pins(((first,),)) if first == last else None


def _difference(node: ast.BinOp, asked: frozenset[str], literals: Constants) -> Pins | None:
    """`a - 20` is nothing for 20 only."""
    value = constant_of(node.right, literals)
    if isinstance(node.op, ast.Sub | ast.BitXor) and is_asked(node.left, asked) and is_number(value):
        return Pins(((value,),))
    return None


def _called(
    owner: ast.expr,
    attr: str,
    first: ast.expr,
    rest: list[ast.expr],
    asked: frozenset[str],
    literals: Constants,
) -> Pins | None:
    if attr in _FIRST_ASKS and rest and is_asked(rest[0], asked):
        owner, first = rest[0], first
    value = constant_of(first, literals)
    if isinstance(value, ast.AST) or not mentions(owner, asked):
        return None
    if not is_asked(owner, asked):
        return Pins(((value,),), computed=True) if attr in _LIKE else None
    if attr in ("__eq__", "eq"):
        return Pins(((value,),))
    return Pins(((value,),), alike=True) if attr in _LIKE and isinstance(value, str) else None
