"""What every rewritten module begins with: other values, and exceptions that nobody raises. Pure."""

from __future__ import annotations

import ast
import functools
import inspect
import random

from untilgreen.solve.blind.another import another
from untilgreen.solve.blind.disguise import SAME
from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.opposites import CHANGED, STRANGER, UNHEARD, UNRELATED
from untilgreen.trees import tree_of

PRELUDE = f"""
class {STRANGER}:
    pass
class {UNRELATED}(BaseException):
    pass
class {UNHEARD}(Warning):
    pass
def MAKING(chosen):
    ANOTHER
    def asked(value, n, within=()):
        return another(value, n, {STRANGER}, within) if chosen % 2 else value
    return asked
"""


def prelude(names: Names, chance: random.Random) -> ast.Module:
    """With our own names in it, which are still to be replaced by random ones.

    The function that changes a value and the one that does not are made by the same one: by their looks
    nobody tells them apart.
    """
    making = names.private()
    tree = tree_of(PRELUDE.replace("MAKING", making).replace("ANOTHER", "pass"))
    maker = tree.body[-1]
    assert isinstance(maker, ast.FunctionDef)
    maker.body[0] = tree_of(_another_text()).body[0]
    given = [(CHANGED, 2 * chance.randrange(500) + 1), (SAME, 2 * chance.randrange(500))]
    chance.shuffle(given)
    for name, chosen in given:
        tree.body += tree_of(f"{name} = {making}({chosen})").body
    return tree


@functools.cache
def _another_text() -> str:
    """Without annotations, whose names a project's module does not have, and without its description."""
    tree = tree_of(inspect.getsource(another))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.returns, function.body = None, function.body[1:]
    for argument in function.args.args:
        argument.annotation = None
    return ast.unparse(tree)


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
