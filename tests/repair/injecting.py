"""Every place of a module where a mistake could have been made, as whole texts with just that one in it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from repair.bug import Class
from repair.mistakes import mistakes_in

Simple = ast.Expr | ast.Assign | ast.AugAssign | ast.Delete | ast.Raise | ast.Assert
LEAVING = ast.Return | ast.Raise | ast.Continue | ast.Break


@dataclass(frozen=True, slots=True)
class Injection:
    kind: str
    family: Class
    line: int
    make: Callable[[], str]
    """The whole text with the mistake in it."""


def injections(source: str, covered: frozenset[int]) -> Iterator[Injection]:
    """In functions, on lines that tests reach."""
    tree = ast.parse(source)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            names = _names(function)
            for block in _blocks(function):
                for n, statement in enumerate(block):
                    if statement.lineno in covered and not _is_docstring(statement):
                        yield from _in_statement(source, statement, block, n)
                        yield from _in_expressions(source, statement, names)


def _blocks(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[list[ast.stmt]]:
    """Those of the function itself; the ones of functions inside of it come with these."""
    waiting: list[ast.AST] = [function]
    while waiting:
        node = waiting.pop()
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block
                inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
                waiting += [part for part in block if not isinstance(part, inner)]
        waiting += getattr(node, "handlers", [])


def _names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    found = {argument.arg for argument in function.args.args if argument.arg not in ("self", "cls")}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return tuple(sorted(found))


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _in_statement(source: str, statement: ast.stmt, block: list[ast.stmt], n: int) -> Iterator[Injection]:
    line = statement.lineno
    if isinstance(statement, Simple) and not isinstance(statement, ast.Assert):
        yield Injection("missing statement", "removed", line, lambda: _without(source, statement, block))
    if isinstance(statement, ast.If):
        if not statement.orelse and isinstance(statement.body[-1], LEAVING):
            yield Injection("missing guard", "removed", line, lambda: _without(source, statement, block))
        elif not statement.orelse:
            yield Injection("missing condition", "removed", line, lambda: _unwrapped(source, statement))
        if statement.orelse and not isinstance(statement.orelse[0], ast.If):
            yield Injection("missing special case", "removed", line, lambda: _without_else(source, statement))
    if isinstance(statement, ast.Return) and not isinstance(statement.value, ast.Constant | None):
        text = ast.unparse(statement.value)
        yield Injection("missing return", "removed", line, lambda: _replaced(source, statement, text))
    if isinstance(statement, ast.Break | ast.Continue):
        other = "continue" if isinstance(statement, ast.Break) else "break"
        yield Injection("wrong keyword", "changed", line, lambda: _replaced(source, statement, other))
    if isinstance(statement, ast.AugAssign):
        text = f"{ast.unparse(statement.target)} = {ast.unparse(statement.value)}"
        yield Injection(
            "overwritten instead of kept", "changed", line, lambda: _replaced(source, statement, text)
        )
    if isinstance(statement, ast.Try):
        for handler in statement.handlers:
            if isinstance(handler.type, ast.Tuple):
                kept = ast.unparse(handler.type.elts[0])
                there = handler.type
                yield Injection(
                    "missing exception",
                    "removed",
                    line,
                    lambda there=there, kept=kept: _replaced(source, there, kept),
                )
    following = block[n + 1] if n + 1 < len(block) else None
    if isinstance(statement, Simple) and isinstance(following, Simple):
        kind = "statements in the wrong order"
        yield Injection(kind, "changed", line, lambda: _swapped(source, statement, following))


def _in_expressions(source: str, statement: ast.stmt, names: tuple[str, ...]) -> Iterator[Injection]:
    for outer in ast.iter_child_nodes(statement):
        if not isinstance(outer, ast.expr):
            continue
        in_text = {
            id(part) for node in ast.walk(outer) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
        }
        for n, node in enumerate(ast.walk(outer)):
            if id(node) in in_text:
                continue
            for mistake in mistakes_in(node, names):
                yield Injection(
                    mistake.kind,
                    mistake.family,
                    statement.lineno,
                    lambda outer=outer, n=n, make=mistake.make: _replaced(
                        source, outer, _remade(outer, n, make)
                    ),
                )


def _remade(outer: ast.expr, n: int, make: Callable[[ast.expr], ast.expr]) -> str:
    """The expression with its n-th node made anew."""
    whole = copy.deepcopy(outer)
    there = list(ast.walk(whole))[n]
    made = make(there)  # type: ignore[arg-type]
    if there is whole:
        whole = made
    else:
        for parent in ast.walk(whole):
            for field, value in ast.iter_fields(parent):
                if value is there:
                    setattr(parent, field, made)
                elif isinstance(value, list) and any(one is there for one in value):
                    setattr(parent, field, [made if one is there else one for one in value])
    return ast.unparse(ast.fix_missing_locations(whole))


def _replaced(source: str, node: ast.stmt | ast.expr, text: str) -> str:
    lines = source.encode().splitlines(keepends=True)
    assert node.end_lineno is not None and node.end_col_offset is not None
    before = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    after = lines[node.end_lineno - 1][node.end_col_offset :] + b"".join(lines[node.end_lineno :])
    return (before + text.encode() + after).decode()


def _without(source: str, statement: ast.stmt, block: list[ast.stmt]) -> str:
    if len(block) == 1:
        return _replaced(source, statement, "pass")
    lines = source.splitlines(keepends=True)
    del lines[statement.lineno - 1 : statement.end_lineno]
    return "".join(lines)


def _unwrapped(source: str, statement: ast.If) -> str:
    """What was done under a condition is done always."""
    lines = source.splitlines(keepends=True)
    first, last = statement.body[0].lineno - 1, statement.end_lineno or 0
    extra = statement.body[0].col_offset - statement.col_offset
    body = [line[extra:] if line.strip() else line for line in lines[first:last]]
    return "".join([*lines[: statement.lineno - 1], *body, *lines[last:]])


def _without_else(source: str, statement: ast.If) -> str:
    lines = source.splitlines(keepends=True)
    del lines[statement.body[-1].end_lineno or 0 : statement.end_lineno]
    return "".join(lines)


def _swapped(source: str, one: ast.stmt, other: ast.stmt) -> str:
    lines = source.splitlines(keepends=True)
    first, middle = one.lineno - 1, one.end_lineno or 0
    start, end = other.lineno - 1, other.end_lineno or 0
    return "".join(
        [*lines[:first], *lines[start:end], *lines[middle:start], *lines[first:middle], *lines[end:]]
    )
