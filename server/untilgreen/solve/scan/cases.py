"""Special cases in code, in whatever shape: asked with this literal, it answers with that one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from untilgreen.solve.scan.constants import Constants, constant_of, constants_in
from untilgreen.solve.scan.literals import atoms_of, is_number, value_of
from untilgreen.solve.scan.names import own_nodes, parameters
from untilgreen.solve.scan.pins import Pins, is_asked, pins_of

Def = ast.FunctionDef | ast.AsyncFunctionDef
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")
_ROW_ENDS = re.compile(r"[;\n|/\[\](){}]")
_ROWS = (ast.Tuple, ast.List, ast.Dict)
_FEWEST = 3
_MOST = 200
_COUNTING = frozenset({"range", "min", "max", "pow", "divmod", "round", "slice"})


class Computed:
    """An answer that is no literal."""


class Raised:
    """An answer that is an error."""


@dataclass(frozen=True, slots=True)
class Case:
    """When it is asked with some literals, it answers with another."""

    asked: tuple[object, ...]
    answer: object
    line: int
    alike: bool = False
    """What is asked need only look like this: begin with it, or have it inside."""
    any_order: bool = False
    """A row, of which any part may be the answer."""
    computed: bool = False
    """What is compared is made of what is asked, and need not be the same."""
    part: bool = False
    """Only a part of what is asked is compared."""


@dataclass(frozen=True, slots=True)
class Group:
    """Cases that stand together: in one table, or in one function."""

    name: str
    function: Def | None
    cases: list[Case] = field(default_factory=list)


def functions_in(tree: ast.Module) -> Iterator[tuple[str, Def]]:
    """Those with a name, and those without, which are told by their place in what holds them."""

    def inside(node: ast.AST, prefix: str) -> Iterator[tuple[str, Def]]:
        for n, child in enumerate(ast.iter_child_nodes(node)):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{prefix}{child.name}", child
            elif isinstance(child, ast.Lambda):
                yield f"{prefix}<lambda {n}>", _as_function(child, node)
            name = getattr(child, "name", "") if isinstance(child, ast.ClassDef | Def) else ""
            yield from inside(child, f"{prefix}{name}." if name else prefix)

    return inside(tree, "")


def _as_function(node: ast.Lambda, around: ast.AST) -> Def:
    """The same with a name: that of the variable which holds it."""
    body: list[ast.stmt] = [ast.copy_location(ast.Return(value=node.body), node.body)]
    targets = around.targets if isinstance(around, ast.Assign) else []
    name = next((one.id for one in targets if isinstance(one, ast.Name)), "<lambda>")
    return ast.copy_location(ast.FunctionDef(name, node.args, body, []), node)


def groups_in(tree: ast.Module, skipped: frozenset[ast.AST] = frozenset()) -> Iterator[Group]:
    """Conditions by function, and every table, but for functions that are skipped."""
    functions = {name: one for name, one in functions_in(tree) if one not in skipped}
    literals = constants_in(tree)
    for name, function in functions.items():
        group = Group(name, function, list(_conditions(function, literals)))
        if group.cases:
            yield group
    together = _goes_together(tree)
    parts: list[tuple[str, Def | None, ast.AST]] = [(name, one, one) for name, one in functions.items()]
    for name, owner, scope in [*parts, ("", None, tree)]:
        nodes = [node for node in own_nodes(scope) if not isinstance(node, ast.ClassDef)]
        nodes += [
            inner for node in own_nodes(scope) if isinstance(node, ast.ClassDef) for inner in own_nodes(node)
        ]
        for table in _tables(nodes):
            # Who knows so much knows more than the tests.
            if len(table) <= _MOST:
                yield Group(name, owner, table)
        if together and (paired := list(_parallel(nodes))):
            yield Group(name, owner, paired)
        if stored := list(_stored(nodes)):
            yield Group(name, owner, stored)


def _conditions(function: Def, literals: Constants) -> Iterator[Case]:
    asked = asked_names(function)
    yield from _block(function.body, asked, literals, ())
    for node in own_nodes(function):
        if isinstance(node, ast.expr):
            yield from _expression(node, asked, literals)
        elif isinstance(node, ast.Match) and is_asked(node.subject, asked):
            for one in node.cases:
                yield from _matched(one)


def _block(
    body: list[ast.stmt], asked: frozenset[str], literals: Constants, around: tuple[Pins, ...]
) -> Iterator[Case]:
    """Statements, and what is pinned around them."""
    for statement in body:
        match statement:
            case ast.If(test=test, body=inner, orelse=other) | ast.While(test=test, body=inner, orelse=other):
                yes, no = pins_of(test, asked, literals)
                yield from _block(inner, asked, literals, (*around, *([yes] if yes else [])))
                yield from _block(other, asked, literals, (*around, *([no] if no else [])))
                if no and _leaves(inner):
                    around = (*around, no)
            case ast.Assert(test=test):
                yes, _ = pins_of(test, asked, literals)
                around = (*around, *([yes] if yes else []))
            case ast.Return(value=ast.expr() as value) | ast.Assign(value=value):
                yield from _answered(value, around, statement, literals)
                if isinstance(value, ast.Compare) and (yes := pins_of(value, asked, literals)[0]):
                    yield from _of_pins((*around, yes), True, statement)
            case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                yield from _answered(value, around, statement, literals)
            case ast.Raise() if around:
                yield from _of_pins(around, Raised(), statement)
            case ast.For(body=inner) | ast.With(body=inner) | ast.Try(body=inner):
                yield from _block(inner, asked, literals, around)


def _answered(
    value: ast.expr, around: tuple[Pins, ...], node: ast.AST, literals: Constants
) -> Iterator[Case]:
    if around:
        literal = constant_of(value, literals)
        yield from _of_pins(around, Computed() if isinstance(literal, ast.AST) else literal, node)


def _of_pins(around: tuple[Pins, ...], answer: object, node: ast.AST) -> Iterator[Case]:
    combined: list[tuple[object, ...]] = [()]
    for pins in around[:3]:
        combined = [(*before, *one) for before in combined for one in pins.alternatives][:200]
    alike, computed = any(pins.alike for pins in around), any(pins.computed for pins in around)
    part = any(pins.part for pins in around)
    for asked in combined:
        yield Case(asked, answer, getattr(node, "lineno", 1), alike, computed=computed, part=part)


def _expression(node: ast.expr, asked: frozenset[str], literals: Constants) -> Iterator[Case]:
    """Conditions inside of expressions."""
    match node:
        case ast.IfExp(test=test, body=body, orelse=other):
            yes, no = pins_of(test, asked, literals)
            yield from _answered(body, (yes,) if yes else (), body, literals)
            yield from _answered(other, (no,) if no else (), other, literals)
        case ast.BoolOp(op=ast.And(), values=[*tests, last]):
            found = [pins for test in tests if (pins := pins_of(test, asked, literals)[0])]
            if not isinstance(value_of(last), ast.AST):
                yield from _answered(last, tuple(found), last, literals)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            for test, answer in ((left, right), (right, left)):
                if (pins := pins_of(test, asked, literals)[0]) and not isinstance(value_of(answer), ast.AST):
                    yield from _answered(answer, (pins,), answer, literals)
        case ast.Subscript(value=ast.List(elts=answers) | ast.Tuple(elts=answers), slice=test):
            if pins := pins_of(test, asked, literals)[0]:
                for answer in answers:
                    yield from _answered(answer, (pins,), answer, literals)


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue)


def asked_names(function: Def) -> frozenset[str]:
    """Parameters, and other names for what they hold or what is made of them."""
    names = parameters(function)
    for node in own_nodes(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_asked(value, names):
                names |= {name}
    return names


def _matched(case: ast.match_case) -> Iterator[Case]:
    patterns = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
    for statement in case.body:
        if isinstance(statement, ast.Return | ast.Assign) and statement.value is not None:
            value = value_of(statement.value)
            answer = Computed() if isinstance(value, ast.AST) else value
            for pattern in patterns:
                if not isinstance(asked := _pattern_value(pattern), ast.AST):
                    whole = asked if isinstance(asked, tuple) else (asked,)
                    yield Case(whole, answer, statement.lineno)


def _pattern_value(pattern: ast.pattern) -> object:
    match pattern:
        case ast.MatchValue(value=value):
            return value_of(value)
        case ast.MatchSequence(patterns=patterns):
            values = [_pattern_value(one) for one in patterns]
            return pattern if any(isinstance(value, ast.AST) for value in values) else tuple(values)
    return pattern


def _tables(nodes: list[ast.AST]) -> Iterator[list[Case]]:
    """Dictionaries of literals, lists of rows, and texts that hold rows of numbers."""
    comments = {node.value for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        match node:
            case ast.Dict():
                if cases := list(_items(node, ())):
                    yield cases
            case (
                ast.List(elts=rows)
                | ast.Tuple(elts=rows)
                | ast.Set(elts=rows)
                | ast.Call(args=[_, _, *_] as rows)
            ):
                kept = [(value_of(row), row.lineno) for row in rows if isinstance(row, _ROWS)]
                cases = [_row(value, line) for value, line in kept if isinstance(value, tuple | list | dict)]
                if cases := [case for case in cases if len(case.asked) > 1]:
                    yield cases
            case ast.Constant(value=str(text)) if len(text) < 10_000:
                found = [[float(one) for one in _NUMBERS.findall(row)] for row in _ROW_ENDS.split(text)]
                cases = [_row(tuple(row), node.lineno) for row in found if len(row) >= _FEWEST]
                # One row of numbers is in many a text.
                if len(cases) > 1 and node not in comments:
                    yield cases


def _row(value: list[object] | tuple[object, ...] | dict[object, object], line: int) -> Case:
    held = list(value.values()) if isinstance(value, dict) else value
    return Case(tuple(atoms_of(held)), None, line, any_order=True)


def _items(table: ast.Dict, before: tuple[object, ...]) -> Iterator[Case]:
    for key, answer in zip(table.keys, table.values, strict=True):
        asked = value_of(key) if key is not None else answer
        if isinstance(asked, ast.AST):
            continue
        path = (*before, *asked) if isinstance(asked, tuple) else (*before, asked)
        if isinstance(answer, ast.Dict):
            yield from _items(answer, path)
        elif not isinstance(value := constant_of(answer), ast.AST):
            yield Case(path, value, answer.lineno)


def _parallel(nodes: list[ast.AST]) -> Iterator[Case]:
    """Lists that go together, one with what is asked and one with the answers."""
    every = [(value_of(node), node) for node in nodes if isinstance(node, ast.List | ast.Tuple)]
    lists = [(value, node) for value, node in every if isinstance(value, list | tuple)]
    lists = [(value, node) for value, node in lists if 0 < len(value) <= _MOST]
    for keys, _ in lists[:20]:
        for answers, node in lists[:20]:
            if keys is not answers and len(keys) == len(answers):
                for asked, answer in zip(keys, answers, strict=True):
                    whole = tuple(asked) if isinstance(asked, list | tuple) else (asked,)
                    yield Case(whole, answer, getattr(node, "lineno", 1))


def _goes_together(tree: ast.Module) -> bool:
    return any(
        getattr(node, "attr", getattr(node, "id", "")) in ("zip", "index", "enumerate", "map")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name)
    )


def _stored(nodes: list[ast.AST]) -> Iterator[Case]:
    """`T[20, 30] = 50`, `T.setdefault((20, 30), 50)`, `row(20, 30, 50)`"""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Subscript(slice=key)], value=answer):
                pair = [value_of(key), value_of(answer)]
            case ast.Call(
                func=ast.Attribute(attr="setdefault" | "__setitem__" | "put" | "set"), args=[key, answer]
            ):
                pair = [value_of(key), value_of(answer)]
            case ast.Call(args=[_, _, *_] as arguments) if getattr(node.func, "id", "") not in _COUNTING:
                values = [value_of(one) for one in arguments]
                if isinstance(values[0], str) and isinstance(values[1], str):
                    yield Case((values[0],), values[1], node.lineno)
                if all(is_number(value) for value in values):
                    yield Case(tuple(values), None, node.lineno, any_order=True)
                continue
            case _:
                continue
        if not any(isinstance(value, ast.AST) for value in pair):
            asked = pair[0] if isinstance(pair[0], tuple) else (pair[0],)
            yield Case(asked, pair[1], node.lineno)
