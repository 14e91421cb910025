"""Where tests and stubs are in a text that may be in the middle of being typed. Pure."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from untilgreen.lsp.lines import split_lines
from untilgreen.trees import tree_of

Function = ast.FunctionDef | ast.AsyncFunctionDef
_TODO = re.compile(r"#.*\b(TODO|FIXME)\b")
_NOT_MEANT = frozenset({"abstractmethod", "overload", "abstractproperty"})


@dataclass(frozen=True, slots=True)
class Place:
    """One function: a test, or a stub."""

    name: str
    """As in a test id, after the path: `test_add` or `TestCalc::test_add`."""
    first: int
    """1-based, decorators included."""
    last: int
    line: int = 0
    """Where it says `def`."""
    names: frozenset[str] = frozenset()
    """A test: all that it names. A stub: what leads to it, as far as its own file tells."""


def is_test_file(path: str) -> bool:
    """By name, as pytest decides unless told otherwise."""
    name = PurePosixPath(path)
    return name.suffix == ".py" and (name.stem.startswith("test_") or name.stem.endswith("_test"))


def place_at(places: Iterable[Place], first: int, last: int) -> Place | None:
    """The one that the 1-based lines touch; the first one when they touch several."""
    return next((place for place in places if place.first <= last and first <= place.last), None)


# Editors ask for code actions on every move of the cursor; the text is the same until a key is pressed.
@lru_cache(maxsize=64)
def tests_in(text: str) -> tuple[Place, ...] | None:
    """All tests, in order; None when the text does not parse."""
    tree = _parsed(text)
    return None if tree is None else tuple(_tests(tree.body, ""))


def places_in(text: str) -> tuple[Place, ...]:
    """All tests, in order; none when the text does not parse."""
    return tests_in(text) or ()


@lru_cache(maxsize=64)
def stubs_in(text: str) -> tuple[Place, ...]:
    """Functions that somebody still has to write: nothing in them, NotImplementedError, or a TODO."""
    tree = _parsed(text)
    if tree is None:
        return ()
    lines = split_lines(text)
    functions = list(_functions(tree.body, "", protocol=False))
    return tuple(
        Place(
            name, _first(node), node.end_lineno or node.lineno, node.lineno, _leading_to(node.name, functions)
        )
        for name, node in functions
        if _is_stub(node, lines)
    )


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tree_of(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tests(body: list[ast.stmt], prefix: str) -> Iterator[Place]:
    for node in _defined(body):
        if isinstance(node, ast.ClassDef):
            yield from _tests(node.body, f"{prefix}{node.name}::")
        elif isinstance(node, Function) and node.name.startswith("test"):
            last = node.end_lineno or node.lineno
            yield Place(prefix + node.name, _first(node), last, node.lineno, _named(node))


def _functions(body: list[ast.stmt], prefix: str, *, protocol: bool) -> Iterator[tuple[str, Function]]:
    for node in _defined(body):
        if isinstance(node, ast.ClassDef):
            bases = {name for base in node.bases for name in _named(base)}
            yield from _functions(
                node.body, f"{prefix}{node.name}::", protocol=bool(bases & {"Protocol", "ABC"})
            )
        elif isinstance(node, Function) and not protocol and not node.name.startswith("test"):
            decorators = {name for decorator in node.decorator_list for name in _named(decorator)}
            if not decorators & _NOT_MEANT:
                yield prefix + node.name, node


def _defined(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Also what is there on some machines only; nothing that is for type checkers alone."""
    for node in body:
        match node:
            case ast.If(test, inside, otherwise):
                yield from _defined([] if "TYPE_CHECKING" in _named(test) else inside)
                yield from _defined(otherwise)
            case ast.Try(inside, handlers, otherwise, last):
                for part in (inside, *(handler.body for handler in handlers), otherwise, last):
                    yield from _defined(part)
            case ast.With(body=inside):
                yield from _defined(inside)
            case _:
                yield node


def _is_stub(node: Function, lines: list[str]) -> bool:
    body = node.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        # A docstring; or `...`, after which nothing is left.
        body = body[1:] if isinstance(body[0].value.value, str) else body
    if all(_says_nothing(statement) for statement in body):
        return True
    inside = lines[node.lineno - 1 : node.end_lineno or node.lineno]
    return any(_TODO.search(line) for line in inside)


def _says_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass():
            return True
        case ast.Expr(value=ast.Constant(value=value)):
            return value is ...
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name == "NotImplementedError"
        case _:
            return False


def _leading_to(name: str, functions: list[tuple[str, Function]]) -> frozenset[str]:
    """The name itself, and each function of the file that names one of these."""
    # A class is entered through its own name, a dunder through an operator: their class says more.
    found = {name} if not name.startswith("__") else set()
    for qualified, node in functions:
        if node.name == name and name.startswith("__") and "::" in qualified:
            found.add(qualified.split("::")[-2])
    mentions = {node.name: _named(node) for _, node in functions}
    while more := {one for one, named in mentions.items() if one not in found and named & found}:
        found |= more
    return frozenset(found)


def _named(node: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
        elif isinstance(inner, ast.arg):
            found.add(inner.arg)
    return frozenset(found)


def _first(node: Function) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
