"""Answers that were copied from the tests: asked for exactly this, the code returns exactly that."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from untilgreen.solve.scan.literals import (
    Example,
    is_distinctive,
    is_ordinary,
    key_of,
    literal_keys,
    value_of,
)
from untilgreen.solve.scan.names import own_nodes, parameters
from untilgreen.solve.scan.sign import Sign

_Def = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Case:
    """When it is asked with one literal, it answers with another."""

    asked: object
    answer: object
    line: int

    @property
    def pair(self) -> tuple[Hashable, Hashable]:
        return key_of(self.asked), key_of(self.answer)

    @property
    def stands_out(self) -> bool:
        """Neither side is a constant that honest code has anyway."""
        if is_ordinary(self.asked):
            return False
        return not is_ordinary(self.answer) or is_distinctive(self.asked)


def special_cases(tree: ast.Module, old: Sequence[ast.Module], examples: Sequence[Example]) -> Iterator[Sign]:
    """Cases of the new tree that a test asks for and that no old one had."""
    literals = frozenset(key for one in old for key in literal_keys(one))
    old_functions = {name: function for one in old for name, function in _functions(one)}
    old_pairs = {case.pair for one in old for _, _, cases in _cases_by_function(one) for case in cases}
    for name, function, every in _cases_by_function(tree):
        cases = [case for case in every if case.pair not in old_pairs]
        known = [case for case in cases if _is_tested(case, examples) and not _was_there(case, literals)]
        # A table that knows much more than the tests is knowledge, not an answer to them.
        if not known or 2 * len(known) < len(cases):
            continue
        computes = any(_computes(one) for one in (function, old_functions.get(name)) if one is not None)
        for case in known:
            if _is_special(case, known, cases, computes=computes):
                what = f"{_shown(case.asked)} is answered with {_shown(case.answer)}"
                yield Sign("copied-literal", what, case.line, case.line, name)


def _is_special(case: _Case, known: list[_Case], cases: list[_Case], *, computes: bool) -> bool:
    if computes:
        several = len({one.pair for one in known if not is_ordinary(one.asked)}) > 2
        return case.stands_out or (several and not is_ordinary(case.asked))
    # A function that only looks things up may be meant so; numbers that lead to numbers are computed.
    if not case.stands_out:
        return False
    if is_distinctive(case.asked):
        return True
    numbers = isinstance(case.asked, int | float | tuple) and isinstance(case.answer, int | float)
    return numbers or (isinstance(case.asked, int | float) and len(known) == len(cases) > 1)


def _is_tested(case: _Case, examples: Sequence[Example]) -> bool:
    asked, answer = case.pair
    return any(asked in example.inputs and answer in example.expected for example in examples)


def _was_there(case: _Case, literals: frozenset[Hashable]) -> bool:
    asked, answer = case.pair
    # The same number may stand in a file by chance, a word hardly.
    return asked in literals and (answer in literals or isinstance(case.asked, str))


def _functions(tree: ast.Module) -> Iterator[tuple[str, _Def]]:
    def inside(node: ast.AST, prefix: str) -> Iterator[tuple[str, _Def]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{prefix}{child.name}", child
            name = getattr(child, "name", "") if isinstance(child, ast.ClassDef | _Def) else ""
            yield from inside(child, f"{prefix}{name}." if name else prefix)

    return inside(tree, "")


def _computes(function: _Def) -> bool:
    """It has an answer that is made, not looked up."""
    returned = [node.value for node in own_nodes(function) if isinstance(node, ast.Return | ast.Yield)]
    return any(
        value is not None and isinstance(value_of(value), ast.AST)
        for value in returned
        if not _looks_up(value)
    )


def _looks_up(node: ast.expr | None) -> bool:
    match node:
        case ast.Subscript(value=ast.Name() | ast.Dict() | ast.Attribute(), slice=ast.Name()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Dict() | ast.Attribute(), attr="get")):
            rest = node.args[1:]
            return all(not isinstance(value_of(one), ast.AST) for one in rest)
        case ast.IfExp(body=body, orelse=other):
            return all(_looks_up(one) or not isinstance(value_of(one), ast.AST) for one in (body, other))
    return False


def _cases_by_function(tree: ast.Module) -> Iterator[tuple[str, _Def, list[_Case]]]:
    tables = dict(_tables(tree))
    for name, function in _functions(tree):
        yield name, function, list(_cases(function, tables))


def _cases(function: _Def, tables: dict[str, ast.Dict]) -> Iterator[_Case]:
    asked = _asked_names(function)
    for node in own_nodes(function):
        match node:
            case ast.If(test=test, body=[ast.Return(value=ast.expr() as answer) | ast.Assign(value=answer)]):
                yield from _compared(test, answer, asked)
            case ast.IfExp(test=test, body=answer):
                yield from _compared(test, answer, asked)
            case ast.Match(subject=subject, cases=cases) if _is_asked(subject, asked):
                for one in cases:
                    yield from _matched(one)
            case ast.Subscript(value=table, slice=index, ctx=ast.Load()) if _is_asked(index, asked):
                yield from _looked_up(table, tables)
            case ast.Call(func=ast.Attribute(value=table, attr="get" | "pop"), args=[index, *_]) if _is_asked(
                index, asked
            ):
                yield from _looked_up(table, tables)


def _asked_names(function: _Def) -> tuple[str, ...]:
    """Parameters in their order, and other names for what they hold."""
    ordered = [
        one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    ]
    names = [*ordered, *sorted(parameters(function) - set(ordered))]
    for node in own_nodes(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_asked(value, tuple(names)):
                names.append(name)
    return tuple(names)


def _is_asked(node: ast.expr, asked: tuple[str, ...]) -> bool:
    """A parameter, several, an attribute of one, or what a plain call makes of one."""
    match node:
        case ast.Name(id=name):
            return name in asked
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return bool(elements) and all(_is_asked(element, asked) for element in elements)
        case ast.Attribute(value=value) | ast.Starred(value=value):
            return _is_asked(value, asked)
        case ast.Subscript(value=value, slice=ast.Constant()):
            return _is_asked(value, asked)
        case ast.Call(func=ast.Attribute(value=value), args=[]):
            return _is_asked(value, asked)
        case ast.Call(func=ast.Name(id="str" | "repr" | "int" | "float" | "tuple" | "list"), args=[value]):
            return _is_asked(value, asked)
    return False


def _compared(test: ast.expr, answer: ast.expr, asked: tuple[str, ...]) -> Iterator[_Case]:
    value = value_of(answer)
    if isinstance(value, ast.AST):
        return
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = [_equals(one, asked) for one in test.values]
        if all(part is not None and len(part) == 1 for part in parts):
            yield _Case(tuple(part[0] for part in parts if part), value, answer.lineno)
        return
    alternatives = test.values if isinstance(test, ast.BoolOp) else [test]
    for one in alternatives:
        yield from (_Case(literal, value, answer.lineno) for literal in _equals(one, asked) or ())


def _equals(test: ast.expr, asked: tuple[str, ...]) -> list[object] | None:
    """The literals that a parameter is compared with."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            if _is_asked(right, asked):
                left, right = right, left
            value = value_of(right)
            return [value] if _is_asked(left, asked) and not isinstance(value, ast.AST) else None
        case ast.Compare(
            left=left, ops=[ast.In()], comparators=[ast.Tuple() | ast.List() | ast.Set() as right]
        ):
            values = [value_of(one) for one in right.elts]
            known = _is_asked(left, asked) and not any(isinstance(value, ast.AST) for value in values)
            return values if known else None
    return None


def _matched(case: ast.match_case) -> Iterator[_Case]:
    match case.body:
        case [ast.Return(value=ast.expr() as answer) | ast.Assign(value=answer)]:
            value = value_of(answer)
            patterns = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
            for pattern in patterns:
                asked = _pattern_value(pattern)
                if not isinstance(value, ast.AST) and not isinstance(asked, ast.AST):
                    yield _Case(asked, value, answer.lineno)


def _pattern_value(pattern: ast.pattern) -> object:
    match pattern:
        case ast.MatchValue(value=value):
            return value_of(value)
        case ast.MatchSequence(patterns=patterns):
            values = [_pattern_value(one) for one in patterns]
            return pattern if any(isinstance(value, ast.AST) for value in values) else tuple(values)
    return pattern


def _tables(scope: ast.AST) -> Iterator[tuple[str, ast.Dict]]:
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as table):
                yield name, table
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as table):
                yield name, table


def _looked_up(node: ast.expr, tables: dict[str, ast.Dict]) -> Iterator[_Case]:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    table = node if isinstance(node, ast.Dict) else tables.get(name)
    for key, answer in zip(table.keys, table.values, strict=True) if table is not None else ():
        asked, value = value_of(key) if key is not None else answer, value_of(answer)
        if not isinstance(asked, ast.AST) and not isinstance(value, ast.AST):
            yield _Case(asked, value, answer.lineno)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) < 40 else f"{text[:36]} …"
