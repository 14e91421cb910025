"""Whether somebody is in the middle of writing: then nobody looks for a fix. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solve.changed import Edit
from untilgreen.trees import tree_of

Function = ast.FunctionDef | ast.AsyncFunctionDef


def unfinished(path: str, edit: Edit) -> str:
    """What is obviously not finished in this file, in a clause; empty when nothing is."""
    if edit.new is None or not path.endswith((".py", ".pyi")):
        return ""
    try:
        new = tree_of(edit.new)
    except SyntaxError as error:
        return f"{path} does not parse yet (line {error.lineno or 1})"
    except (ValueError, RecursionError, MemoryError):
        return f"{path} does not parse yet"
    known = _names(edit.old)
    begun = (name for name, function in _functions(new, "") if name not in known and is_stub(function))
    name = next(begun, "")
    return f"{name} in {path} has just been begun" if name else ""


def is_stub(function: Function) -> bool:
    """Nothing but documentation, `pass`, `...` or a promise to write it later."""
    return all(_says_nothing(statement) for statement in function.body)


def _says_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name("NotImplementedError") | ast.Call(ast.Name("NotImplementedError"))):
            return True
        case ast.Return(value=None | ast.Constant(None)):
            return True
    return False


def _names(text: str | None) -> frozenset[str]:
    """All functions of a text; of one that cannot be read, none is known."""
    try:
        return frozenset(name for name, _ in _functions(tree_of(text or ""), ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield prefix + child.name, child
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)
