"""Functions and classes that are the same before and after: nothing in them can be new."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from untilgreen.solve.scan.names import Names

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def unchanged(
    old: ast.Module, old_names: Names, new: ast.Module, new_names: Names
) -> tuple[frozenset[ast.AST], frozenset[ast.AST]]:
    """Of the old tree and of the new one; none when a name may mean something else now."""
    if old_names.meanings() != new_names.meanings():
        return frozenset(), frozenset()
    before, after = list(_definitions(old)), list(_definitions(new))
    counts = Counter(key for key, _ in before)
    same = {key for key, n in Counter(key for key, _ in after).items() if n == counts[key] == 1}
    return (
        frozenset(node for key, node in before if key in same),
        frozenset(node for key, node in after if key in same),
    )


def _definitions(tree: ast.Module) -> Iterator[tuple[tuple[str, str], _Definition]]:
    """At the top, and in classes there, with all that they are."""
    for node in tree.body:
        if isinstance(node, _Definition):
            yield ("", ast.dump(node)), node
        if isinstance(node, ast.ClassDef):
            head = ast.dump(ast.Tuple(elts=node.bases))
            inner = (one for one in node.body if isinstance(one, _Definition))
            yield from ((((f"{node.name} {head}"), ast.dump(one)), one) for one in inner)
