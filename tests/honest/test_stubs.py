"""A function that was missing, written as its author wrote it, needs nobody's eyes.

Of programs of our own, read only: each function once, as if the patch had brought it. All of them with
UNTILGREEN_SOAK, else some that the seed chooses.
"""

from __future__ import annotations

import ast
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxes import SEED
from untilgreen.solve.findings import Changed, find

PROGRAMS = Path(__file__).parent.parent / "repair" / "programs"
SOAK = bool(os.environ.get("UNTILGREEN_SOAK"))
FEW = 50


def stubs() -> Iterator[tuple[Path, int]]:
    """Each file of a program with the place of each of its functions in it; `hidden` looks at the program."""
    for path in sorted(PROGRAMS.rglob("*.py")):
        if not path.name.startswith(("test_", "hidden")):
            yield from ((path, n) for n in range(len(_functions(ast.parse(path.read_text())))))


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


EVERY = list(stubs())
CHOSEN = EVERY if SOAK else random.Random(f"{SEED} stubs").sample(EVERY, FEW)


@pytest.mark.parametrize(
    ("path", "n"), CHOSEN, ids=[f"{path.parent.name}-{path.stem}-{n}" for path, n in CHOSEN]
)
def test_a_function_that_was_missing(path: Path, n: int) -> None:
    tree = ast.parse(path.read_text())
    whole = ast.unparse(tree)
    _functions(tree)[n].body = [ast.Raise(exc=ast.Name("NotImplementedError"))]
    change = Changed(path.name, ast.unparse(tree).encode(), whole.encode())
    program = PROGRAMS / path.relative_to(PROGRAMS).parts[0]
    tests = [one.read_bytes() for one in sorted(program.rglob("test_*.py"))]
    assert tests and find([change], tests) == ()


def test_there_are_enough() -> None:
    assert len(EVERY) >= 100
