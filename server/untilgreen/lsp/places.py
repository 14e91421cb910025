"""Where the tests are in a text that may be in the middle of being typed. Pure."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Place:
    """One test function."""

    name: str
    """As in a test id, after the path: `test_add` or `TestCalc::test_add`."""
    first: int
    """1-based, decorators included."""
    last: int


def is_test_file(path: str) -> bool:
    """By name, as pytest decides unless told otherwise."""
    name = PurePosixPath(path)
    return name.suffix == ".py" and (name.stem.startswith("test_") or name.stem.endswith("_test"))


def place_at(text: str, first: int, last: int) -> Place | None:
    """The test that the 1-based lines touch; the first one when they touch several."""
    return next((place for place in places_in(text) if place.first <= last and first <= place.last), None)


# Editors ask for code actions on every move of the cursor; the text is the same until a key is pressed.
@lru_cache(maxsize=16)
def places_in(text: str) -> tuple[Place, ...]:
    """All tests, in order; none when the text does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(_tests(tree.body, ""))


def _tests(body: list[ast.stmt], prefix: str) -> Iterator[Place]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _tests(node.body, f"{prefix}{node.name}::")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield Place(prefix + node.name, first, node.end_lineno or node.lineno)
