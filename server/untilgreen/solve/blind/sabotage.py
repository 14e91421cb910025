"""A candidate whose own work is taken out again: tests that only it made pass must turn red. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable

from untilgreen.model import FileChange, Patch
from untilgreen.solve.blind.edited import edited_in, functions_of
from untilgreen.solve.blind.names import Names
from untilgreen.solve.parsing import parsed
from untilgreen.trees import tree_of


def sabotaged(patch: Patch, pristine: Callable[[str], bytes | None], names: Names) -> Patch:
    """The same files; what is new or different in them raises an exception that nobody knows."""
    return Patch(
        {
            path: FileChange(_spoiled(path, change.content, pristine(path), names), change.mode)
            for path, change in patch
        }
    )


def _spoiled(path: str, new: bytes | None, old: bytes | None, names: Names) -> bytes | None:
    if new is None or not path.endswith(".py"):
        # A file that went away stays away; data is emptied.
        return None if new is None else b""
    edited = edited_in(old, new)
    if edited is None:
        return new
    if not edited.functions and not edited.elsewhere:
        return new
    tree = parsed(new)
    assert tree is not None
    if edited.functions:
        for name, function in functions_of(tree):
            if name in edited.functions:
                function.body = [_raise(names)]
    else:
        tree.body.append(_raise(names))
    return ast.unparse(ast.fix_missing_locations(tree)).encode()


def _raise(names: Names) -> ast.stmt:
    """Not an Exception: code that swallows those must not swallow this one."""
    return tree_of(f"raise type('{names.private()}', (BaseException,), {{}})()").body[0]
