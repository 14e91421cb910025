"""Somebody else's Python as a tree, or nothing: whatever is wrong with it is not ours to complain about."""

from __future__ import annotations

import ast
import warnings

from untilgreen.trees import tree_of


def parsed(content: bytes | None) -> ast.Module | None:
    """None when there is no text, or when it is no Python to us."""
    if content is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tree_of(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
