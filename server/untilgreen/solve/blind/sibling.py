"""A copy of a test that goes as far as one of its expectations, and there expects the opposite. Pure."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from untilgreen.solve.blind.opposites import Change
from untilgreen.solve.blind.sites import Function, Site, last_name
from untilgreen.trees import tree_of

REACHED = "__reached"
_BRIEFLY = (
    "__import__('hypothesis').settings(max_examples=3, database=None, deadline=None,"
    " phases=[__import__('hypothesis').Phase.generate])"
)
"""One example is enough to fail; to look for the smallest one would take longer than the whole suite."""


@dataclass(frozen=True, slots=True)
class Sibling:
    """One must-fail copy, and the copies of helpers that it calls."""

    function: Function
    helper: Function | None
    """A copy of a helper with the opposite expectation in it, which is called instead."""
    in_class: bool
    """Whether the helper is a method."""
    change: Change


def make_sibling(
    function: Function, site: Site, change: Change, helper: tuple[Function, Site] | None, helper_name: str
) -> Sibling:
    """`helper` is the function that a site calls, and the site in it that is turned around."""
    made = copy.deepcopy(function)
    _fail_briefly(made)
    if helper is None:
        statements = [copy.deepcopy(statement) for statement in change.statements]
        _cut(made, site, statements, certain=site.certain)
        return Sibling(made, None, False, change)
    inner, inner_site = helper
    other = copy.deepcopy(inner)
    other.name = helper_name
    # A helper that does not come to its expectation is no failure; the test's own flag cannot see into it.
    _cut(other, inner_site, [copy.deepcopy(one) for one in change.statements], certain=inner_site.certain)
    called = call_other(made, site, helper_name)
    _cut(made, site, [called], certain=site.certain)
    return Sibling(made, other, site.helper.startswith("self."), change)


def _fail_briefly(function: Function) -> None:
    named = [_called(decorator) for decorator in function.decorator_list]
    if "given" in named:
        kept = [one for one, name in zip(function.decorator_list, named, strict=True) if name != "settings"]
        function.decorator_list = [tree_of(_BRIEFLY, "eval").body, *kept]


def _called(decorator: ast.expr) -> str:
    return last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)


def call_other(function: Function, site: Site, name: str) -> ast.stmt:
    """Have the helper that is called at a site go by another name; returns the statement."""
    called = _at(function, site.trail)
    _rename_call(called, site.helper, name)
    return called


def _at(function: Function, trail: tuple[tuple[str, int], ...]) -> ast.stmt:
    node: ast.AST = function
    for name, n in trail:
        node = getattr(node, name)[n]
    assert isinstance(node, ast.stmt)
    return node


def _cut(function: Function, site: Site, statements: list[ast.stmt], *, certain: bool) -> None:
    """Put these in the place of an expectation, and leave out all that would follow."""
    node: ast.AST = function
    for depth, (name, n) in enumerate(site.trail):
        block: list[ast.stmt] = getattr(node, name)
        node = block[n]
        if depth == len(site.trail) - 1:
            flag = [] if certain else [_parsed(f"{REACHED}.append(1)")]
            block[n:] = [*flag, *statements]
        else:
            del block[n + 1 :]
    if not certain:
        # Not to come there at all is an opposite of what is expected, too: this test must fail.
        function.body.insert(_after_docstring(function), _parsed(f"{REACHED} = []"))
        function.body.append(_parsed(f"assert {REACHED}"))


def _after_docstring(function: Function) -> int:
    return 1 if ast.get_docstring(function) is not None and len(function.body) > 1 else 0


def _rename_call(statement: ast.stmt, old: str, new: str) -> None:
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Name() as name) if name.id == old:
                name.id = new
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self")) as attribute):
                if f"self.{attribute.attr}" == old:
                    attribute.attr = new


def _parsed(source: str) -> ast.stmt:
    return tree_of(source).body[0]
