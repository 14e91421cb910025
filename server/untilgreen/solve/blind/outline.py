"""What a test module defines: where each test stands, and which helpers expect something. Pure."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

from untilgreen.solve.blind.sites import Function, Helpers, last_name, sites_in

_NAMED_FIXTURES = frozenset(
    (
        *("snapshot", "snapshot_json", "data_regression", "dataframe_regression", "file_regression"),
        *("num_regression", "ndarrays_regression", "image_regression", "golden", "cassette", "vcr"),
        *("vcr_cassette", "recwarn_name", "resources", "datadir", "shared_datadir", "original_datadir"),
    )
)
_NAMED_ATTRIBUTES = frozenset(
    (
        *("_testMethodName", "originalname", "nodeid", "node", "co_name", "co_firstlineno", "f_lineno"),
        *("tb_lineno", "lineno", "getsource", "getsourcelines", "currentframe", "stack", "extract_stack"),
    )
)


@dataclass(frozen=True, slots=True)
class TestId:
    """The parts of a test's id."""

    __test__ = False
    path: str
    classes: tuple[str, ...]
    name: str
    parameters: str
    """With its brackets; empty when there are none."""

    def __str__(self) -> str:
        return "::".join((self.path, *self.classes, self.name)) + self.parameters


def parse_id(test_id: str) -> TestId:
    path, _, rest = test_id.partition("::")
    named, bracket, parameters = rest.partition("[")
    *classes, name = named.split("::")
    return TestId(path, tuple(classes), name, bracket + parameters)


class Outline:
    """Finds things in one tree. Later definitions of a name take the place of earlier ones."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self._functions = {node.name: node for node in tree.body if isinstance(node, Function)}
        self._classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

    @property
    def names_matter(self) -> bool:
        """Whether the module itself gives tests their parameters, by their names."""
        makers = [self._functions.get(name) for name in ("pytest_generate_tests", "load_tests")]
        return any(maker is not None and "__name__" in ast.dump(maker) for maker in makers)

    def find(self, test: TestId) -> tuple[Function, ast.Module | ast.ClassDef] | None:
        """The definition of a test, and what it stands in; None when the text does not show it."""
        if not test.classes:
            function = self._functions.get(test.name)
            return (function, self.tree) if function is not None else None
        owner = self._class(test.classes)
        if owner is not None and _is_named(owner):
            return None
        return self._method(owner, test.name, 0) if owner is not None else None

    def helpers(self, owner: ast.Module | ast.ClassDef) -> Helpers:
        methods: dict[str, Function] = {}
        if isinstance(owner, ast.ClassDef):
            own = [node for node in owner.body if isinstance(node, Function)]
            methods = {node.name: node for node in own if _expects(node)}
        return Helpers(self._expecting, methods)

    @functools.cached_property
    def _expecting(self) -> dict[str, Function]:
        return {name: node for name, node in self._functions.items() if _expects(node)}

    @property
    def takes_canaries(self) -> bool:
        """Not where every test is given parameters by the module itself."""
        for node in self.tree.body:
            named = isinstance(node, ast.Assign) and any(
                last_name(one) == "pytestmark" for one in node.targets
            )
            if named and "parametrize" in ast.dump(node):
                return False
            said = "".join(map(ast.dump, node.decorator_list)) if isinstance(node, Function) else ""
            if "autouse" in said and "params" in said:
                return False
        return True

    def _class(self, names: tuple[str, ...]) -> ast.ClassDef | None:
        found = self._classes.get(names[0])
        for name in names[1:]:
            inner = [
                node for node in (found.body if found is not None else []) if isinstance(node, ast.ClassDef)
            ]
            found = next((node for node in reversed(inner) if node.name == name), None)
        return found

    def _method(self, owner: ast.ClassDef, name: str, depth: int) -> tuple[Function, ast.ClassDef] | None:
        for node in reversed(owner.body):
            if isinstance(node, Function) and node.name == name:
                return node, owner
        for base in owner.bases:
            above = self._classes.get(base.id) if isinstance(base, ast.Name) and depth < 8 else None
            found = self._method(above, name, depth + 1) if above is not None else None
            if found is not None:
                return found
        return None


def depends_on_its_name(function: Function) -> bool:
    """A test that is known by its name to something that it uses would not be itself under another one."""
    arguments = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
    if arguments & _NAMED_FIXTURES:
        return True
    for node in (*ast.walk(function),):
        match node:
            case ast.Attribute(attr=attribute) if attribute in _NAMED_ATTRIBUTES:
                return True
            case ast.Name(id=name) if name == function.name:
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr="id")):
                return True
            case ast.Constant(value=str(text)) if "PYTEST_CURRENT_TEST" in text:
                return True
    return any(
        "dependency" in ast.dump(decorator) or "vcr" in ast.dump(decorator)
        for decorator in function.decorator_list
    )


def _is_named(owner: ast.ClassDef) -> bool:
    """Whether what surrounds the tests of a class looks at their names."""
    around = [node for node in owner.body if isinstance(node, Function) and not node.name.startswith("test")]
    return any(
        (isinstance(node, ast.Attribute) and node.attr == "_testMethodName")
        or (isinstance(node, ast.Call) and ast.unparse(node.func) == "self.id")
        for function in around
        for node in ast.walk(function)
    )


def _expects(function: Function) -> bool:
    fixture = any("fixture" in ast.dump(decorator) for decorator in function.decorator_list)
    return not fixture and not function.name.startswith("test") and bool(sites_in(function))


def mentioned(tree: ast.Module) -> frozenset[str]:
    """What a module speaks of, besides definitions."""
    return frozenset(last_name(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute))
