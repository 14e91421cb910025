"""Many threads parse at once, and none of them disturbs another."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest

from untilgreen.trees import tree_of

TEXT = "\n".join(f"def f{n}(a, b):\n    return [x + {n} for x in a if x not in b]\n" for n in range(60))


def test_the_same_tree_in_every_thread() -> None:
    wanted = ast.dump(ast.parse(TEXT))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(tree_of, [TEXT] * 40))
    assert {ast.dump(tree) for tree in found} == {wanted}


def test_expressions_and_mistakes_are_as_the_parser_has_them() -> None:
    assert isinstance(tree_of("a + 1", "eval").body, ast.BinOp)
    with pytest.raises(SyntaxError):
        tree_of("def f(:")
    assert isinstance(tree_of(b"x = 1"), ast.Module), "who fails gives the turn back"
