"""Which files code reads, lists, imports or writes: whose they are, and whether they hold tests."""

from __future__ import annotations

import ast
import re

from untilgreen.solve.scan import tables
from untilgreen.solve.scan.given import TEST_FILE
from untilgreen.solve.scan.place import Place

_WRITING_FLAGS = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND")
_TEST_MODULE = re.compile(r"^(tests?|conftest)(\.|$)|(^|\.)(test_\w+|conftest)$")


def look_at_file(node: ast.Call, called: str, place: Place) -> None:
    target = node.args[0] if node.args else None
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    _look_for_tests(node, called, place)
    if tables.USES.get(called) == "file-deletion":
        if target is None or not place.is_temporary(target):
            place.add("file-deletion", called, node)
    elif called in tables.OPENERS and target is not None:
        _look_at_writing("open", target, _writes(node.args[1:], node.keywords, place), node, place)
    elif called == "os.open" and target is not None:
        flags = ast.unparse(node)
        _look_at_writing(called, target, any(flag in flags for flag in _WRITING_FLAGS), node, place)
    elif called in tables.COPIERS and len(node.args) > 1:
        _look_at_writing(called, node.args[1], True, node, place)
    elif owner is None:
        return
    elif method in tables.DELETING_METHODS and not place.is_temporary(owner):
        place.add("file-deletion", method, node)
    elif method == "open":
        _look_at_writing("open", owner, _writes(node.args, node.keywords, place), node, place)
    elif method in tables.WRITING_METHODS or (method in tables.PATH_WRITING_METHODS and place.is_path(owner)):
        _look_at_writing(method, owner, True, node, place)


def reads_of_its_own(node: ast.Call, called: str, place: Place) -> bool:
    """Whether it reads or lists something that its caller did not choose."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if called in tables.READING:
        return not node.args or not place.is_given(node.args[0])
    return method in tables.READING and owner is not None and not place.is_given(owner)


def _look_for_tests(node: ast.Call, called: str, place: Place) -> None:
    """Who lists the folder that he lies in, or reads a source there, finds the tests."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if called in tables.LISTING:
        folder = node.args[0] if node.args else ast.Constant(".")
        seen = place.is_own_folder(folder) or (called.startswith("glob.") and _is_pattern_here(node.args))
    elif method in tables.LISTING_METHODS and owner is not None:
        seen = place.is_own_folder(owner) and (method in ("iterdir", "walk") or _is_pattern_here(node.args))
    elif called in tables.OPENERS or called.startswith("linecache."):
        seen = bool(node.args) and _is_source(node.args[0], place)
    elif method in tables.READING_METHODS and owner is not None:
        seen = _is_source(owner, place)
    else:
        seen = False
    if seen:
        place.add("pytest-sniffing", "a look through its own folder", node)


def _is_pattern_here(arguments: list[ast.expr]) -> bool:
    """`*` and `*.py` find the tests; a folder of its own or other files do not."""
    text = arguments[0].value if arguments and isinstance(arguments[0], ast.Constant) else "*"
    return isinstance(text, str) and (
        bool(TEST_FILE.search(text)) or not text.rpartition("/")[2].strip("*?") or text.endswith(".py")
    )


def _is_source(node: ast.expr, place: Place) -> bool:
    # The working folder itself cannot be read, and a name that a caller chose is the caller's.
    return not isinstance(node, ast.Constant) and place.is_own_folder(node)


def _look_at_writing(what: str, target: ast.expr, writes: bool, node: ast.AST, place: Place) -> None:
    if writes and not place.is_given(target):
        place.add("file-writing", what, node)


def _writes(modes: list[ast.expr], keywords: list[ast.keyword], place: Place) -> bool:
    given = [*modes[:1], *(keyword.value for keyword in keywords if keyword.arg == "mode")]
    text = place.names.text(given[0]) if given else None
    return text is not None and len(text) < 5 and any(letter in text for letter in "wax+")


def look_at_import(
    node: ast.AST, place: Place, test_modules: frozenset[str], reached: str | None = None
) -> None:
    """An import of a module that holds tests, or `reached`, which is imported by its text."""
    for name in _imported(node) if reached is None else (reached,):
        plain = name.lstrip(".")
        known = any(plain == one or one.endswith(f".{plain}") for one in test_modules)
        if known or (_TEST_MODULE.search(plain) and not _is_member(node, name)):
            place.add("pytest-sniffing", f"import {name}", node, key="an import of tests")


def _imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=aliases):
            return [alias.name for alias in aliases]
        case ast.ImportFrom(module=module, names=aliases, level=level):
            base = "." * level + (module or "")
            between = "." if module else ""
            return [*([base] if module else []), *(f"{base}{between}{alias.name}" for alias in aliases)]
    return []


def _is_member(node: ast.AST, name: str) -> bool:
    """`from shop.database import test_connection` may be a function that only sounds so."""
    if not isinstance(node, ast.ImportFrom) or node.module is None:
        return False
    return name.lstrip(".") != node.module and not name.endswith("conftest")
