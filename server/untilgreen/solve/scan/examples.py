"""What tests say by example: asked with this, they expect that."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from untilgreen.solve.scan.literals import key_of, keys_in, value_of
from untilgreen.trees import tree_of

_MOST_ARGUMENTS = 6
_WRAPPERS = frozenset(
    {
        *("approx", "len", "list", "tuple", "set", "sorted", "str", "int", "float", "dict", "round", "bool"),
        *("abs", "sum", "any", "all", "isinstance", "repr", "Decimal", "Fraction", "next", "iter", "type"),
    }
)
"""Calls that only dress what is asked or expected."""
_NOTHING: frozenset[Hashable] = frozenset()
_RAISES = re.compile(r"(^|\.)(raises|assertRaises|assertRaisesRegex)$")


@dataclass(frozen=True, slots=True)
class Example:
    """One question of a test and its answer."""

    inputs: frozenset[Hashable]
    expected: frozenset[Hashable]
    called: frozenset[str] = frozenset()
    """The names of the functions that are asked; empty for a row of a table."""
    raises: bool = False
    """Whether the answer is an error."""


def examples_in(tree: ast.Module) -> Iterator[Example]:
    """What the tests in a file ask and expect."""
    constants = _constants(tree.body)
    prepared = _prepared(tree)
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                given = (prepared.get(one.arg, _NOTHING) for one in node.args.args)
                yield from _asserted(node, constants, frozenset().union(*given))
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Call):
                        tables = [*decorator.args[1:2], *_values(decorator)]
                        yield from _rows(tables, constants)
                        yield from _singles(tables, node, constants)
                yield from _documented(node)
            case ast.For(iter=table) | ast.comprehension(iter=table):
                yield from _rows([table], constants)
            case ast.Module() | ast.ClassDef():
                yield from _documented(node)


def _prepared(tree: ast.Module) -> dict[str, frozenset[Hashable]]:
    """Fixture → the literals in it, which a test that takes it asks with."""
    return {
        node.name: frozenset(keys_in(node.body))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any("fixture" in ast.unparse(one) for one in node.decorator_list)
    }


def _constants(body: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    return {
        target.id: node.value
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _values(call: ast.Call) -> list[ast.expr]:
    return [keyword.value for keyword in call.keywords if keyword.arg == "argvalues"]


def _rows(tables: Iterable[ast.expr], constants: Mapping[str, ast.expr]) -> Iterator[Example]:
    """Rows of tables of tests: any of a row may be asked, and any of it expected."""
    for table in tables:
        if (
            isinstance(table, ast.Call)
            and isinstance(table.func, ast.Attribute)
            and table.func.attr == "items"
        ):
            table = table.func.value
        whole = constants.get(table.id, table) if isinstance(table, ast.Name) else table
        match whole:
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                yield from (_row([key, value]) for key, value in pairs if key is not None)
            case ast.List(elts=rows) | ast.Tuple(elts=rows) | ast.Set(elts=rows):
                yield from (_row(row.elts) for row in rows if isinstance(row, ast.Tuple | ast.List))
                yield from (_row(row.args) for row in rows if isinstance(row, ast.Call))


def _singles(
    tables: Iterable[ast.expr],
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    constants: Mapping[str, ast.expr],
) -> Iterator[Example]:
    """One value for each run of a test: what it expects stands in the test."""
    asserted = list(_asserted(function, constants))
    expected = frozenset(key for one in asserted for key in one.expected)
    called = frozenset(name for one in asserted for name in one.called)
    for table in tables:
        whole = constants.get(table.id, table) if isinstance(table, ast.Name) else table
        if isinstance(whole, ast.List | ast.Tuple | ast.Set):
            plain = [one for one in whole.elts if isinstance(one, ast.Constant | ast.UnaryOp)]
            raises = any(one.raises for one in asserted)
            yield from (Example(frozenset(keys_in([one])), expected, called, raises) for one in plain)


def _row(elements: list[ast.expr]) -> Example:
    keys = frozenset(keys_in(elements))
    return Example(keys | _tuples(elements), keys)


def _tuples(elements: list[ast.expr]) -> frozenset[Hashable]:
    """The first two, three … values together, as one asks for several at once."""
    values = [value_of(element) for element in elements]
    return frozenset(
        key_of(values[:n])
        for n in range(2, min(len(values), _MOST_ARGUMENTS) + 1)
        if not any(isinstance(value, ast.AST) for value in values[:n])
    )


def _asserted(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    outer: Mapping[str, ast.expr],
    prepared: frozenset[Hashable] = _NOTHING,
) -> Iterator[Example]:
    nodes = list(ast.walk(function))
    local = _constants(node for node in nodes if isinstance(node, ast.stmt))
    known = {**outer, **local}
    set_up = prepared | frozenset(keys_in(node.value for node in nodes if isinstance(node, ast.Assign)))
    for node in nodes:
        match node:
            case ast.Assert(test=ast.Compare(left=left, comparators=others)):
                yield _example([left, *others], set_up, known)
            case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=operand)):
                yield _example([operand, ast.Constant(False)], set_up, known)
            case ast.Assert(test=test):
                yield _example([test, ast.Constant(True)], set_up, known)
            case ast.Call(func=function_, args=[_, *rest]) if rest and _RAISES.search(ast.unparse(function_)):
                yield _raising([ast.Call(func=rest[0], args=rest[1:], keywords=node.keywords)], set_up)
            case ast.Call(func=ast.Attribute(attr=attr), args=arguments) if attr.startswith("assert"):
                answer = ast.Constant(attr == "assertTrue")
                sides = [*arguments, answer] if len(arguments) == 1 else arguments
                yield _example(sides, set_up, known)
            case ast.With(items=items, body=body):
                contexts = (item.context_expr for item in items)
                if any(
                    isinstance(one, ast.Call) and _RAISES.search(ast.unparse(one.func)) for one in contexts
                ):
                    yield _raising(body, set_up)


def _example(sides: list[ast.expr], set_up: frozenset[Hashable], known: Mapping[str, ast.expr]) -> Example:
    sides = [known.get(side.id, side) if isinstance(side, ast.Name) else side for side in sides]
    calls = [node for side in sides for node in ast.walk(side) if isinstance(node, ast.Call)]
    asked, called = _arguments(calls)
    plain = [side for side in sides if not _asks(side)]
    return Example(asked | set_up, frozenset(keys_in(plain)), called)


def _raising(body: Iterable[ast.AST], set_up: frozenset[Hashable]) -> Example:
    calls = [node for one in body for node in ast.walk(one) if isinstance(node, ast.Call)]
    asked, called = _arguments(calls)
    return Example(asked | set_up, frozenset(), called, raises=True)


def _asks(side: ast.expr) -> bool:
    return any(isinstance(node, ast.Call) and _name(node) not in _WRAPPERS for node in ast.walk(side))


def _arguments(calls: list[ast.Call]) -> tuple[frozenset[Hashable], frozenset[str]]:
    asking = [call for call in calls if _name(call) not in _WRAPPERS]
    arguments = [[*call.args, *(keyword.value for keyword in call.keywords)] for call in asking]
    keys = frozenset(keys_in(one for some in arguments for one in some))
    together = frozenset(key for some in arguments for key in _tuples(some))
    return keys | together, frozenset(map(_name, asking))


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _documented(node: ast.AST) -> Iterator[Example]:
    """Examples in a docstring."""
    text = ast.get_docstring(node) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) else None
    if text is None or ">>>" not in text:
        return
    try:
        shown = doctest.DocTestParser().get_examples(text)
        for one in shown:
            asked, wanted = tree_of(one.source.strip()), tree_of(one.want.strip() or "None")
            if len(asked.body) == len(wanted.body) == 1:
                sides = [node.value for node in (*asked.body, *wanted.body) if isinstance(node, ast.Expr)]
                yield _example(sides, frozenset(), {})
    except (SyntaxError, ValueError):
        return
