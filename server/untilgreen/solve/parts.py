"""What in a file is test code: of a file that mixes code and tests only this is protected. Pure."""

from __future__ import annotations

import ast
import doctest
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from untilgreen.solve.parsing import parsed

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SETTINGS = frozenset(
    {"pytestmark", "pytest_plugins", "collect_ignore", "collect_ignore_glob", "__test__", "load_tests"}
)
_SETUP = re.compile(r"(setup|teardown|setUp|tearDown|pytest_)\w*$")
_TEST_LINE = re.compile(
    rb"^\s*(async +)?(def|class) +([Tt]est|\w*fixture)|^\s*@.*(fixture|pytest|given)", re.M
)


def same_tests(old: bytes, new: bytes) -> bool:
    """Whether a new text of a file has the same test code as the old one, and no more."""
    before, after = parsed(old), parsed(new)
    if after is None:
        return False
    if before is None:
        # What cannot be parsed was never a test that passed; its examples can still be read.
        return not _TEST_LINE.search(old) and not _TEST_LINE.search(new) and _read(old) == _read(new)
    return list(_parts(before)) == list(_parts(after)) and _names_mean_the_same(before, after)


def mixes(path: str, text: bytes, modules: frozenset[str]) -> bool:
    """Whether a file named like a test tests what it defines itself: it imports nothing of the workspace."""
    tree = parsed(text)
    if tree is None or PurePosixPath(path).name == "conftest.py":
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name.split(".")[0] in modules for alias in node.names):
            return False
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] in modules):
            return False
    own = [node for node in tree.body if isinstance(node, Function | ast.ClassDef) and not _is_test(node)]
    return bool(own)


def _parts(tree: ast.Module) -> Iterator[str]:
    """Each piece of test code in words that are equal when it is."""
    tests = [node for node in tree.body if _is_test(node)]
    spoken_of = {node.id for test in tests for node in ast.walk(test) if isinstance(node, ast.Name)}
    given = {
        node.id
        for test in tests
        for decorator in getattr(test, "decorator_list", [])
        for node in ast.walk(decorator)
        if isinstance(node, ast.Name)
    }
    names = {test.name for test in tests if isinstance(test, Function | ast.ClassDef)}
    settings = names | given | _SETTINGS
    for node in tree.body:
        defines = isinstance(node, Function | ast.ClassDef)
        data = isinstance(node, ast.Assign) and _assigns(node, spoken_of) and _is_data(node.value)
        helps = node in tests or _helps(node, spoken_of)
        if helps or data or (not defines and _speaks_of(node, settings)):
            yield ast.dump(node)
    for name, text in _docstrings(tree, ""):
        yield from (f"{name}: {example}" for example in _examples(text))


def _names_mean_the_same(before: ast.Module, after: ast.Module) -> bool:
    """What tests use of other modules comes from where it came from; what was missing may be imported."""
    testing = [node for node in before.body if _is_test(node) or _expects(node)]
    spoken_of = {inner.id for node in testing for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    own = {node.name for node in testing if isinstance(node, Function | ast.ClassDef)}
    old, new = _imported(before), _imported(after)
    bound, now_bound = Counter(_bound(before)), Counter(_bound(after))
    same = all(
        new.get(name) == old[name] and now_bound[name] <= bound[name] for name in spoken_of & old.keys()
    )
    return same and not own & (new.keys() - old.keys())


def _imported(tree: ast.Module) -> dict[str, str]:
    """Name → where it is imported from, at the top of a module."""
    return {
        (alias.asname or alias.name).split(".")[0]: (
            f"{'.' * node.level}{node.module or ''} {alias.name}"
            if isinstance(node, ast.ImportFrom)
            else alias.name.split(".")[0]
        )
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def _bound(node: ast.AST) -> Iterator[str]:
    """Names to which a module itself gives a meaning."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            yield child.name
            said = [inner for inner in ast.walk(child) if isinstance(inner, ast.Global)]
            yield from (name for one in said for name in one.names)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        else:
            yield from _bound(child)


def _is_test(node: ast.stmt) -> bool:
    if isinstance(node, Function):
        fixture = any("fixture" in ast.dump(one) for one in node.decorator_list)
        return node.name.startswith("test") or fixture or bool(_SETUP.match(node.name))
    if isinstance(node, ast.ClassDef):
        holds = any(isinstance(inner, Function) and inner.name.startswith("test") for inner in node.body)
        bases = " ".join(ast.unparse(base) for base in node.bases)
        return node.name.startswith("Test") or holds or "TestCase" in bases
    return False


def _helps(node: ast.stmt, spoken_of: set[str]) -> bool:
    """A function that tests call and that expects something."""
    return isinstance(node, Function) and node.name in spoken_of and _expects(node)


def _expects(node: ast.stmt) -> bool:
    return isinstance(node, Function) and any(map(_fails, ast.walk(node)))


def _fails(node: ast.AST) -> bool:
    """`assert …`, `raise AssertionError(…)`, `pytest.fail(…)`."""
    match node:
        case ast.Assert():
            return True
        case ast.Raise(exc=ast.Name(id="AssertionError") | ast.Call(func=ast.Name(id="AssertionError"))):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="pytest"), attr="fail")):
            return True
    return False


def _speaks_of(node: ast.stmt, names: set[str] | frozenset[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node))


def _assigns(node: ast.Assign, names: set[str]) -> bool:
    return any(isinstance(target, ast.Name) and target.id in names for target in node.targets)


def _is_data(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.Set)


def _docstrings(node: ast.AST, prefix: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Module | ast.ClassDef | Function) and (text := ast.get_docstring(node)):
        yield prefix, text
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | Function):
            yield from _docstrings(child, f"{prefix}.{child.name}")
        elif isinstance(child, ast.stmt):
            yield from _docstrings(child, prefix)


def _examples(text: str) -> list[str]:
    try:
        found = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return [text]
    return [f"{example.source!r} {example.want!r} {sorted(example.options.items())}" for example in found]


def _read(text: bytes) -> list[str]:
    """Examples in a text that cannot be parsed."""
    lines = text.decode("utf-8", "replace").expandtabs().splitlines()
    return [line.strip() for line in lines if line.strip().startswith((">>>", "..."))] + [
        after.strip() for line, after in itertools.pairwise(lines) if line.strip().startswith((">>>", "..."))
    ]
