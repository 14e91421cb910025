"""What a change of a module changes: only the bodies of some functions, or more than that. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from untilgreen.trees import tree_of

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Edit:
    """The text of one file before and after; None where there is no file, or no text."""

    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """A function of the old text whose statements, and nothing else, are others now."""

    path: str
    name: str
    """Qualified."""
    lines: tuple[int, int]
    """First and last line of its statements that are changed."""
    all_lines: tuple[int, int]
    """First and last line of all its statements."""


def changed_bodies(path: str, edit: Edit) -> tuple[Body, ...] | str:
    """The functions with other statements; or why more than that is changed, in a few words."""
    name = PurePosixPath(path).name
    if edit.old == edit.new and edit.old is not None:
        return ()
    if edit.old is None or edit.new is None:
        return "the file comes or goes"
    if not name.endswith(".py"):
        return "it is no Python module"
    if name == "conftest.py":
        return "every test may depend on it"
    try:
        old, new = tree_of(edit.old), tree_of(edit.new)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "it cannot be parsed"
    before, after = list(_functions(old, "")), list(_functions(new, ""))
    bodies = tuple(
        _body(path, name, function, other)
        for (name, function), (_, other) in zip(before, after, strict=False)
        if _dumped(function.body) != _dumped(other.body)
    )
    if any(_remembers(function) for _, function in before) and bodies:
        return "it remembers results of functions"
    for _, function in (*before, *after):
        _take_out(function)
    if ast.dump(old) != ast.dump(new):
        return "more than the body of a function is changed"
    return bodies


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    """Outermost functions and methods, with their qualified names, in the order of the text."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def _body(path: str, name: str, old: Function, new: Function) -> Body:
    """What both have in common at the beginning and at the end is not changed."""
    before, after = [_dumped([one]) for one in old.body], [_dumped([one]) for one in new.body]
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    end = 0
    while end < min(len(before), len(after)) - same and before[-1 - end] == after[-1 - end]:
        end += 1
    first = old.body[min(same, len(old.body) - 1)]
    last = old.body[max(len(old.body) - 1 - end, min(same, len(old.body) - 1))]
    everything = (old.body[0].lineno, old.body[-1].end_lineno or old.body[-1].lineno)
    return Body(path, name, (first.lineno, last.end_lineno or last.lineno), everything)


def _take_out(function: Function) -> None:
    """Leave what the module sees of it: name, decorators, signature, documentation, what kind it is."""
    documentation = ast.get_docstring(function, clean=False)
    yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))
    function.body = [ast.Expr(ast.Constant(documentation)), ast.Expr(ast.Constant(yields))]


def _remembers(function: Function) -> bool:
    """Tests that find a result of an earlier one do not enter the function, but depend on it."""
    return any("cache" in ast.dump(decorator).lower() for decorator in function.decorator_list)


def _dumped(statements: list[ast.stmt]) -> str:
    return "\n".join(map(ast.dump, statements))
