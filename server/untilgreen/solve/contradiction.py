"""Two tests that no code can pass: the same call with the same arguments, and two different answers. Pure.

In doubt there is no contradiction. Only plain functions count, called with literals before anything else
happens in a test, where no fixture, set-up or decorator can have changed the world.
"""

from __future__ import annotations

import ast
import copy
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from untilgreen.trees import tree_of

# Words that may give two tests different worlds; also in a conftest.py above them.
_PREPARES = (
    "autouse",
    "setup",
    "setUp",
    "usefixtures",
    "pytestmark",
    "patch",
    "pytest_plugins",
    "def pytest_",
)
_NOT_A_VALUE = object()
Read = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Claim:
    """What one test demands of one call."""

    test: str
    """Its id, without parameters."""
    line: int
    call: tuple[str, str]
    """Where the function comes from, and its arguments."""
    answer: Any
    text: str

    @property
    def place(self) -> str:
        return f"{self.test.split('::')[0]}:{self.line}  {self.text}"


@dataclass(frozen=True, slots=True)
class Contradiction:
    one: Claim
    other: Claim

    @property
    def text(self) -> str:
        return f"{self.one.place}  ≠  {self.other.place}"


def find_contradiction(failing: tuple[str, ...], passing: Iterable[str], read: Read) -> Contradiction | None:
    """The first pair in which one test fails and the other fails, too, or must not break."""
    red = _without_parameters(failing)
    green = _without_parameters(passing)
    files = _files(red)
    claims = [claim for path in files for claim in claims_in(path, read)]
    asked = {claim.call[0].rpartition(".")[2].encode() for claim in claims if claim.test in red}
    # Most files of a large suite do not even name what the failing tests are about.
    for path in _files(green):
        if path not in files and any(name in (read(path) or b"") for name in asked):
            claims += claims_in(path, read)
    by_call: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        if claim.test in red or claim.test in green:
            by_call.setdefault(claim.call, []).append(claim)
    moody = {claim.call[0] for same in by_call.values() for claim in _changing(same)}
    for call, same in by_call.items():
        pair = next((pair for pair in _pairs(same) if pair[0].test in red or pair[1].test in red), None)
        if pair is not None and call[0] not in moody and not _keeps_state(call[0], read):
            return Contradiction(*pair)
    return None


def _without_parameters(ids: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(test_id.split("[")[0] for test_id in ids)


def _files(tests: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(test.split("::")[0] for test in tests)


def claims_in(path: str, read: Read) -> Iterator[Claim]:
    """What the tests of one file demand of functions that they import."""
    source = read(path)
    tree = _parsed(source)
    if tree is None or source is None or any(word.encode() in source for word in _PREPARES):
        return
    for folder in _folders(path):
        above = read(posixpath.join(folder, "conftest.py")) or b""
        if any(word.encode() in above for word in _PREPARES):
            return
    origins = _imported(tree, posixpath.dirname(path))
    for name, function in _tests(tree):
        for row in _rows(function):
            yield from _claims(f"{path}::{name}", function, row, origins)


def _claims(
    test: str, function: ast.FunctionDef, row: Mapping[str, ast.expr], origins: Mapping[str, str]
) -> Iterator[Claim]:
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    for statement in body:
        told = _Fill(row).visit(copy.deepcopy(statement)) if row else statement
        asked = _demand(told)
        if asked is None:
            return
        call, answer = asked
        arguments = _arguments(call)
        origin = _origin(call.func, origins)
        if origin is None or arguments is None:
            return
        yield Claim(test, statement.lineno, (origin, arguments), answer, ast.unparse(told))


def _demand(statement: ast.stmt) -> tuple[ast.Call, Any] | None:
    """`assert call == literal`, either way round, `is None`, or `assertEqual`."""
    sides: tuple[ast.expr, ast.expr] | None = None
    if isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare):
        compare = statement.test
        if len(compare.ops) == 1 and isinstance(compare.ops[0], ast.Eq | ast.Is):
            sides = compare.left, compare.comparators[0]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute) and function.attr in ("assertEqual", "assertEquals"):
            first, *rest = statement.value.args or (None,)
            sides = (first, rest[0]) if first is not None and rest else None
    if sides is None:
        return None
    for call, value in (sides, sides[::-1]):
        answer = _value(value)
        if isinstance(call, ast.Call) and answer is not _NOT_A_VALUE:
            return call, answer
    return None


def _arguments(call: ast.Call) -> str | None:
    """None unless all of them are literals, and there is one: a call without any asks for a state."""
    values = [_value(argument) for argument in call.args]
    named = {keyword.arg: _value(keyword.value) for keyword in call.keywords}
    if not (values or named) or None in named or _NOT_A_VALUE in [*values, *named.values()]:
        return None
    return f"{values!r} {sorted(named.items(), key=lambda item: str(item[0]))!r}"


def _origin(function: ast.expr, origins: Mapping[str, str]) -> str | None:
    parts: list[str] = []
    while isinstance(function, ast.Attribute):
        parts.insert(0, function.attr)
        function = function.value
    if not isinstance(function, ast.Name) or function.id not in origins:
        return None
    return ".".join((origins[function.id], *parts))


def _imported(tree: ast.Module, folder: str) -> dict[str, str]:
    """Names that stand for something imported, everywhere in the file, and where it comes from."""
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {name.asname or name.name.split(".")[0]: _top(name) for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = f"{folder}/{'.' * node.level}" if node.level else ""
            found |= {
                name.asname or name.name: f"{base}{node.module or ''}.{name.name}" for name in node.names
            }
    for inner in ast.walk(tree):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            found.pop(inner.id, None)
        elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.pop(inner.name, None)
        elif isinstance(inner, ast.arg):
            found.pop(inner.arg, None)
    return found


def _top(name: ast.alias) -> str:
    return name.name if name.asname else name.name.split(".")[0]


def _keeps_state(origin: str, read: Read) -> bool:
    """Whether the function may answer differently the next time: it looks at something that can change."""
    module, _, name = origin.rpartition(".")
    base = module.replace(".", "/")
    for path in (f"{base}.py", f"src/{base}.py", f"{base}/__init__.py", f"src/{base}/__init__.py"):
        tree = _parsed(read(path))
        if tree is None:
            continue
        found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
        changing = {
            target.id
            for node in tree.body
            if (isinstance(node, ast.Assign) and _value(node.value) is _NOT_A_VALUE) or _is_mutable(node)
            for target in ast.walk(node)
            if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)
        }
        return any(
            bool(function.decorator_list)
            or any(isinstance(node, ast.Global) for node in ast.walk(function))
            or any(isinstance(node, ast.Name) and node.id in changing for node in ast.walk(function))
            for function in found
        )
    return False


def _is_mutable(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(
        node.value, ast.List | ast.Dict | ast.Set | ast.Call
    )


def _tests(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef) and not node.decorator_list and _is_plain(node):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test"):
                    yield f"{node.name}::{inner.name}", inner


def _is_plain(node: ast.ClassDef) -> bool:
    """A class of the project's own above it may prepare anything."""
    return all(ast.unparse(base) in ("unittest.TestCase", "TestCase", "object") for base in node.bases)


def _rows(function: ast.FunctionDef) -> list[dict[str, ast.expr]]:
    """The values of the test's parameters, one row for each case; none when it needs anything else."""
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    if not function.decorator_list:
        return [] if names else [{}]
    decorator = function.decorator_list[0]
    if len(function.decorator_list) > 1 or not isinstance(decorator, ast.Call) or len(decorator.args) != 2:
        return []
    if not ast.unparse(decorator.func).endswith("mark.parametrize") or decorator.keywords:
        return []
    told, rows = _value(decorator.args[0]), decorator.args[1]
    given = [name.strip() for name in told.split(",")] if isinstance(told, str) else list(told or ())
    if sorted(given) != sorted(names) or not isinstance(rows, ast.List | ast.Tuple):
        return []
    found = []
    for row in rows.elts:
        cells = [row] if len(given) == 1 else row.elts if isinstance(row, ast.List | ast.Tuple) else []
        if len(cells) == len(given):
            found.append(dict(zip(given, cells, strict=True)))
    return found


class _Fill(ast.NodeTransformer):
    """Puts a case's values in the place of the parameters."""

    def __init__(self, row: Mapping[str, ast.expr]) -> None:
        self._row = row

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._row.get(node.id, node)


def _changing(same: list[Claim]) -> list[Claim]:
    """One test that wants two answers to one question asks something that remembers."""
    return [one for one, other in _pairs(same) if one.test == other.test and one.line != other.line]


def _pairs(same: list[Claim]) -> Iterator[tuple[Claim, Claim]]:
    for n, one in enumerate(same):
        for other in same[n + 1 :]:
            if one.answer != other.answer:
                yield one, other


def _folders(path: str) -> Iterator[str]:
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _NOT_A_VALUE


def _parsed(source: bytes | None) -> ast.Module | None:
    try:
        return None if source is None else tree_of(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
