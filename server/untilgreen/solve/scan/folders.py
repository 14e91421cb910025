"""The folder that code lies in, or is run in: who looks through it finds the tests."""

from __future__ import annotations

import ast
import re

from untilgreen.solve.scan.names import Names, own_nodes
from untilgreen.solve.scan.texts import fold

TEST_FILE = re.compile(r"(^|[/\\*])(test_|tests?\b|conftest)|_test\.py$|\*\.pyi?$")
_HERE = frozenset({"", ".", "./", "..", "../"})
_SOURCE = re.compile(r"\.pyi?$|^\*+$")
_WORKING = frozenset({"os.getcwd", "os.getcwdb", "pathlib.Path.cwd"})
_SAME = frozenset(
    {
        *("pathlib.Path", "pathlib.PurePath", "builtins.str", "os.fspath", "os.path.dirname"),
        *("os.path.abspath", "os.path.realpath", "os.path.normpath", "inspect.getfile", "builtins.open"),
    }
)
_SAME_METHODS = frozenset({"resolve", "absolute", "expanduser", "as_posix"})
_JOINING = frozenset({"joinpath", "with_name", "with_suffix", "with_stem", "join"})


def own_folder_names(scope: ast.AST, names: Names, outer: frozenset[str]) -> frozenset[str]:
    """Names that hold it."""
    known = outer
    assigned = [
        (target.id, node.value)
        for node in own_nodes(scope)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    for _ in range(len(assigned)):
        more = known | {name for name, value in assigned if is_own_folder(value, names, known)}
        if more == known:
            break
        known = more
    return known


def is_own_folder(node: ast.AST, names: Names, known: frozenset[str]) -> bool:
    """Whether a path is its own or the working folder, or the code's own file."""
    match node:
        case ast.Name(id=name):
            return name in known or name in ("__file__", "__path__")
        case ast.Constant(value=str(text)):
            return text in _HERE
        case ast.Attribute(value=value, attr=attr):
            found = names.resolve(node)
            if found in ("os.curdir", "sys.path"):
                return True
            return attr in ("parent", "parents", "origin", "__file__") and is_own_folder(value, names, known)
        case ast.Subscript(value=value):
            return is_own_folder(value, names, known)
        case ast.BinOp(left=left, op=ast.Div() | ast.Add(), right=right):
            return is_own_folder(left, names, known) and _stays(right)
        case ast.Call(func=function, args=arguments):
            return _is_own_call(function, arguments, names, known)
    return False


def reaches(node: ast.AST, names: Names, prefix: str) -> bool:
    return any((names.resolve(inner) or "").startswith(prefix) for inner in ast.walk(node))


def _is_own_call(function: ast.expr, arguments: list[ast.expr], names: Names, known: frozenset[str]) -> bool:
    called = names.resolve(function) or ""
    if called in _WORKING:
        return True
    if called in _SAME:
        first, *rest = arguments or [ast.Constant(".")]
        return is_own_folder(first, names, known) and all(map(_stays, rest))
    if called == "os.path.join" and arguments:
        return is_own_folder(arguments[0], names, known) and all(map(_stays, arguments[1:]))
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in _SAME_METHODS:
        return is_own_folder(function.value, names, known)
    return (
        function.attr in _JOINING
        and is_own_folder(function.value, names, known)
        and all(map(_stays, arguments))
    )


def _stays(part: ast.expr) -> bool:
    """A folder or a file of data inside is another place."""
    text = fold(part)
    return text is not None and bool(text in _HERE or TEST_FILE.search(text) or _SOURCE.search(text))
