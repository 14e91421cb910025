"""Classes whose objects are equal more often than before: what tests compare is compared less."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from untilgreen.solve.scan.sign import Sign

_MAKERS = frozenset({"dataclass", "define", "frozen", "mutable", "attrs", "s"})
_LEAVING_OUT = frozenset({"compare", "eq"})


def weaker_equality(tree: ast.Module, old: Sequence[ast.Module], said: str) -> Iterator[Sign]:
    """Of classes that were there before; `said` is the text of the tests.

    Tests that hold two new objects of a class against each other ask for equality itself.
    """
    before = {node.name: node for one in old for node in ast.walk(one) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or node.name not in before:
            continue
        name = re.escape(node.name)
        if re.search(rf"(assert|Equal\()\W*(not )?{name}\([^()]*\)\s*(==|!=|,)\s*{name}\(", said):
            continue
        gone = _compared(before[node.name]) - _compared(node)
        # What is no part of the class any more cannot be compared.
        left_out = sorted(gone & _parts(node))
        if left_out:
            line = _line(node, left_out[0])
            what = f"{node.name}.{left_out[0]} is not compared any more"
            yield Sign("constant-comparison", what, line, line, node.name)


def _compared(node: ast.ClassDef) -> frozenset[str]:
    """Parts that decide whether two objects are equal; none when that cannot be told."""
    own = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__eq__"]
    if own:
        me = own[0].args.args[0].arg if own[0].args.args else "self"
        whole = any(isinstance(one, ast.Name) and one.id in ("super", "vars") for one in ast.walk(own[0]))
        read = {
            one.attr
            for one in ast.walk(own[0])
            if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == me
        }
        # A method may compare anything.
        methods = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
        return _parts(node) if whole or "__dict__" in read or read & methods else frozenset(read)
    made = [one for one in node.decorator_list if _name(one) in _MAKERS]
    if not made or any(isinstance(one, ast.Call) and _leaves_out(one) for one in made):
        return frozenset()
    return frozenset(_fields(node))


def _fields(node: ast.ClassDef) -> Iterator[str]:
    for one in node.body:
        match one:
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                if not (isinstance(value, ast.Call) and _leaves_out(value)):
                    yield name


def _parts(node: ast.ClassDef) -> frozenset[str]:
    declared = {getattr(one.target, "id", "") for one in node.body if isinstance(one, ast.AnnAssign)}
    stored = {
        one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute)
        and isinstance(one.ctx, ast.Store)
        and isinstance(one.value, ast.Name)
        and one.value.id == "self"
    }
    return frozenset(declared | stored)


def _leaves_out(call: ast.Call) -> bool:
    said = {keyword.arg: keyword.value for keyword in call.keywords}
    given = [said[name] for name in _LEAVING_OUT if name in said]
    return any(isinstance(value, ast.Constant) and value.value is False for value in given)


def _name(decorator: ast.expr) -> str:
    inner = decorator.func if isinstance(decorator, ast.Call) else decorator
    return inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")


def _line(node: ast.ClassDef, part: str) -> int:
    """Where equality is said: the method, or the part that is left out."""
    for one in node.body:
        match one:
            case ast.FunctionDef(name="__eq__"):
                return one.lineno
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call()) if name == part:
                return one.lineno
    return node.lineno
