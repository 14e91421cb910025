"""Python's own parser, for one thread at a time.

Up to Python 3.12 the trees of two threads that parse at the same moment are counted together, and one of
them ends with a SystemError, whatever its text is.
"""

from __future__ import annotations

import ast
import threading
from typing import Literal, overload

_TURN = threading.Lock()


@overload
def tree_of(text: str | bytes) -> ast.Module: ...


@overload
def tree_of(text: str | bytes, mode: Literal["eval"]) -> ast.Expression: ...


def tree_of(text: str | bytes, mode: Literal["exec", "eval"] = "exec") -> ast.AST:
    with _TURN:
        return ast.parse(text, mode=mode)
