"""All signs in one syntax tree, told with the function that they stand in."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator

from untilgreen.solve.scan import tables
from untilgreen.solve.scan.calls import look_at_call, look_for_secret
from untilgreen.solve.scan.classes import shapes_of_class
from untilgreen.solve.scan.constants import fold
from untilgreen.solve.scan.decisions import look_at_decision
from untilgreen.solve.scan.files import look_at_import, reads_of_its_own
from untilgreen.solve.scan.mentions import harmless_mentions
from untilgreen.solve.scan.names import Names
from untilgreen.solve.scan.place import Place
from untilgreen.solve.scan.shapes import Shape, shapes_of_try
from untilgreen.solve.scan.sign import Sign
from untilgreen.solve.scan.tampering import look_at_assignment, look_at_namespace, look_at_setting_call
from untilgreen.solve.scan.witnesses import (
    look_at_comparison,
    look_at_condition,
    look_at_environment,
    look_at_logger,
    look_at_lookup,
    look_at_probe,
    look_at_stream,
)
from untilgreen.trees import tree_of

_TEST_TOOL = re.compile(r"\b_?py\.?test\b|^(unittest|pluggy|iniconfig|xdist|_?TEST(S|ING)?_?)$")
_TEST_FILE = re.compile(r"(^|[/\\\\*])(test_|tests?\b|conftest)|_test\.py$")
_LONG_TEXT = 40
_NOWHERE: frozenset[str] = frozenset()


def signs_in(
    tree: ast.Module,
    names: Names | None = None,
    test_modules: frozenset[str] = _NOWHERE,
    skipped: frozenset[ast.AST] = frozenset(),
) -> tuple[Sign, ...]:
    """In the order of their lines, each once for a line."""
    visitor = _Visitor(Place(tree, names or Names(tree)), test_modules, skipped)
    visitor.visit(tree)
    return tuple(sorted(visitor.signs(), key=lambda sign: (sign.line, sign.rule, sign.what)))


class _Visitor(ast.NodeVisitor):
    def __init__(self, place: Place, test_modules: frozenset[str], skipped: frozenset[ast.AST]) -> None:
        self._place = place
        self._skipped = skipped
        self._test_modules = test_modules
        self._harmless: set[ast.AST] = set()
        self._only_named: set[str] = set()
        self._network_imports: list[Sign] = []
        self._tool_names: list[Sign] = []
        self._test_files: list[Sign] = []
        self._reads_files = False
        self._witnesses: set[tuple[str, str]] = set()
        self._annotations: set[ast.expr] = set()

    def signs(self) -> set[Sign]:
        """Those found, and those that only the rest of the file makes a sign."""
        found = self._place.found
        looking = {where for where, _ in self._witnesses}
        at_modules = any(what == "sys.modules" for _, what in self._witnesses)
        sniffing = [
            sign for sign in self._tool_names if sign.where in looking or (at_modules and not sign.where)
        ]
        if self._reads_files:
            sniffing += self._test_files
        talks = any(sign.rule == "network" for sign in found)
        unused = [sign for sign in self._network_imports if sign.key not in self._only_named]
        return {*found, *sniffing, *(() if talks else unused)}

    def visit(self, node: ast.AST) -> None:
        if node in self._annotations or node in self._skipped:
            return
        self._annotations |= set(_annotations(node))
        self._harmless |= set(harmless_mentions(node, self._place))
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                if _answers_any_name(node) and not self._place.where:
                    self._place.add("hooks", "a module that has whatever it is asked for", node)
                if not isinstance(node, ast.Lambda) and node.name.startswith("pytest_"):
                    self._place.add("pytest-sniffing", node.name, node)
                self._inside(self._place.enter_function(node), node)
            case ast.ClassDef():
                self._shapes(shapes_of_class(node, self._place.names))
                self._inside(self._place.enter_class(node.name), node)
            case ast.For() | ast.While() | ast.AsyncFor() | ast.With():
                self._statement(node)
                self._inside(self._place.enter_block(node), node)
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()])):
                look_at_comparison(node.test, self._place)  # type: ignore[arg-type]
                self._inside(self._place.enter_main(), node)
            case ast.Expr(value=ast.Constant()):
                # Text that stands alone is a comment.
                return
            case ast.Attribute() | ast.Name() | ast.Subscript():
                if not self._name(node):
                    self.generic_visit(node)
            case ast.Constant(value=str() | bytes()) | ast.BinOp() | ast.JoinedStr():
                look_at_decision(node, self._place)
                if not self._text(node):
                    self.generic_visit(node)
            case _:
                self._statement(node)
                self.generic_visit(node)

    def _statement(self, node: ast.AST) -> None:
        look_at_environment(node, self._place)
        look_at_namespace(node, self._place)
        look_at_decision(node, self._place)
        match node:
            case ast.Import(names=aliases):
                look_at_import(node, self._place, self._test_modules)
                for alias in aliases:
                    self._imported(alias.name, node)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                look_at_import(node, self._place, self._test_modules)
                if module and not level:
                    self._imported(module, node)
                    for alias in aliases:
                        self._imported(f"{module}.{alias.name}", node, member=True)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                look_at_condition(test, self._place)
            case ast.Match(subject=test):
                look_at_condition(test, self._place)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    look_at_condition(test, self._place)
            case ast.BoolOp(op=ast.And(), values=values):
                for test in values[:-1]:
                    look_at_condition(test, self._place)
            case ast.Compare():
                look_at_comparison(node, self._place)
            case ast.Assign(targets=targets, value=value):
                look_at_assignment(targets, value, self._place)
            case ast.AugAssign(target=target, value=value):
                look_at_assignment([target], value, self._place)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                look_at_assignment([target], value, self._place)
            case ast.Delete(targets=targets):
                look_at_assignment(targets, None, self._place)
            case ast.Try() | ast.TryStar():
                self._shapes(shapes_of_try(node, self._place.names))
            case ast.Raise(exc=ast.Name(id="SystemExit") | ast.Call(func=ast.Name(id="SystemExit"))):
                self._exits("SystemExit", node)
            case ast.Call():
                self._call(node)

    def _call(self, node: ast.Call) -> None:
        called = self._place.resolve(node.func) or ""
        look_at_call(node, self._place)
        look_at_setting_call(node, self._place)
        look_at_stream(node, self._place)
        look_at_probe(node, called, self._place)
        self._reads_files |= reads_of_its_own(node, called, self._place)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
            look_at_lookup(node.args[0], node, self._place)
        reached = self._place.resolve(node)
        if reached is not None and called in tables.IMPORTERS:
            look_at_import(node, self._place, self._test_modules, reached)
        if reached is not None and called in {*tables.IMPORTERS, "sys.modules.get"}:
            self._imported(reached, node)
        elif reached is not None and node not in self._harmless:
            self._reached(reached, node)
        if called in tables.DYNAMIC and node.args and (text := fold(node.args[0])) is not None:
            self._code(text, node)

    def _code(self, text: str, node: ast.Call) -> None:
        """Code that stands in a text can be read like any other."""
        try:
            inner = signs_in(tree_of(text))
        except (SyntaxError, ValueError):
            return
        for sign in inner:
            self._place.add(sign.rule, sign.what, node, sign.key)

    def _name(self, node: ast.Attribute | ast.Name | ast.Subscript) -> bool:
        """True when nothing more can be found inside."""
        if node in self._harmless:
            self._only_named.add((self._place.resolve(node) or "").rpartition(".")[0])
            return False
        if isinstance(node, ast.Attribute):
            self._attribute(node)
        if isinstance(node, ast.Subscript):
            look_at_lookup(node.slice, node, self._place)
            look_at_decision(node, self._place)
            look_at_environment(node, self._place)
            self._namespace(node)
            if self._place.resolve(node.value) == "os.environ":
                look_for_secret(node.slice, node, self._place)
        found = self._place.resolve(node)
        if found is None:
            return isinstance(node, ast.Name) and self._star(node)
        places = (one for one in tables.TOOL_PLACES if found.startswith(one))
        self._witnesses.update((self._place.where, one) for one in places)
        return self._reached(found, node) and not isinstance(node, ast.Subscript)

    def _reached(self, found: str, node: ast.AST) -> bool:
        """What this expression is, needs eyes."""
        if found in tables.USES:
            self._use(found, node)
        elif found in ("sys.exit", "builtins.exit", "builtins.quit"):
            self._exits(found.removeprefix("builtins."), node)
        elif found in tables.CLOSED:
            self._place.add("eval", f"{found}, handed on", node, key=found)
        elif found.rpartition(".")[0] in tables.CLOSED and found.endswith(tables.SEARCHING):
            self._place.add("eval", found, node)
        elif tables.INNER.fullmatch(found):
            self._place.add("pytest-sniffing", found, node)
        elif not isinstance(node, ast.Name) and found.split(".")[0] in tables.TEST_MODULES:
            self._place.add("pytest-sniffing", found, node, key=found.split(".")[0])
        else:
            return False
        return True

    def _attribute(self, node: ast.Attribute) -> None:
        look_at_stream(node, self._place)
        look_at_logger(node, self._place)
        if node.attr in tables.FRAME_ATTRIBUTES:
            self._place.add("frames", node.attr, node)
        elif node.attr in tables.MEMORY_ATTRIBUTES:
            self._place.add("gc", node.attr, node)
        elif node.attr == "__subclasses__":
            self._subclasses(node)

    def _namespace(self, node: ast.Subscript) -> None:
        """A name that is put together can be that of anything which was imported."""
        called = self._place.resolve(node.value.func) if isinstance(node.value, ast.Call) else None
        loads = isinstance(node.ctx, ast.Load)
        if loads and called == "builtins.globals" and self._place.names.text(node.slice) is None:
            self._place.add("eval", "globals()[…]", node)

    def _subclasses(self, node: ast.Attribute) -> None:
        """A register of subclasses belongs to the class that has it; whose are those of all classes?"""
        owner = node.value.args[0] if isinstance(node.value, ast.Call) and node.value.args else node.value
        found = self._place.resolve(owner) or ""
        if not isinstance(owner, ast.Name) or found.split(".")[0] in sys.stdlib_module_names:
            self._place.add("gc", node.attr, node)

    def _use(self, found: str, node: ast.AST) -> None:
        rule = tables.USES[found]
        # What a call deletes, or waits for, matters; `calls` looks at both.
        if rule not in ("file-deletion", "clock"):
            self._place.add(rule, found, node)

    def _star(self, node: ast.Name) -> bool:
        """A name that came with all others of its module."""
        names = [f"{module}.{node.id}" for module in self._place.names.stars]
        for name in names:
            if name in tables.USES:
                self._use(name, node)
        return any(name in tables.USES for name in names)

    def _imported(self, name: str, node: ast.AST, *, member: bool = False) -> None:
        first = name.split(".")[0]
        if not member and first in tables.IMPORTS:
            self._place.add(tables.IMPORTS[first], f"import {name}", node, key=first)
        if name in tables.NETWORK_IMPORTS or (not member and first in tables.NETWORK_MODULES):
            self._network_imports.append(self._place.sign("network", f"import {name}", node, name))

    def _text(self, node: ast.AST) -> bool:
        text = fold(node)
        if text is None:
            return False
        if "PYTEST" in text:
            self._place.add("pytest-sniffing", "PYTEST_…", node)
        elif text.startswith(("/proc/", "@py")):
            self._place.add("pytest-sniffing", text[:_LONG_TEXT], node)
        elif "PYTHONOPTIMIZE" in text:
            self._place.add("silenced-checks", "PYTHONOPTIMIZE", node)
        elif len(text) < _LONG_TEXT and _TEST_FILE.search(text):
            self._test_files.append(self._place.sign("pytest-sniffing", "a look for test files", node))
        elif len(text) < _LONG_TEXT and _TEST_TOOL.search(text):
            self._tool_names.append(self._place.sign("pytest-sniffing", "a look for pytest", node))
        return True

    def _exits(self, what: str, node: ast.AST) -> None:
        if not self._place.may_exit:
            self._place.add("exit", what, node, key="sys.exit", unless="SystemExit")

    def _shapes(self, shapes: Iterable[Shape]) -> None:
        for rule, what, key, node, unless in shapes:
            self._place.add(rule, what, node, key, unless)

    def _inside(self, place: Place, node: ast.AST) -> None:
        outer, self._place = self._place, place
        self.generic_visit(node)
        self._place = outer


def _answers_any_name(node: ast.AST) -> bool:
    """`__getattr__` of a module, without an error for what is not there."""
    return (
        isinstance(node, ast.FunctionDef)
        and node.name == "__getattr__"
        and len(node.args.args) == 1
        and not any(isinstance(inner, ast.Raise | ast.Subscript) for inner in ast.walk(node))
        and "getattr(" not in ast.unparse(node.body)  # type: ignore[arg-type]
    )


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    """Types that a node only names; one that calls something does more than that."""
    named = (getattr(node, "annotation", None), getattr(node, "returns", None))
    for one in named:
        if isinstance(one, ast.expr) and not any(isinstance(inner, ast.Call) for inner in ast.walk(one)):
            yield one
