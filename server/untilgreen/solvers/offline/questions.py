"""Questions that a function does not ask yet, and that others answer: what its parameters wish for. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.ingredients import Stock
from untilgreen.solvers.offline.precedence import ATOM, COMPARE, NOT, OR
from untilgreen.solvers.offline.scope import with_defaults
from untilgreen.solvers.offline.view import View, once

_NO_OBJECTS = kinds.COLLECTIONS | {kinds.NUMBER, kinds.BOOLEAN}
_WITHOUT_FLAGS = frozenset(
    {"NoneType", "bool", "int", "float", "str", "bytes", "list", "tuple", "dict", "set"}
)
_NO_ITEMS = kinds.COLLECTIONS - {kinds.TEXT}


def wishes(
    view: View, names: Iterable[str], given: Collection[str], unread: Collection[str]
) -> Iterator[tuple[str, int, float, Iterable[str]]]:
    """Of parameters that nothing reads: `kind is None or item.kind == kind`."""
    items = [name for name in names if name not in given]
    for wish in (name for name in given if name in unread):
        for name in items:
            kind = view.kind_of(name)
            texts = [] if kind in _NO_ITEMS else [f"{name} == {wish}"]
            texts += [] if kind in _NO_OBJECTS else [f"{name}.{wish} == {wish}"]
            texts += [f'{name}["{wish}"] == {wish}'] if kind in (*kinds.MAPPINGS, None) else []
            for text in texts:
                yield text, COMPARE, 1.1, (name, wish)
                if can_be_none(view, wish):
                    yield f"{wish} is None or {text}", OR, 0.9, (name, wish)


def questions(stock: Stock, names: frozenset[str], own: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Calls of functions that answer yes or no, when what they ask for is at hand by its name; of methods of
    the same class, too."""
    owner = own.rpartition(".")[0]
    for name, functions in stock.functions.items():
        function = functions[0]
        asked = [one.arg for one in function.args.args]
        is_method = bool(asked) and asked[0] == "self"
        known = name in stock.members(owner) if is_method else name in stock.globals
        if not known or name == own.rpartition(".")[2] or not isinstance(function, ast.FunctionDef):
            continue
        given = asked[1:] if is_method else asked
        at_hand = bool(given) and names.issuperset(asked) and not function.args.kwonlyargs
        if at_hand and _answers_yes_or_no(function):
            yield f"{'self.' if is_method else ''}{name}({', '.join(given)})", frozenset(given)


def _answers_yes_or_no(function: ast.FunctionDef) -> bool:
    given = [one.value for one in ast.walk(function) if isinstance(one, ast.Return)]
    return bool(given) and all(one is not None and kinds.of_node(one, {}) == kinds.BOOLEAN for one in given)


def flags(view: View) -> Iterator[tuple[str, int, float, Iterable[str]]]:
    """Of the object itself: `not self.directed`, where other methods ask it or nobody does."""
    if view.owner is None:
        return
    asked, read, given = set(), set(), set()
    for node in ast.walk(view.owner):
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            asked |= {name for part in _parts(node.test) if (name := _own_attribute(part))}
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            read.add(_own_attribute(node))
        elif isinstance(node, ast.FunctionDef) and node.name == "__init__":
            given |= _switches(node)
    for name in sorted(asked | given):
        cost = 0.8 if name in read else 0.4
        yield f"self.{name}", ATOM, cost, ("self",)
        yield f"not self.{name}", NOT, cost, ("self",)


def flags_of_others(view: View, names: Iterable[str]) -> Iterator[tuple[str, int, float, Iterable[str]]]:
    """Of what a name stands for: `subscription.active`, which its class sets to True or False."""
    for name in names:
        found: set[str] = set()
        for one in view.facts.types.get(name, frozenset()) - _WITHOUT_FLAGS:
            others = view.ingredients.elsewhere(view.site.path, f"class {one}")
            for tree in (view.site.tree, *(stock.tree for stock in others)):
                found |= _set_to_truth(tree, one)
        for flag in sorted(found):
            yield f"{name}.{flag}", ATOM, 0.9, (name,)
            yield f"not {name}.{flag}", NOT, 0.8, (name,)


def _set_to_truth(tree: ast.Module, name: str) -> set[str]:
    """Attributes of a class that methods set to True or False, and fields that are such."""
    found = set()
    for one in (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name):
        for node in ast.walk(one):
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name) and node in one.body:
                    found |= {target.id} if isinstance(node.value.value, bool) else set()
                elif isinstance(node.value.value, bool):
                    found.add(_own_attribute(target))
    return found - {""}


def _parts(test: ast.expr) -> list[ast.expr]:
    """What is asked by itself in a condition."""
    if isinstance(test, ast.BoolOp):
        return [part for value in test.values for part in _parts(value)]
    return _parts(test.operand) if isinstance(test, ast.UnaryOp) else [test]


def _own_attribute(node: ast.expr) -> str:
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if is_own and isinstance(node, ast.Attribute) else ""


def _switches(function: ast.FunctionDef) -> set[str]:
    """Attributes that are made of parameters whose default is True or False."""
    named = {
        one.arg
        for one, value in with_defaults(function.args)
        if isinstance(value, ast.Constant) and isinstance(value.value, bool)
    }
    return {
        name
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in named
        for target in node.targets
        if (name := _own_attribute(target))
    }


def can_be_none(view: View, name: str) -> bool:
    """As far as is known; what a parameter is when nothing is given counts, too."""
    types = view.facts.types.get(name)
    return types is None or "NoneType" in types or name in _none_by_default(view)


@once
def _none_by_default(view: View) -> frozenset[str]:
    node = view.site.node
    if isinstance(node, ast.Module):
        return frozenset()
    return frozenset(
        one.arg
        for one, value in with_defaults(node.args)
        if isinstance(value, ast.Constant) and value.value is None
    )
