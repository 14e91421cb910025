"""Mistakes that people make, as changes of one expression.

Each rule takes a node of a syntax tree of its own and either changes it or says what stands in its place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from repair.bug import Class

BOUNDARIES = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
TURNED = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Div,
    ast.Div: ast.FloorDiv,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
RELATIVES = (
    *(("append", "extend"), ("lstrip", "rstrip"), ("strip", "rstrip"), ("startswith", "endswith")),
    *(("min", "max"), ("any", "all"), ("lower", "upper"), ("find", "rfind"), ("split", "rsplit")),
    *(("keys", "values"), ("ljust", "rjust"), ("partition", "rpartition"), ("add", "discard")),
    *(("popleft", "pop"), ("match", "search"), ("int", "float"), ("list", "set"), ("get", "pop")),
    *(("isdigit", "isalpha"), ("isinstance", "issubclass"), ("floor", "ceil"), ("insert", "append")),
)
WRAPPERS = ("list", "str", "int", "float", "sorted", "set", "tuple", "abs", "reversed", "iter", "bool", "len")
SILENT_METHODS = ("strip", "lower", "copy", "rstrip", "lstrip", "items", "upper", "encode", "decode")


@dataclass(frozen=True, slots=True)
class Mistake:
    kind: str
    family: Class
    make: Callable[[ast.expr], ast.expr]
    """Takes a copy of the node, and gives what stands in its place."""


def mistakes_in(node: ast.AST, names: tuple[str, ...]) -> Iterator[Mistake]:
    """All that can be made in this one node; `names` are those of the function around it."""
    if isinstance(node, ast.Compare):
        yield from _comparisons(node)
    elif isinstance(node, ast.BinOp):
        if type(node.op) in OPERATORS:
            yield Mistake("wrong operator", "changed", _with(op=OPERATORS[type(node.op)]()))
        yield Mistake("missing term", "removed", lambda copy: copy.left)  # type: ignore[attr-defined]
        if not isinstance(node.op, ast.Mult | ast.BitAnd | ast.BitOr):
            yield Mistake("swapped operands", "changed", _swap_operands)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield Mistake("and for or", "changed", _with(op=other))
        for n in range(len(node.values)):
            yield Mistake("missing condition part", "removed", lambda copy, n=n: _without_part(copy, n))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield Mistake("missing sign or not", "removed", lambda copy: copy.operand)  # type: ignore[attr-defined]
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        for name in names:
            if name != node.id:
                yield Mistake("wrong variable", "changed", _with(id=name))
    elif isinstance(node, ast.Slice):
        yield from _slices(node)
    elif isinstance(node, ast.IfExp):
        yield Mistake("swapped branches", "changed", _swap_branches)
        yield Mistake("missing special case", "removed", lambda copy: copy.body)  # type: ignore[attr-defined]
    elif getattr(node, "generators", None) and node.generators[0].ifs:  # type: ignore[attr-defined]
        yield Mistake("missing condition part", "removed", _without_filter)
    yield from _renamed(node)


def _comparisons(node: ast.Compare) -> Iterator[Mistake]:
    for n, op in enumerate(node.ops):
        if type(op) in BOUNDARIES:
            other = BOUNDARIES[type(op)]()
            yield Mistake(
                "comparison boundary", "changed", lambda copy, n=n, other=other: _set(copy, n, other)
            )
        if type(op) in TURNED:
            other = TURNED[type(op)]()
            yield Mistake("wrong operator", "changed", lambda copy, n=n, other=other: _set(copy, n, other))
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot):
        yield Mistake("truth instead of None check", "changed", _truth)


def _constants(node: ast.Constant) -> Iterator[Mistake]:
    value = node.value
    if isinstance(value, bool):
        yield Mistake("wrong constant", "changed", _with(value=not value))
    elif isinstance(value, int):
        yield Mistake("off by one", "changed", _with(value=value + 1))
        if value > 0:
            yield Mistake("off by one", "changed", _with(value=value - 1))
    elif isinstance(value, str) and 0 < len(value) <= 20:
        yield Mistake("wrong text", "changed", _with(value=value[:-1] if len(value) > 1 else ""))
        if value.swapcase() != value:
            yield Mistake("wrong text", "changed", _with(value=value.swapcase()))


def _calls(node: ast.Call) -> Iterator[Mistake]:
    name = getattr(node.func, "id", "")
    if len(node.args) >= 2 and not any(isinstance(one, ast.Starred) for one in node.args):
        yield Mistake("swapped arguments", "changed", _swap_arguments)
        yield Mistake("missing argument", "removed", lambda copy: _without_last(copy, "args"))
    if node.keywords:
        yield Mistake("missing argument", "removed", lambda copy: _without_last(copy, "keywords"))
    if name in WRAPPERS and len(node.args) == 1 and not isinstance(node.args[0], ast.GeneratorExp):
        yield Mistake("missing call around", "removed", lambda copy: copy.args[0])  # type: ignore[attr-defined]
    if isinstance(node.func, ast.Attribute) and node.func.attr in SILENT_METHODS:
        yield Mistake("missing call around", "removed", lambda copy: copy.func.value)  # type: ignore[attr-defined]


def _slices(node: ast.Slice) -> Iterator[Mistake]:
    for end in ("lower", "upper"):
        if getattr(node, end) is not None:
            yield Mistake("wrong index or slice", "changed", _with(**{end: None}))


def _renamed(node: ast.AST) -> Iterator[Mistake]:
    for field in ("id", "attr"):
        said = getattr(node, field, None)
        for pair in RELATIVES:
            if said in pair:
                other = pair[1 - pair.index(said)]
                kind = "wrong method" if field == "attr" else "wrong function"
                yield Mistake(kind, "changed", _with(**{field: other}))


def _with(**fields: object) -> Callable[[ast.expr], ast.expr]:
    def make(copy: ast.expr) -> ast.expr:
        for name, value in fields.items():
            setattr(copy, name, value)
        return copy

    return make


def _set(copy: ast.expr, n: int, op: ast.cmpop) -> ast.expr:
    assert isinstance(copy, ast.Compare)
    copy.ops[n] = op
    return copy


def _truth(copy: ast.expr) -> ast.expr:
    assert isinstance(copy, ast.Compare)
    return copy.left if isinstance(copy.ops[0], ast.IsNot) else ast.UnaryOp(ast.Not(), copy.left)


def _without_part(copy: ast.expr, n: int) -> ast.expr:
    assert isinstance(copy, ast.BoolOp)
    del copy.values[n]
    return copy if len(copy.values) > 1 else copy.values[0]


def _without_filter(copy: ast.expr) -> ast.expr:
    copy.generators[0].ifs = []  # type: ignore[attr-defined]
    return copy


def _without_last(copy: ast.expr, field: str) -> ast.expr:
    getattr(copy, field).pop()
    return copy


def _swap_arguments(copy: ast.expr) -> ast.expr:
    assert isinstance(copy, ast.Call)
    copy.args[0], copy.args[1] = copy.args[1], copy.args[0]
    return copy


def _swap_operands(copy: ast.expr) -> ast.expr:
    assert isinstance(copy, ast.BinOp)
    copy.left, copy.right = copy.right, copy.left
    return copy


def _swap_branches(copy: ast.expr) -> ast.expr:
    assert isinstance(copy, ast.IfExp)
    copy.body, copy.orelse = copy.orelse, copy.body
    return copy
