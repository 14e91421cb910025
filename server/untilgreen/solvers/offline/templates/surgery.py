"""Plastic surgery: expressions and statements that stand elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.blocks import holds, insert, takes_insertion
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import Fragment
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.pools import Pools, in_scope
from untilgreen.solvers.offline.precedence import ATOM
from untilgreen.solvers.offline.templates.returns import holds_yield
from untilgreen.solvers.offline.templates.template import Template, on, on_statements
from untilgreen.solvers.offline.view import View, once, shown

_REFUSAL_BITS = 3.0
"""In favour of a refusal that stands elsewhere, when a test waited for one in vain."""
_NOT_HERE = frozenset({"func", "decorator_list", "bases", "optional_vars"})


@on(2, ast.expr)
def of_the_function(view: View, place: Place) -> Iterator[Edit]:
    """Another expression of the same function."""
    if not _is_open(place):
        return
    kind, names = view.kind(place.node), frozenset(view.names(place))
    pools = Pools.of(view)
    own = view.text(place.node)
    is_constant = isinstance(place.node, ast.Constant)
    for fragment in pools.expressions:
        if fragment.text == own or not (fragment.needs & pools.locals) <= names:
            continue
        assert isinstance(fragment.node, ast.expr)
        if "\n" in own and ast.dump(fragment.node) == ast.dump(place.node):
            continue
        agreed = kinds.agree(kind, view.kind(fragment.node))
        if agreed and not (is_constant and agreed < 2 and kind is not kinds.NONE):
            cost = (3.6 if agreed == 2 else 4.2) + 0.08 * fragment.size
            yield view.replace(
                place, fragment.text, fragment.level, "surgery/function", cost, tier=2, risk=0.5
            )
    if not isinstance(place.node, ast.Name):
        for name in names:
            agreed = kinds.agree(kind, view.kind_of(name))
            if agreed and name not in ("self", "cls"):
                cost = 3.2 if agreed == 2 else 4.0
                yield view.replace(place, name, ATOM, "surgery/name", cost, tier=2, risk=0.5)


@on(3, ast.expr)
def of_the_file(view: View, place: Place) -> Iterator[Edit]:
    """An expression of another function of the file."""
    if not _is_open(place) or isinstance(place.node, ast.Constant):
        return
    kind, names, own = view.kind(place.node), view.names(place), view.text(place.node)
    pools, stock = Pools.of(view), view.ingredients.of(view.site)
    for fragment in stock.expressions:
        assert isinstance(fragment.node, ast.expr)
        if fragment.text == own:
            continue
        if kinds.agree(kind, view.kind(fragment.node)) and in_scope(
            fragment.needs, names, stock, pools.locals
        ):
            cost = 5.0 + 0.1 * fragment.size
            yield view.replace(place, fragment.text, fragment.level, "surgery/file", cost, tier=3, risk=0.7)


@on_statements(2, ast.stmt)
def statements_of_the_function(view: View, statement: Statement) -> Iterator[Edit]:
    """A statement of the function once more, elsewhere."""
    yield from inserted(view, statement, _own_statements(view), 2, 2.8, 1.0)


@on_statements(2, ast.stmt)
def refusals_of_the_file(view: View, statement: Statement) -> Iterator[Edit]:
    """As another function refuses what this one was expected to."""
    if view.facts.misses_refusal:
        found = [one for one in view.ingredients.of(view.site).statements if _refuses(one.node)]
        yield from inserted(view, statement, found, 2, 4.6)


@on_statements(3, ast.stmt)
def statements_of_the_file(view: View, statement: Statement) -> Iterator[Edit]:
    yield from inserted(view, statement, view.ingredients.of(view.site).statements, 3, 4.6)


@on_statements(3, ast.stmt)
def statements_of_the_project(view: View, statement: Statement) -> Iterator[Edit]:
    """From other files, most of all from functions of the same name."""
    last = view.site.name.rpartition(".")[2]
    for stock in view.ingredients.elsewhere(view.site.path):
        if last and last in stock.functions:
            found = [
                stock.statement(one)
                for function in stock.functions[last]
                for one in ast.walk(function)
                if isinstance(one, ast.stmt)
            ]
            yield from inserted(view, statement, [one for one in found if one is not None], 3, 5.0)


@on(3, ast.expr)
def expressions_of_the_project(view: View, place: Place) -> Iterator[Edit]:
    """From functions of the same name in other files."""
    last = view.site.name.rpartition(".")[2]
    if not last or not _is_open(place) or isinstance(place.node, ast.Constant):
        return
    names, stock, own = view.names(place), view.ingredients.of(view.site), view.text(place.node)
    pools = Pools.of(view)
    for fragment in _elsewhere(view, last):
        if fragment.text != own and in_scope(fragment.needs, names, stock, pools.locals):
            cost = 5.6 + 0.1 * fragment.size
            yield view.replace(
                place, fragment.text, fragment.level, "surgery/project", cost, tier=3, risk=0.7
            )


@once
def _own_statements(view: View) -> list[Fragment]:
    stock = view.ingredients.of(view.site)
    found = [stock.statement(one.node) for one in view.places.statements]
    return list({one.text: one for one in found if one is not None}.values())


@once
def _elsewhere(view: View, name: str) -> list[Fragment]:
    found: dict[str, Fragment] = {}
    for stock in view.ingredients.elsewhere(view.site.path):
        if name in stock.functions:
            lines = [range(one.lineno, (one.end_lineno or one.lineno) + 1) for one in stock.functions[name]]
            for fragment in stock.expressions:
                if any(fragment.node.lineno in one for one in lines):
                    found.setdefault(fragment.text, fragment)
    return list(found.values())


def inserted(
    view: View, statement: Statement, found: list[Fragment], tier: int, base: float, risk: float = 1.5
) -> Iterator[Edit]:
    names = view.names_at(statement)
    pools, stock = Pools.of(view), view.ingredients.of(view.site)
    function = statement.function
    for after in (False, True):
        if not takes_insertion(view, statement, after):
            continue
        visible = frozenset(names) | (bound_by(statement.node) if after else frozenset())
        for fragment in found:
            if not in_scope(fragment.needs, visible, stock, pools.locals) or not may_stand(
                fragment.node, statement
            ):
                continue
            if fragment.node is statement.node or _stands_there(view, statement, fragment, after):
                continue
            if function is None and isinstance(fragment.node, ast.Return):
                continue
            text = fragment.text.split("\n")
            code = [text[0], *(f"\t{line}" for line in text[1:])]
            sentence = f"Add `{shown(fragment.text)}`."
            less = _REFUSAL_BITS if _refuses(fragment.node) and view.facts.misses_refusal else 0.0
            cost = base + 0.04 * fragment.size - less
            made = insert(
                view,
                statement,
                code,
                "surgery/statement",
                cost,
                sentence,
                after=after,
                tier=tier,
                risk=max(0.0, risk - less / 2),
            )
            if made is not None:
                yield made


def _refuses(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and any(isinstance(one, ast.Raise) for one in node.body)


def may_stand(node: ast.AST, statement: Statement) -> bool:
    """What belongs to loops, generators and coroutines only stands in them."""
    if holds(node, ast.Break, ast.Continue) and not statement.in_loop:
        return False
    function = statement.function
    if holds(node, ast.Return) and (function is None or (holds_yield(function) and _returns_value(node))):
        return False
    if holds(node, ast.Yield, ast.YieldFrom) and (
        function is None or not holds_yield(function) or isinstance(function, ast.AsyncFunctionDef)
    ):
        return False
    if holds(node, ast.Await, ast.AsyncFor, ast.AsyncWith) or any(
        isinstance(one, ast.comprehension) and one.is_async for one in ast.walk(node)
    ):
        return isinstance(function, ast.AsyncFunctionDef)
    return not any(isinstance(one, ast.NamedExpr) for one in ast.walk(node)) and not _binds_declared(
        node, statement
    )


def _returns_value(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Return) and one.value is not None for one in ast.walk(node))


def _binds_declared(node: ast.AST, statement: Statement) -> bool:
    """A name that is declared global or nonlocal later must not be used before."""
    later = [one for one in statement.block[statement.index :] if isinstance(one, ast.Global | ast.Nonlocal)]
    if not later:
        return False
    declared = {name for one in later for name in one.names}
    return any(isinstance(one, ast.Name) and one.id in declared for one in ast.walk(node))


def _stands_there(view: View, statement: Statement, fragment: Fragment, after: bool) -> bool:
    """Twice the same in a row changes nothing worth trying."""
    neighbours = (
        [statement.node]
        if after
        else [statement.node, *statement.block[max(0, statement.index - 1) : statement.index]]
    )
    for node in neighbours:
        start, end = view.site.offsets.span(node)
        if view.source[start:end] == fragment.text and not isinstance(node, ast.AugAssign | ast.Expr):
            return True
    return False


def bound_by(node: ast.AST) -> frozenset[str]:
    return frozenset(
        one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    )


def _is_open(place: Place) -> bool:
    node, parent = place.node, place.parent
    if place.is_target or place.field in _NOT_HERE or isinstance(parent, ast.Expr | ast.Await | ast.withitem):
        return False
    return not isinstance(
        node,
        ast.Starred
        | ast.Slice
        | ast.Yield
        | ast.YieldFrom
        | ast.Await
        | ast.NamedExpr
        | ast.JoinedStr
        | ast.Lambda,
    ) and not (isinstance(node, ast.Name) and node.id in ("self", "cls"))


FAMILY = Template(
    "surgery",
    3.2,
    "Code that stands elsewhere: in the function, the file, the project.",
    (
        of_the_function,
        of_the_file,
        statements_of_the_function,
        refusals_of_the_file,
        statements_of_the_file,
        statements_of_the_project,
        expressions_of_the_project,
    ),
)
