"""Numbers of the tests that a function treats in a way of its own: in a condition, a table or a set.

An author who knows such numbers knows others of their kind, too, or they are a fact, like the codes of a
protocol. Who knows those of the tests, where the code counts or once counted, corrects what tests look at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from untilgreen.solve.scan.cases import Def, asked_names, functions_in
from untilgreen.solve.scan.constants import Constants, constant_of, constants_in
from untilgreen.solve.scan.examples import Example
from untilgreen.solve.scan.literals import is_known_number, is_number, is_ordinary, key_of
from untilgreen.solve.scan.names import own_nodes
from untilgreen.solve.scan.pins import is_asked, pins_of
from untilgreen.solve.scan.sign import Sign

_COUNTING = frozenset({"range", "sum", "pow", "divmod", "abs", "sqrt", "isqrt", "gcd", "factorial", "hypot"})
_LOOKING_UP = frozenset({"get", "count", "index", "__contains__", "__getitem__", "pop"})
_MOST = 200


@dataclass(frozen=True, slots=True)
class _Pinned:
    """One number that what is asked is held against."""

    value: float
    names: frozenset[str]
    line: int
    corrects: bool = False
    """What is found for it is added to something, or taken from it."""
    made: bool = False
    """What is held against it is made of what is asked: it may be the answer that a test expects."""


def pinned_numbers(
    tree: ast.Module,
    old: Sequence[ast.Module],
    examples: Sequence[Example],
    skipped: frozenset[ast.AST] = frozenset(),
) -> Iterator[Sign]:
    """Those that the patch brought, and that its tests ask for."""
    before = {name: (function, one) for one in old for name, function in functions_in(one)}
    literals = constants_in(tree)
    added_to = frozenset(_added_to(tree))
    for name, function in functions_in(tree):
        if function in skipped:
            continue
        former, former_tree = before.get(name, (None, None))
        known = (
            {one.value for one in _pinned(former, constants_in(former_tree))}
            if former is not None and former_tree is not None
            else set()
        )
        every = [one for one in _pinned(function, literals) if one.value not in known]
        fresh = [one for one in every if not one.made]
        asking = _asking(function.name, examples)
        for one in _awaited([one for one in every if one.made], asking):
            yield Sign("copied-literal", f"{one.value:g} is an answer of the tests", one.line, one.line, name)
        counts = function.name in added_to or any(
            _counts(one, frozenset().union(*(pin.names for pin in fresh)))
            for one in (function, former)
            if one is not None
        )
        for one in _special(fresh, asking, counts=counts, answers=_answers_only(function)):
            shown = int(one.value) if one.value == int(one.value) else one.value
            yield Sign("copied-literal", f"{shown} is treated in a way of its own", one.line, one.line, name)


def _special(
    fresh: Sequence[_Pinned], asking: Sequence[Example], *, counts: bool, answers: bool
) -> list[_Pinned]:
    values = {one.value for one in fresh}
    tested = {value for value in values if any(key_of(value) in one.inputs for one in asking)}
    others = len(values) - len(tested)
    if not tested or all(map(is_ordinary, tested)) or _is_run(values):
        return []
    if not counts and not answers:
        return []
    if all(is_known_number(value, counting=counts) for value in tested):
        return []
    correcting = [one for one in fresh if one.corrects and one.value in tested]
    # Where something was counted before, half of a list may be there for the looks of it.
    if others < len(tested) + counts and (len(tested) > 1 or (correcting and counts)):
        return [one for one in fresh if one.value in tested]
    return correcting if len({one.value for one in correcting}) > 1 and others <= len(tested) else []


def _awaited(made: Sequence[_Pinned], asking: Sequence[Example]) -> list[_Pinned]:
    """Results that are let through because tests expect just these."""
    values = {one.value for one in made if not is_ordinary(one.value)}
    expected = {value for value in values if any(key_of(value) in one.expected for one in asking)}
    enough = len(expected) > 1 and 2 * len(expected) > len(values) and not _is_run(values)
    return [one for one in made if one.value in expected] if enough else []


def _is_run(values: set[float]) -> bool:
    """Numbers without a gap are a range that somebody wrote out."""
    return len(values) > 1 and max(values) - min(values) == len(values) - 1


def _asking(name: str, examples: Sequence[Example]) -> list[Example]:
    """Examples of a function; of one that no test names, all, for it helps another."""
    named = any(name in one.called for one in examples)
    return [one for one in examples if one.inputs and (not named or not one.called or name in one.called)]


def _pinned(function: Def, literals: Constants) -> Iterator[_Pinned]:
    asked = asked_names(function)
    columns = _columns(function, literals)
    corrected = set(_parts_of_sums(function))
    for node in own_and_lambdas(function):
        corrects = node in corrected
        for values, subject, made in _held_against(node, asked, literals, columns):
            names = frozenset(
                inner.id for inner in ast.walk(subject) if isinstance(inner, ast.Name) and inner.id in asked
            )
            line = getattr(node, "lineno", function.lineno)
            if names and len(values) <= _MOST:
                yield from (
                    _Pinned(float(value), names, line, corrects, made)  # type: ignore[arg-type]
                    for value in values
                    if is_number(value) and not isinstance(value, complex)
                )


def own_and_lambdas(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, with those of nameless functions in it."""
    for node in own_nodes(function):
        yield node
        if isinstance(node, ast.Lambda):
            yield from own_and_lambdas(node)


def _held_against(
    node: ast.AST,
    asked: frozenset[str],
    literals: Constants,
    columns: Mapping[str, list[object]],
) -> Iterator[tuple[list[object], ast.AST, bool]]:
    """The values, what is held against them, and whether that is made of what is asked."""
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]) if column := _column(
            left, columns
        ) or _column(right, columns):
            if is_asked(left, asked) or is_asked(right, asked):
                yield column, node, False
        case ast.Compare():
            for pins in pins_of(node, asked, literals):
                if pins is not None and not (pins.alike or pins.part):
                    yield [value for one in pins.alternatives for value in one], node, pins.computed
        case ast.Call(func=ast.Attribute(value=table, attr=attr), args=[key, *_]) if attr in _LOOKING_UP:
            if is_asked(key, asked):
                yield _keys(table, literals), key, False
        case ast.Subscript(value=table, slice=key) if is_asked(key, asked):
            if isinstance(_meant(table, literals), ast.Dict):
                yield _keys(table, literals), key, False
        case ast.Match(subject=subject, cases=cases) if is_asked(subject, asked):
            for inner in (inner for one in cases for inner in ast.walk(one.pattern)):
                if isinstance(inner, ast.MatchValue):
                    yield [constant_of(inner.value, literals)], subject, False


def _keys(table: ast.expr, literals: Constants) -> list[object]:
    match _meant(table, literals):
        case ast.Dict(keys=keys):
            values = [constant_of(key, literals) for key in keys if key is not None]
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            values = [constant_of(one, literals) for one in elements]
        case _:
            return []
    return [atom for value in values for atom in (value if isinstance(value, tuple) else (value,))]


def _meant(node: ast.expr, literals: Constants) -> ast.expr:
    return literals.get(node.id, node) if isinstance(node, ast.Name) else node


def _columns(function: ast.AST, literals: Constants) -> dict[str, list[object]]:
    """What names of loops over rows of literals hold, turn by turn."""
    found: dict[str, list[object]] = {}
    for node in own_and_lambdas(function):
        if not isinstance(node, ast.For | ast.comprehension):
            continue
        rows = constant_of(_meant(node.iter, literals), literals)
        if not isinstance(rows, list | tuple | set | frozenset) or len(rows) > _MOST:
            continue
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        for n, target in enumerate(targets):
            column = [row[n] if isinstance(row, tuple | list) and len(row) > n else row for row in rows]
            if isinstance(target, ast.Name) and column:
                found[target.id] = column
    return found


def _column(node: ast.expr, columns: Mapping[str, list[object]]) -> list[object]:
    return columns.get(node.id, []) if isinstance(node, ast.Name) else []


def _parts_of_sums(function: ast.AST) -> Iterator[ast.AST]:
    """What is added to something, taken from it or multiplied with it: lookups and conditions."""
    named = {
        target.id: node.value
        for node in own_nodes(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in own_and_lambdas(function):
        sides: list[ast.AST] = []
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
                sides = [left, right]
            case ast.AugAssign(value=value):
                sides = [value]
            case ast.If(body=body) if any(isinstance(one, ast.AugAssign) for one in body):
                sides = [node.test]
        for side in sides:
            meant = named.get(side.id, side) if isinstance(side, ast.Name) else side
            if isinstance(meant, ast.Call | ast.Subscript | ast.Compare | ast.IfExp):
                yield from ast.walk(meant)


def _added_to(tree: ast.AST) -> Iterator[str]:
    """Functions whose answers are a part of a sum."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            for side in (node.left, node.right):
                if isinstance(side, ast.Call) and isinstance(side.func, ast.Name):
                    yield side.func.id


def _counts(function: ast.AST, names: frozenset[str]) -> bool:
    """Whether it calculates with what is pinned."""
    for node in own_and_lambdas(function):
        counting = isinstance(node, ast.BinOp) or (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) in _COUNTING
        )
        if counting and any(isinstance(one, ast.Name) and one.id in names for one in _operands(node)):
            return True
    return False


def _operands(node: ast.AST) -> Iterator[ast.AST]:
    """Without conditions and tables, whose keys are not calculated with."""
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        one = waiting.pop()
        yield one
        looks_up = isinstance(one, ast.Call) and getattr(one.func, "attr", "") in _LOOKING_UP
        if not isinstance(one, ast.Compare | ast.Subscript | ast.Dict) and not looks_up:
            waiting += ast.iter_child_nodes(one)


def _answers_only(function: Def) -> bool:
    """Yes or no is all that it says, and it says so by these numbers alone."""
    returned = [node.value for node in own_nodes(function) if isinstance(node, ast.Return)]
    return bool(returned) and all(
        isinstance(value, ast.Compare | ast.BoolOp)
        or (isinstance(value, ast.Constant) and isinstance(value.value, bool))
        or (isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("any", "bool"))
        for value in returned
    )
