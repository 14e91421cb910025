"""A map of the repository: signatures of its files, as many as there is room for. Blocking: it reads."""

from __future__ import annotations

import ast
from contextlib import suppress

from untilgreen.solvers.agent.relevance import Relevance

MOST_OF_ONE = 1500
LONGEST_SIGNATURE = 160


def mapped(relevance: Relevance, shown: frozenset[str], most: int) -> str:
    """Of files that are not shown whole: the relevant ones first, until the room is used."""
    paths = [path for path in (*relevance.sources(), *relevance.others()) if path not in shown]
    lines: list[str] = []
    room, left = most, 0
    for path in paths:
        text = _outline(relevance, path)
        if len(text) + 1 > room:
            text = path
        if len(text) + 1 > room:
            left += 1
            continue
        room -= len(text) + 1
        lines.append(text)
    if left:
        lines.append(f"… and {left} more files; list_files and search find them.")
    return "\n".join(lines)


def _outline(relevance: Relevance, path: str) -> str:
    tree = relevance.tree(path)
    lines = [path]
    for node in tree.body if tree is not None else ():
        # What nobody could write by hand may be nested too deeply.
        with suppress(RecursionError, ValueError):
            lines += _signatures(node, "  ")
    text = "\n".join(lines)
    return text if len(text) <= MOST_OF_ONE else text[: text.rfind("\n", 0, MOST_OF_ONE)]


def _signatures(node: ast.stmt, indent: str) -> list[str]:
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        head = f"{indent}class {node.name}" + (f"({bases})" if bases else "")
        inner = [line for one in node.body for line in _signatures(one, f"{indent}  ")]
        return [head[:LONGEST_SIGNATURE], *inner]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
        return [f"{indent}{word} {node.name}({ast.unparse(node.args)}){returns}"[:LONGEST_SIGNATURE]]
    return []
