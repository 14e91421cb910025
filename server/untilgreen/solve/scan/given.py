"""What local names hold: what a caller gave, something temporary, a path, the folder of the code itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping

from untilgreen.solve.scan.constants import fold
from untilgreen.solve.scan.names import Function, Names, own_nodes, parameters
from untilgreen.solve.scan.tables import WITNESSES

_TEMPORARY = ("tempfile.",)
_GIVEN_CALLS = frozenset({"parse_args", "parse_known_args"})
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


def given_names(function: Function, names: Names, outer: frozenset[str]) -> frozenset[str]:
    """Parameters, and all that is made from them or from what a user typed as arguments."""
    return _closure(function, names, outer | parameters(function), _is_argument)


def temporary_names(function: ast.AST, names: Names, outer: frozenset[str]) -> frozenset[str]:
    """What is made from a temporary file or folder."""
    return _closure(function, names, outer, is_temporary)


def path_names(function: ast.AST, names: Names, outer: frozenset[str]) -> frozenset[str]:
    """What is made from a path."""
    return _closure(function, names, outer, lambda node, names: reaches(node, names, "pathlib."))


def witness_names(function: ast.AST, names: Names, outer: Mapping[str, str]) -> dict[str, str]:
    """What is made from something that shows where the code runs, and from what."""
    known = dict(outer)
    flows = list(_flows(function))
    for _ in range(len(flows)):
        more = {
            name: told
            for target, value in flows
            if (told := witness_in(value, names, known)) is not None
            for name in _targets(target)
        }
        if more.keys() <= known.keys():
            break
        known |= more
    return known


def witness_in(node: ast.AST, names: Names, known: Mapping[str, str]) -> str | None:
    """The first thing in an expression that shows where the code runs."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in known:
            return known[inner.id]
        if isinstance(inner, ast.Attribute) and inner.attr == "isatty":
            return "isatty"
        if isinstance(inner, ast.Name | ast.Attribute | ast.Call):
            found = names.resolve(inner)
            if found in WITNESSES:
                return found
    return None


def mentions(node: ast.AST, some: frozenset[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in some for inner in ast.walk(node))


def is_temporary(node: ast.AST, names: Names) -> bool:
    return any(
        (found := names.resolve(inner)) is not None and found.startswith(_TEMPORARY)
        for inner in ast.walk(node)
    )


def _is_argument(node: ast.AST, names: Names) -> bool:
    return is_temporary(node, names) or any(
        (isinstance(inner, ast.Attribute) and inner.attr in _GIVEN_CALLS)
        or names.resolve(inner) == "sys.argv"
        for inner in ast.walk(node)
    )


def _closure(
    function: ast.AST, names: Names, first: frozenset[str], also: Callable[[ast.AST, Names], bool]
) -> frozenset[str]:
    known = first
    flows = list(_flows(function))
    while True:
        more = {
            name
            for target, value in flows
            if mentions(value, known) or also(value, names)
            for name in _targets(target)
        }
        if more <= known:
            return known
        known |= more


def _flows(function: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    for node in own_nodes(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.NamedExpr(target=target, value=value)
            ):
                yield target, value
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                yield target, value
            case ast.comprehension(target=target, iter=value):
                yield target, value
            case ast.withitem(optional_vars=ast.expr() as target, context_expr=value):
                yield target, value


def _targets(target: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


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
