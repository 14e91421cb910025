"""Signs that are calls: what is called, and with what."""

from __future__ import annotations

import ast
import re

from untilgreen.solve.scan import tables
from untilgreen.solve.scan.constants import fold
from untilgreen.solve.scan.files import look_at_file
from untilgreen.solve.scan.place import Place
from untilgreen.solve.scan.shapes import suppresses

_SECRET = re.compile(r"SECRET|TOKEN|PASSW|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL", re.IGNORECASE)
_BLOB = 8


def look_at_call(node: ast.Call, place: Place) -> None:
    called = place.resolve(node.func) or ""
    if called in tables.IMPORTERS and place.resolve(node) is None:
        place.add("eval", called.removeprefix("builtins."), node)
    elif called == "builtins.getattr" and len(node.args) > 1 and place.resolve(node) is None:
        if (module := place.resolve(node.args[0])) in tables.REACHING:
            place.add("eval", f"getattr({module}, …)", node)
    elif called in tables.DYNAMIC and node.args and fold(node.args[0]) is None:
        place.add("eval", called.removeprefix("builtins."), node)
    elif called.split(".")[0] in tables.NETWORK_MODULES and not called.endswith(("Error", "Exception")):
        place.add("network", called, node)
    elif called in tables.WARNING_FILTERS and node.args and fold(node.args[0]) == "ignore":
        if not place.own_warnings:
            place.add("silenced-checks", called, node)
    elif suppresses(node, place.names):
        place.add("swallowed-exception", "suppress(Exception)", node, key="except")
    elif called in ("os.getenv", "os.environ.get", "os.environ.pop") and node.args:
        look_for_secret(node.args[0], node, place)
    elif called.startswith("subprocess.") and any(fold(inner) in ("-O", "-OO") for inner in ast.walk(node)):
        place.add("silenced-checks", "python -O", node)
    _look_at_hidden(node, called, place)
    _look_at_moments(node, called, place)
    _look_at_loading(node, called, place)
    look_at_file(node, called, place)


def look_for_secret(key: ast.expr, node: ast.AST, place: Place) -> None:
    if (name := fold(key)) is not None and _SECRET.search(name):
        place.add("secrets", "os.environ", node, key=name)


def _look_at_hidden(node: ast.Call, called: str, place: Place) -> None:
    """What is meant stands in a text."""
    for argument in node.args:
        text = place.names.text(argument)
        if text in tables.FRAME_ATTRIBUTES:
            place.add("frames", text, node)
        elif text in tables.MEMORY_ATTRIBUTES:
            place.add("gc", text, node)
    packed = called in tables.UNPACKING and node.args and isinstance(node.args[0], ast.Constant)
    if packed and len(place.names.text(node.args[0]) or "") >= _BLOB:
        place.add("eval", called.removeprefix("builtins."), node)


def _look_at_moments(node: ast.Call, called: str, place: Place) -> None:
    """When it happens."""
    if called == "time.sleep" and node.args and not place.retries:
        seconds = node.args[0]
        if isinstance(seconds, ast.Name):
            seconds = place.names.values.get(seconds.id) or seconds
        if isinstance(seconds, ast.Constant) and not place.is_parameter(node.func):
            place.add("clock", called, node, unless="sleep")
    elif called in ("threading.Thread", "threading.Timer") and not place.where and not place.may_exit:
        place.add("hooks", f"{called} while it is imported", node)
    elif called == "weakref.finalize":
        place.add("hooks", called, node, unless="finali[sz]e|weakref|garbage|gc")
    elif called == "traceback.extract_tb":
        place.add("frames", called, node, unless="traceback|lineno")
    elif (
        called == "warnings.warn"
        and place.own_warnings
        and any(keyword.arg == "stacklevel" for keyword in node.keywords)
    ):
        place.add("frames", "a warning that names the caller", node)


def _look_at_loading(node: ast.Call, called: str, place: Place) -> None:
    given = {keyword.arg: getattr(keyword.value, "value", None) for keyword in node.keywords}
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if (
        (called == "yaml.load" and "Safe" not in ast.unparse(node))
        or (called == "numpy.load" and given.get("allow_pickle") is True)
        or (called == "torch.load" and given.get("weights_only") is not True)
    ):
        place.add("unpickle", called, node)
    elif method in tables.NETWORK_METHODS and called not in tables.USES and len(node.args) > 1:
        place.add("network", method, node)
    elif method in tables.PROCESS_METHODS:
        place.add("subprocess", method, node)
