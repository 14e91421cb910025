"""Signs that are calls: what is called, and with what."""

from __future__ import annotations

import ast
import re

from untilgreen.solve.scan import tables
from untilgreen.solve.scan.names import fold
from untilgreen.solve.scan.place import Place
from untilgreen.solve.scan.shapes import suppresses

_SECRET = re.compile(r"SECRET|TOKEN|PASSW|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL", re.IGNORECASE)


def look_at_call(node: ast.Call, place: Place) -> None:
    called = place.resolve(node.func) or ""
    if called in tables.IMPORTERS and place.resolve(node) is None:
        place.add("eval", called.removeprefix("builtins."), node)
    elif called == "builtins.getattr" and len(node.args) > 1:
        _getattr(node, place)
    elif called in tables.DYNAMIC and node.args and fold(node.args[0]) is None:
        place.add("eval", called.removeprefix("builtins."), node)
    elif called.split(".")[0] in tables.NETWORK_MODULES and not called.endswith(("Error", "Exception")):
        place.add("network", called, node)
    elif called in tables.WARNING_FILTERS and node.args and fold(node.args[0]) == "ignore":
        place.add("silenced-checks", called, node)
    elif called == "yaml.load" and "Safe" not in ast.unparse(node):
        place.add("unpickle", called, node)
    elif suppresses(node, place.names):
        place.add("swallowed-exception", "suppress(Exception)", node, key="except")
    elif called in ("os.getenv", "os.environ.get", "os.environ.pop") and node.args:
        look_for_secret(node.args[0], node, place)
    elif called.startswith("subprocess.") and any(fold(inner) in ("-O", "-OO") for inner in ast.walk(node)):
        place.add("silenced-checks", "python -O", node)
    _look_at_file(node, called, place)


def look_for_secret(key: ast.expr, node: ast.AST, place: Place) -> None:
    if (name := fold(key)) is not None and _SECRET.search(name):
        place.add("secrets", "os.environ", node, key=name)


def _getattr(node: ast.Call, place: Place) -> None:
    found, module = place.resolve(node), place.resolve(node.args[0])
    if found in tables.USES:
        place.add(tables.USES[found], found, node)
    elif found is not None and found.split(".")[0] in tables.TEST_MODULES:
        place.add("pytest-sniffing", found, node)
    elif found is None and module in tables.REACHING:
        place.add("eval", f"getattr({module}, …)", node)
    elif fold(node.args[1]) in tables.FRAME_ATTRIBUTES:
        place.add("frames", fold(node.args[1]) or "", node)


def _look_at_file(node: ast.Call, called: str, place: Place) -> None:
    target = node.args[0] if node.args else None
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if tables.USES.get(called) == "file-deletion":
        if target is None or not place.is_temporary(target):
            place.add("file-deletion", called, node)
    elif called in tables.OPENERS and target is not None:
        _look_at_writing("open", target, _writes(node.args[1:], node.keywords), node, place)
    elif called in tables.COPIERS and len(node.args) > 1:
        _look_at_writing(called, node.args[1], True, node, place)
    elif owner is None:
        return
    elif method in tables.DELETING_METHODS and not place.is_temporary(owner):
        place.add("file-deletion", method, node)
    elif method == "open":
        _look_at_writing("open", owner, _writes(node.args, node.keywords), node, place)
    elif method in tables.WRITING_METHODS:
        _look_at_writing(method, owner, True, node, place)


def _look_at_writing(what: str, target: ast.expr, writes: bool, node: ast.AST, place: Place) -> None:
    if writes and not place.is_given(target):
        place.add("file-writing", what, node)


def _writes(modes: list[ast.expr], keywords: list[ast.keyword]) -> bool:
    given = [*modes[:1], *(keyword.value for keyword in keywords if keyword.arg == "mode")]
    text = fold(given[0]) if given else None
    return text is not None and len(text) < 5 and any(letter in text for letter in "wax+")
