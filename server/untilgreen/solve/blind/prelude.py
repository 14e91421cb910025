"""What every rewritten module begins with: other values, and exceptions that nobody raises. Pure."""

from __future__ import annotations

import ast
import random

from untilgreen.solve.blind.disguise import SAME
from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.opposites import CHANGED, STRANGER, UNHEARD, UNRELATED

PRELUDE = f"""
class {STRANGER}:
    pass
class {UNRELATED}(BaseException):
    pass
class {UNHEARD}(Warning):
    pass
def {CHANGED}(value):
    kind = type(value)
    if kind is bool:
        return not value
    if kind in (int, float) and abs(value) < 1e15:
        return value + OFFSET
    if kind is str:
        return value + 'WORD'
    if kind is bytes:
        return value + b'WORD'
    if kind is list:
        return [*value, {STRANGER}]
    if kind is tuple:
        return (*value, {STRANGER})
    if kind is dict:
        return {{**value, {STRANGER}: {STRANGER}}}
    return {STRANGER}()
def {SAME}(value):
    return value
"""


def prelude(names: Names, chance: random.Random) -> ast.Module:
    """With our own names in it, which are still to be replaced by random ones."""
    text = PRELUDE.replace("OFFSET", str(chance.randrange(1009, 9973)))
    return ast.parse(text.replace("WORD", names.word()))


def behind_first_words(tree: ast.Module) -> int:
    """Behind the docstring and what has to come first."""
    n = 0
    for statement in tree.body:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not is_future and not (is_text and n == 0):
            break
        n += 1
    return n
