"""Signs that change what belongs to others: attributes of modules, built-in names, the list of modules."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from untilgreen.rules import Rule
from untilgreen.solve.scan import tables
from untilgreen.solve.scan.constants import fold
from untilgreen.solve.scan.place import Place
from untilgreen.solve.scan.shapes import is_constant

_CLOCKS = frozenset({"time", "datetime", "datetime.datetime"})
_COMPARING = frozenset({"__eq__", "__ne__", "__bool__", "__contains__", "__hash__", "__lt__"})
_CHANGING = ("update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__")


def look_at_assignment(targets: Iterable[ast.expr], value: ast.expr | None, place: Place) -> None:
    """`value` is None when it cannot be told, or when the target is deleted."""
    for target in targets:
        match target:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                look_at_assignment(elements, None, place)
            case ast.Attribute(value=owner, attr=attr):
                _set_attribute(owner, attr, target, value, place)
            case ast.Subscript(value=owner):
                _set_item(owner, target, place)


def look_at_setting_call(node: ast.Call, place: Place) -> None:
    """`setattr(module, …)` and its relatives."""
    called = place.resolve(node.func) or ""
    if called in ("builtins.setattr", "builtins.delattr") and len(node.args) > 1:
        value = node.args[2] if len(node.args) > 2 else None
        _set_attribute(node.args[0], fold(node.args[1]), node, value, place)
    elif called.startswith("sys.modules.") and called.endswith(_CHANGING):
        place.add("monkeypatch", "sys.modules", node)
    elif called.endswith((".__dict__.update", ".__dict__.__setitem__")):
        place.add("monkeypatch", called, node)


def look_at_namespace(node: ast.AST, place: Place) -> None:
    """A class can be made of a table of methods, too."""
    pairs: Iterable[tuple[ast.expr | None, ast.expr]] = ()
    match node:
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
        case ast.Tuple(elts=[key, value]):
            pairs = [(key, value)]
        case ast.keyword(arg=str(given), value=value):
            pairs = [(ast.Constant(given), value)]
    for called, made in pairs:
        name = fold(called) if called is not None else None
        if name in _COMPARING and isinstance(made, ast.Lambda) and is_constant(made):
            place.add("constant-comparison", name or "", made, key=name or "")


def _set_item(owner: ast.expr, target: ast.Subscript, place: Place) -> None:
    found = place.resolve(owner) or ""
    if found in ("sys.modules", "builtins") or found.endswith(".__dict__"):
        place.add("monkeypatch", f"{found}[…]", target)
    elif isinstance(owner, ast.Call) and place.resolve(owner.func) == "builtins.vars" and owner.args:
        _set_attribute(owner.args[0], fold(target.slice), target, None, place)


def _set_attribute(
    owner: ast.expr, attr: str | None, node: ast.AST, value: ast.expr | None, place: Place
) -> None:
    found = place.resolve(owner)
    called = place.resolve(owner.func) if isinstance(owner, ast.Call) else None
    if called == "decimal.getcontext":
        place.add("monkeypatch", f"{called}().{attr}", node, unless="getcontext")
        return
    if attr in _COMPARING and isinstance(value, ast.Lambda) and is_constant(value):
        place.add("constant-comparison", f"{ast.unparse(owner)}.{attr}", node, key=attr or "")
    elif attr in tables.SETTING_ATTRIBUTES or (attr or "").startswith("pytest_"):
        place.add("monkeypatch", f"{ast.unparse(owner)}.{attr}", node)
    elif attr == "__class__" and ast.unparse(owner) != "self":
        place.add("monkeypatch", f"{ast.unparse(owner)}.__class__", node)
    elif found is not None and _belongs_to_others(owner, found, value, place):
        rule: Rule = "clock" if found in _CLOCKS else "monkeypatch"
        place.add(rule, f"{found}.{attr or '…'}", node)


def _belongs_to_others(owner: ast.expr, found: str, value: ast.expr | None, place: Place) -> bool:
    """A module, or a class of another one; an object that was imported is there to be used."""
    root = owner
    while isinstance(root, ast.Attribute):
        root = root.value
    if found.split(".")[0] in sys.stdlib_module_names or not isinstance(root, ast.Name):
        return True
    certain = root is owner and root.id in place.names.modules
    return certain or found.rpartition(".")[2][:1].isupper() or isinstance(value, ast.Lambda)
