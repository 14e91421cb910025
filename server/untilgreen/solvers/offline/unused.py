"""Names that a function binds and never reads: what should read them may be missing. Pure."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from untilgreen.solvers.offline.site import Function, parse


def unused(node: Function | ast.Module) -> frozenset[str]:
    """Parameters and variables; not those whose name says that nobody wants them."""
    if isinstance(node, ast.Module):
        return frozenset()
    bound: set[str] = set()
    read: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            bound.add(part.arg)
        elif isinstance(part, ast.Name):
            (bound if isinstance(part.ctx, ast.Store) else read).add(part.id)
        elif isinstance(part, ast.Global | ast.Nonlocal):
            read.update(part.names)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "locals":
            return frozenset()
    # A name that is both is written on: `n += 1` alone does not read it for anybody.
    return frozenset(
        name for name in bound - read if not name.startswith("_") and name not in ("self", "cls")
    )


@lru_cache(maxsize=64)
def unused_in(source: str) -> frozenset[str] | None:
    """The same for the text of one function, however it is indented; None when it cannot be parsed."""
    indented = source[:1] in (" ", "\t")
    tree = parse(f"if True:\n{source}" if indented else source)
    if tree is None or not tree.body:
        return None
    found = tree.body[0].body[0] if indented and isinstance(tree.body[0], ast.If) else tree.body[0]
    return unused(found) if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) else None


def mentions(names: frozenset[str]) -> re.Pattern[str] | None:
    """Finds any of these names in a text; None when there are none."""
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names)))})\b") if names else None
