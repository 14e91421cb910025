"""Code that imports its own tests can read in them what it is to answer."""

from __future__ import annotations

import ast
import re

from untilgreen.solve.scan.place import Place

_TEST_MODULE = re.compile(r"^(tests?|conftest)(\.|$)|(^|\.)(test_\w+|conftest)$")


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
