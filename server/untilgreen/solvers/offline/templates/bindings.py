"""Names of the code around a function: changed there, or taken as they are when the function is made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.blocks import first_statement
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.site import Function
from untilgreen.solvers.offline.templates.template import Template, on, on_site, on_statements
from untilgreen.solvers.offline.view import View, once

_Made = Function | ast.Lambda
_LOOPS = ast.For | ast.AsyncFor | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@on_statements(1, ast.FunctionDef, ast.AsyncFunctionDef)
def shared(view: View, statement: Statement) -> Iterator[Edit]:
    """`nonlocal total` in an inner function that changes it."""
    node = statement.node
    assert isinstance(node, Function)
    around = statement.scope
    for name in _changed(node):
        if around.kind == "function" and name in around.first:
            yield from _declared(view, node, "nonlocal", name, 1.6)


@on_site(1)
def of_the_module(view: View) -> Iterator[Edit]:
    """`global counter` in a function that changes it."""
    node = view.site.node
    if isinstance(node, Function):
        known = view.ingredients.of(view.site).globals
        for name in _changed(node):
            if isinstance(known.get(name), ast.Assign | ast.AnnAssign):
                yield from _declared(view, node, "global", name, 2.0)


@on(1, ast.Lambda)
def at_that_time(view: View, place: Place) -> Iterator[Edit]:
    """`lambda x, n=n: x * n`: the value that the loop has now, and not the last one."""
    node = place.node
    assert isinstance(node, ast.Lambda)
    if names := _of_loops(view, node):
        start, body = view.span(node)[0], view.span(node.body)[0]
        at = start + view.source[start:body].rindex(":")
        yield _taken(view, node, at, "" if view.source[at - 1].isspace() else " ", names, place.line)


@on_statements(1, ast.FunctionDef, ast.AsyncFunctionDef)
def at_the_time_of_its_making(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    assert isinstance(node, Function)
    given: list[ast.arg | ast.expr] = [*node.args.args, *node.args.defaults]
    if given and (names := _of_loops(view, node)):
        at = max(view.site.offsets.span(one)[1] for one in given)
        yield _taken(view, node, at, "", names, node.lineno)


def _taken(view: View, node: _Made, at: int, space: str, names: list[str], line: int) -> Edit:
    text = ", ".join(f"{name}={name}" for name in names)
    text = f", {text}" if node.args.args else f"{space}{text}"
    sentence = f"Take the value that `{names[0]}` has when the function is made."
    return view.splice(at, at, text, "binding/early", 1.4, sentence, line)


def _of_loops(view: View, node: _Made) -> list[str]:
    """Names of loops around a function that it reads when it is called."""
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        return []
    own = {one.arg for one in (*arguments.posonlyargs, *arguments.args)}
    body = node.body if isinstance(node.body, list) else [node.body]
    inside = [one for part in body for one in ast.walk(part) if isinstance(one, ast.Name)]
    own |= {one.id for one in inside if isinstance(one.ctx, ast.Store)}
    read = dict.fromkeys(one.id for one in inside if one.id not in own)
    looped = {name for loop, names in _loops(view) if any(one is node for one in loop) for name in names}
    return [name for name in read if name in looped]


@once
def _loops(view: View) -> list[tuple[list[ast.AST], frozenset[str]]]:
    """The functions that each loop makes, and the names that it gives new values to."""
    found = []
    for loop in ast.walk(view.site.node):
        if isinstance(loop, _LOOPS):
            made: list[ast.AST] = [one for one in ast.walk(loop) if isinstance(one, _Made)]
            targets = [loop.target] if isinstance(loop, ast.For | ast.AsyncFor) else []
            targets += [one.target for one in getattr(loop, "generators", ())]
            names = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
            found += [(made, frozenset(names))] if made else []
    return found


def _changed(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Names that it gives a value to, and that are neither its parameters nor declared."""
    arguments = node.args
    given = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    inside = [one for part in node.body for one in ast.walk(part)]
    given |= {name for one in inside if isinstance(one, ast.Nonlocal | ast.Global) for name in one.names}
    stored = dict.fromkeys(
        one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    )
    return [name for name in stored if name not in given]


def _declared(
    view: View, node: ast.FunctionDef | ast.AsyncFunctionDef, word: str, name: str, cost: float
) -> Iterator[Edit]:
    first = first_statement(node.body)
    lying = view.layout.lines(first) if first is not None else None
    if first is not None and lying is not None:
        start, _, indent = lying
        where = "the function around it" if word == "nonlocal" else "the module"
        text, sentence = f"{indent}{word} {name}{view.layout.newline}", f"Change the `{name}` of {where}."
        yield view.splice(start, start, text, "binding/shared", cost, sentence, first.lineno)


FAMILY = Template(
    "binding",
    1.4,
    "A name of the code around, changed there, or with the value that it has now.",
    (shared, of_the_module, at_that_time, at_the_time_of_its_making),
)
