"""How tests make candidates: by a change to the text of a function."""

from __future__ import annotations

import ast

from sandbox.evaluated_project import SHAPES
from untilgreen_sandbox.evaluation import Candidate


def version(
    function: str, old: str, new: str, nth: int = 0, source: str = SHAPES, path: str = "shapes.py"
) -> Candidate:
    """The function with this part of its text changed."""
    node = _nodes(ast.parse(source), function)[nth]
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    text = "".join(source.splitlines(keepends=True)[first - 1 : node.end_lineno])
    assert old in text, (old, text)
    at = text.rindex(old)
    return Candidate(path, function, first, text[:at] + new + text[at + len(old) :])


def _nodes(tree: ast.AST, name: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    here, _, rest = name.partition(".")
    found: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and node.name == here and rest:
            found += _nodes(node, rest)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found += [node] if node.name == name else []
        elif isinstance(node, ast.If):
            found += _nodes(node, name)
    return found
