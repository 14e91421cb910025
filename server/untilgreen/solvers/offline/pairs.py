"""Names that stand for the two halves of something, as the code itself shows by its shape. Pure."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

_MOST_NAMES = 3
_LARGEST = 40


@dataclass(frozen=True, slots=True)
class Renaming:
    """What turns code about the one half into code about the other."""

    names: tuple[tuple[str, str], ...]
    cost: float = 0.0

    def applied(self, text: str) -> str | None:
        """None when the text does not speak of the one half."""
        known = dict(self.names)
        found: set[str] = set()

        def other(match: re.Match[str]) -> str:
            word = match.group()
            found.add(word)
            return known.get(word, word)

        changed = re.sub(r"\b[A-Za-z_]\w*\b", other, text)
        return changed if changed != text and found >= known.keys() else None


def pairs(tree: ast.AST, cost: float, *, attributes_only: bool = False) -> list[Renaming]:
    """Of neighbours that have the same shape and speak of other names, both ways."""
    found: dict[tuple[tuple[str, str], ...], None] = {}
    for one, other in _neighbours(tree):
        names = _difference(one, other)
        if not names or len(names) > _MOST_NAMES:
            continue
        if attributes_only and not _attributes(one) >= names.keys():
            continue
        for way in (names, {new: old for old, new in names.items()}):
            found[tuple(sorted(way.items()))] = None
    return [Renaming(names, cost) for names in found]


def _neighbours(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list):
                yield from (
                    (one, other)
                    for one, other in itertools.pairwise(value)
                    if isinstance(one, ast.AST) and isinstance(other, ast.AST)
                )
        if isinstance(node, ast.BinOp | ast.Compare):
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.left, *node.comparators]
            yield from itertools.pairwise(parts)
        elif isinstance(node, ast.If) and len(node.body) == len(node.orelse):
            yield from zip(node.body, node.orelse, strict=True)


def _difference(one: ast.AST, other: ast.AST) -> dict[str, str]:
    """Which names stand for which; empty when anything else differs, or a name stands for two."""
    first, second = list(ast.walk(one)), list(ast.walk(other))
    if len(first) != len(second) or not 3 <= len(first) <= _LARGEST:
        return {}
    names: dict[str, str] = {}
    same: set[str] = set()
    for a, b in zip(first, second, strict=True):
        if type(a) is not type(b):
            return {}
        if isinstance(a, ast.Constant) and isinstance(b, ast.Constant) and a.value != b.value:
            return {}
        old, new = _word(a), _word(b)
        if old == new:
            same.add(old)
        elif names.setdefault(old, new) != new:
            return {}
    same.discard("")
    clash = same & (names.keys() | set(names.values()))
    return names if not clash and len(set(names.values())) == len(names) else {}


def _word(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _attributes(node: ast.AST) -> set[str]:
    return {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
