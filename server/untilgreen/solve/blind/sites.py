"""Where a test says what it expects: the statements that can be turned into their opposite. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from untilgreen.solve.blind.opposites import Change, opposites

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_CATCHING = frozenset({"raises", "suppress", "assertRaises", "assertRaisesRegex", "warns", "assertWarns"})
_MAY_STAY_OUT = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.Match)


@dataclass(frozen=True, slots=True)
class Helpers:
    """Functions of the test module, and methods of the test's class, that expect something themselves."""

    functions: Mapping[str, Function] = field(default_factory=dict)
    methods: Mapping[str, Function] = field(default_factory=dict)


NO_HELPERS = Helpers()


@dataclass(frozen=True, slots=True)
class Site:
    """One expectation."""

    trail: tuple[tuple[str, int], ...]
    """From the function to the statement: name of a list of statements, and place in it."""
    changes: tuple[Change, ...]
    """Ways to turn it around; empty for a call of a helper."""
    certain: bool
    """False when the test can pass without coming here."""
    helper: str = ""
    """The helper that is called here: `name`, or `self.name`."""


def sites_in(function: Function, helpers: Helpers = NO_HELPERS) -> tuple[Site, ...]:
    """In the order of the text; none for a generator, which is no ordinary test."""
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function)):
        return ()
    return tuple(_Walk(helpers).body(function.body, (), "body", certain=True))


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """What is executed when the function is, without functions and classes that it defines."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, Scope):
            yield from own_nodes(child)


class _Walk:
    def __init__(self, helpers: Helpers) -> None:
        self._helpers = helpers
        self._left = False
        """Whether the test may have returned already, or been skipped."""

    def body(
        self, statements: list[ast.stmt], trail: tuple[tuple[str, int], ...], name: str, *, certain: bool
    ) -> Iterator[Site]:
        for n, statement in enumerate(statements):
            if self._left:
                return
            here = (*trail, (name, n))
            yield from self._statement(statement, here, certain=certain)
            inside = () if isinstance(statement, Scope) else own_nodes(statement)
            if any(isinstance(node, ast.Return) for node in (statement, *inside)):
                self._left = True

    def _statement(
        self, statement: ast.stmt, here: tuple[tuple[str, int], ...], *, certain: bool
    ) -> Iterator[Site]:
        changes = opposites(statement)
        if changes:
            yield Site(here, changes, certain)
        elif helper := self._helper(statement):
            yield Site(here, (), certain, helper)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            if not any(_catches(item.context_expr) for item in statement.items):
                yield from self.body(statement.body, here, "body", certain=certain)
        elif isinstance(statement, ast.Try):
            # What a handler would catch is no failure of the test.
            if not statement.handlers:
                yield from self.body(statement.body, here, "body", certain=certain)
            yield from self.body(statement.finalbody, here, "finalbody", certain=certain)
        elif isinstance(statement, ast.For | ast.AsyncFor):
            sure = certain and _is_full(statement.iter)
            yield from self.body(statement.body, here, "body", certain=sure)
        elif isinstance(statement, _MAY_STAY_OUT) and not isinstance(statement, ast.Match):
            yield from self.body(statement.body, here, "body", certain=False)
            yield from self.body(statement.orelse, here, "orelse", certain=False)

    def _helper(self, statement: ast.stmt) -> str:
        if not isinstance(statement, ast.Expr):
            return ""
        value = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
        match value:
            case ast.Call(func=ast.Name(id=name)) if name in self._helpers.functions:
                return name
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                return f"self.{name}" if name in self._helpers.methods else ""
        return ""


def _catches(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _CATCHING


def last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_full(node: ast.expr) -> bool:
    """A loop over these is entered."""
    match node:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return bool(elements) and not any(isinstance(element, ast.Starred) for element in elements)
        case ast.Dict(keys=keys):
            return bool(keys) and None not in keys
        case ast.Constant(value=str(text)):
            return bool(text)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(n))]):
            return n > 0
        case ast.Call(func=ast.Attribute(value=ast.Dict() as value, attr="items")):
            return _is_full(value)
        case ast.Call(func=ast.Name(id="enumerate"), args=[value, *_]):
            return _is_full(value)
    return False
