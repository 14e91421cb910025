"""Which functions a change makes new or different, by their names in the new text. Pure."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from untilgreen.solve.parsing import parsed

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Edited:
    """What differs between two texts of a module."""

    functions: tuple[str, ...]
    """Qualified names of new functions and of those that are others now."""
    elsewhere: bool
    """Whether anything outside of functions differs, too."""


def edited_in(old: bytes | None, new: bytes | None) -> Edited | None:
    """None when the new text is no Python, or deeper than can be looked at."""
    try:
        return _compared(parsed(old), parsed(new))
    except RecursionError:
        return None


def _compared(old: ast.Module | None, after: ast.Module | None) -> Edited | None:
    if after is None:
        return None
    before = old or ast.Module(body=[], type_ignores=[])
    known = {name: ast.dump(function) for name, function in functions_of(before)}
    found = tuple(name for name, function in functions_of(after) if known.get(name) != ast.dump(function))
    return Edited(found, _outside(before) != _outside(after))


def functions_of(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Outermost functions, and methods of classes; those under conditions, too."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, Function):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from functions_of(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.stmt):
            yield from functions_of(child, prefix)


def _outside(tree: ast.Module) -> str:
    """The module without its functions."""

    class Without(ast.NodeTransformer):
        def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
            return None

        def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
            return None

    return "\n".join(
        ast.dump(Without().visit(copy.deepcopy(node)) if any(functions_of(node)) else node)
        for node in tree.body
        if not isinstance(node, Function)
    )
