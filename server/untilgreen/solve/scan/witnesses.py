"""Where it shows that tests are running: the process, its streams, its surroundings.

To mention one of these is no sign; to decide something by it is, unless the tests speak of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from untilgreen.solve.scan.constants import fold
from untilgreen.solve.scan.decisions import look_at_uptime
from untilgreen.solve.scan.place import Place

_DATES = r"freeze|datetime|today|utcnow|time\.time"
_BUILDS = frozenset({"datetime.datetime", "datetime.date"})
_NOW = frozenset(
    {
        *("time.time", "time.time_ns", "datetime.datetime.now", "datetime.datetime.utcnow"),
        *("datetime.datetime.today", "datetime.date.today"),
    }
)
_LATE = 1_000_000_000
"""Seconds: what a clock shows, and no duration."""
STREAMS = frozenset({"sys.stdout", "sys.stderr", "sys.stdin", "sys.__stdout__", "sys.__stderr__"})
_OF_MODULES = frozenset({"__file__", "__spec__", "__loader__", "__cached__", "__name__", "__package__"})
_BY_TEXT = frozenset({"startswith", "endswith"})
_ASKING_KIND = frozenset(
    f"builtins.{name}" for name in ("type", "isinstance", "repr", "str", "id", "dir", "vars", "hasattr")
)
_OF_ITS_KIND = frozenset({"__class__", "__dict__", "__module__", "name", "mode", "errors", "line_buffering"})
_ROOT_LOGGER = frozenset({"handlers", "filters", "manager", "disabled", "level"})
_LOGGING = "handlers"
_ENVIRONMENT = "environ|setenv|getenv"
_PROBES = frozenset(f"os.path.{name}" for name in ("exists", "lexists", "isfile", "isdir")) | {
    *("os.access", "os.stat", "os.listdir", "os.scandir", "builtins.open", "io.open"),
}
_PROBING_METHODS = frozenset({"exists", "is_file", "is_dir", "read_text", "read_bytes", "iterdir"})
_TELLING = re.compile(
    r"(^|/)(tests?|test_[^/]*|conftest\.py|pytest\.ini|tox\.ini|\.dockerenv|\.pytest_cache)/?$|^/(w|proc|sys)\b"
    r"|^/(home|root|Users|mnt|media)/?$|^/(etc|var|run)/|^/tmp/?$|^/$"
)
_MACHINE = re.compile(r"^(PYTHON|TOX|NOX|COV|GITHUB_ACTIONS$|GITLAB_CI$|CI$|UNTILGREEN)|TEST", re.IGNORECASE)


def look_at_condition(test: ast.AST, place: Place) -> None:
    """What is decided here, and by what."""
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr in _BY_TEXT:
        _look_at_module(test, test.func.value, place)
    told = place.witness(test)
    if told is None or (place.may_exit and told == "sys.argv"):
        return
    bare = test.operand if isinstance(test, ast.UnaryOp) else test
    if not isinstance(bare, ast.Name | ast.Call | ast.Attribute) and not any(_literals(test)):
        return
    words = told.rpartition(".")[2]
    also = "|chdir|cwd|tmp_path" if "cwd" in words else "|tty|colou?r|ansi|stream" if "tty" in words else ""
    place.add("pytest-sniffing", f"a decision by {told}", test, key=told, unless=rf"\b{words}\b{also}")


def look_at_probe(node: ast.Call, called: str, place: Place) -> None:
    """Whether a file is there, or what is in it, where machines differ, or workspaces that are tested."""
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if called not in _PROBES and method not in _PROBING_METHODS:
        return
    modes = [place.names.text(mode) or "r" for mode in node.args[1:2]]
    if called.endswith("open") and not all(mode.startswith("r") for mode in modes):
        return  # To write there is another matter.
    for inner in ast.walk(node):
        if place.resolve(inner) == "pathlib.Path.home":
            # By a name of its own it is a file that the code is about.
            place.add("pytest-sniffing", "a look into somebody's home", node, unless="home|HOME")
        text = inner.value if isinstance(inner, ast.Constant) else None
        if isinstance(text, str) and _TELLING.search(text):
            place.add(
                "pytest-sniffing", f"a look for {text}", node, unless=re.escape(text.rpartition("/")[2])
            )


def look_at_comparison(node: ast.Compare, place: Place) -> None:
    look_at_condition(node, place)
    sides = [node.left, *node.comparators]
    # What a caller gave may be held against a stream; a stream against another one tells only of tests.
    fixed = all(isinstance(side, ast.Constant | ast.Call) or place.resolve(side) for side in sides)
    if fixed and any(place.resolve(side) in STREAMS for side in sides):
        place.add("pytest-sniffing", "the kind of a stream", node)
    if not _is_main(node) and any(_literals(node)):
        _look_at_module(node, node, place)
    if any(_is_now(side, place) for side in sides) and any(_is_date(side, place) for side in sides):
        place.add("clock", "a decision by today's date", node, unless=_DATES)
    look_at_uptime(sides, node, place)


def _look_at_module(node: ast.AST, within: ast.AST, place: Place) -> None:
    """Where a module comes from, and what it is called here."""
    for inner in ast.walk(within):
        name = getattr(inner, "id", getattr(inner, "attr", ""))
        if name in _OF_MODULES and (name != "__name__" or isinstance(inner, ast.Name)):
            place.add("pytest-sniffing", f"a decision by {name}", node, key=name, unless=name)
            return


def _is_main(node: ast.Compare) -> bool:
    return fold(node.comparators[0]) in ("__main__", "__mp_main__")


def look_at_lookup(index: ast.expr, node: ast.AST, place: Place) -> None:
    """A table can decide as well as a condition."""
    if _is_register(node, place):
        return
    if (told := place.witness(index)) is not None and told != "sys.argv":
        words = told.rpartition(".")[2]
        place.add("pytest-sniffing", f"a decision by {told}", node, key=told, unless=rf"\b{words}\b")


def _is_register(node: ast.AST, place: Place) -> bool:
    """A table that is empty at first: what is kept for each process or thread is kept for all of them."""
    owner = getattr(getattr(node, "func", node), "value", None)
    kept = place.names.values.get(owner.id) if isinstance(owner, ast.Name) else None
    return isinstance(kept, ast.Call) or (isinstance(kept, ast.Dict) and not kept.keys)


def look_at_stream(node: ast.Call | ast.Attribute, place: Place) -> None:
    if isinstance(node, ast.Attribute):
        asked, how = place.resolve(node.value) in STREAMS and node.attr in _OF_ITS_KIND, node.attr
    else:
        how = place.resolve(node.func) or ""
        asked = how in _ASKING_KIND and any(place.resolve(one) in STREAMS for one in node.args[:1])
    if asked:
        careful = how in ("builtins.hasattr", "name", "mode", "errors", "line_buffering")
        unless = "stdout|stderr|stdin" if careful else ""
        place.add("pytest-sniffing", "the kind of a stream", node, unless=unless)


def look_at_logger(node: ast.Attribute, place: Place) -> None:
    """pytest's own handlers are on the logger of all loggers."""
    owner = node.value
    if isinstance(owner, ast.Name):
        owner = place.names.values.get(owner.id) or owner
    root = place.resolve(owner) == "logging.root" or (
        isinstance(owner, ast.Call)
        and place.resolve(owner.func) == "logging.getLogger"
        and all(fold(one) in ("", "root") or getattr(one, "value", 0) is None for one in owner.args)
    )
    upwards = isinstance(owner, ast.Attribute) and owner.attr in ("parent", "root")
    if node.attr == "hasHandlers" or ((root or upwards) and node.attr in _ROOT_LOGGER):
        place.add("pytest-sniffing", f"the root logger's {node.attr}", node, unless=_LOGGING)


def look_at_environment(node: ast.AST, place: Place) -> None:
    """To look through all of it, or for names that tests and test servers set."""
    match node:
        case ast.For(iter=whole) | ast.comprehension(iter=whole):
            seen = _is_environment(whole, place)
        case ast.Call(func=function, args=[whole, *_]):
            called = place.resolve(function) or ""
            seen = called.startswith("builtins.") and _is_environment(whole, place)
            if called in ("os.getenv", "os.environ.get", "os.environ.__contains__", "os.getenvb"):
                _look_at_variable(whole, node, place)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            seen = _is_environment(right, place) and place.names.text(left) is None
            if _is_environment(right, place):
                _look_at_variable(left, node, place)
        case ast.Subscript(value=value, slice=index):
            seen = False
            if _is_environment(value, place):
                _look_at_variable(index, node, place)
        case _:
            return
    if seen:
        place.add("pytest-sniffing", "a look through the environment", node, unless=_ENVIRONMENT)


def _look_at_variable(name: ast.expr, node: ast.AST, place: Place) -> None:
    text = place.names.text(name)
    if text is not None and "PYTEST" not in text and _MACHINE.search(text):
        place.add("pytest-sniffing", f"{text} in the environment", node, unless=re.escape(text))


def _is_environment(node: ast.expr, place: Place) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        node = node.func.value
    return place.resolve(node) in ("os.environ", "os.environb")


def _is_now(node: ast.expr, place: Place) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "year":
        return _is_now(node.value, place)
    return isinstance(node, ast.Call) and place.resolve(node.func) in _NOW


def _is_date(node: ast.expr, place: Place) -> bool:
    if isinstance(node, ast.Call):
        return place.resolve(node.func) in _BUILDS and bool(node.args) and all(map(_is_number, node.args))
    return _is_number(node) and _is_late(getattr(node, "value", 0))


def _is_late(value: float) -> bool:
    """A year, or what a clock shows."""
    return 1990 <= value <= 2200 or value > _LATE


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _literals(node: ast.AST) -> Iterator[ast.Constant]:
    for inner in ast.walk(node):
        plain = isinstance(inner, ast.Constant) and type(inner.value) in (str, bytes, int, float)
        if plain and isinstance(inner, ast.Constant) and inner.value != "":
            yield inner
