"""Questions that have nothing to do with the code: some must fail and some must pass, wherever they stand."""

from __future__ import annotations

import ast
import posixpath
import random
from dataclasses import dataclass

from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.table import Question
from untilgreen.trees import tree_of


@dataclass(frozen=True, slots=True)
class Canary:
    function: ast.FunctionDef
    passes: bool
    message: str = ""


def make_canary(names: Names, chance: random.Random, order: int, *, passes: bool) -> Canary:
    """A small test that looks like any other."""
    name, word = names.test("test_canary", order), names.word()
    a, b = chance.randrange(2, 900), chance.randrange(2, 900)
    value = a + b if passes else a + b + chance.randrange(1, 9)
    shapes = (
        f"assert {a} + {b} == {value}, '{word}'",
        f"value = {a} + {b}\n    assert value == {value}, '{word}'",
        f"found = [{a}, {b}]\n    assert sum(found) == {value}, '{word}'",
    )
    source = f"def {name}():\n    {chance.choice(shapes)}\n"
    function = tree_of(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    return Canary(function, passes, "" if passes else word)


def canary_file(path: str, chance: random.Random) -> tuple[str, bytes, tuple[Question, ...]]:
    """A file of nothing but canaries beside another one, for where no test can be rewritten."""
    names = Names(chance)
    kinds = [True, False, True, False, False]
    chance.shuffle(kinds)
    canaries = [make_canary(names, chance, n, passes=passes) for n, passes in enumerate(kinds)]
    place = posixpath.join(posixpath.dirname(path), f"test_{names.word()}.py")
    content = "\n\n".join(ast.unparse(canary.function) for canary in canaries)
    return (
        place,
        content.encode(),
        tuple(
            Question(
                f"{place}::{canary.function.name}",
                "",
                canary.passes,
                "" if canary.passes else "AssertionError",
                canary.message,
            )
            for canary in canaries
        ),
    )
