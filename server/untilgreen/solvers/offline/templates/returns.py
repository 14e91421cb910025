"""Returns and yields: forgotten, of the wrong thing, of the wrong make."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.blocks import holds, insert, takes_insertion
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.pools import Pools
from untilgreen.solvers.offline.precedence import NOT, TEST, TUPLE
from untilgreen.solvers.offline.site import Function
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View, once, shown

MOST_ANSWERS = 400
PROCEDURE_BITS = 1.5
"""Against a value from the middle of a function that returns none anywhere."""
PASSING_BITS = 1.0
"""Against asking about what a loop has just run over: that was asked in the loop."""


@on_statements(1, ast.Expr)
def forgotten(view: View, statement: Statement) -> Iterator[Edit]:
    """An expression whose value is lost."""
    node = statement.node
    assert isinstance(node, ast.Expr)
    value, line = node.value, node.lineno
    function = statement.function
    if isinstance(value, ast.Constant) or function is None:
        return
    start, end = view.site.offsets.span(node)
    text = view.source[start:end]
    if isinstance(value, ast.Yield):
        if value.value is not None:
            inner = view.part(value.value, TUPLE)
            if not isinstance(function, ast.AsyncFunctionDef):
                whole = view.part(value.value, TEST)
                yield view.splice(
                    start, end, f"yield from {whole}", "return/yield", 2.0, "Yield each of its items.", line
                )
            if not _is_async(function):
                yield view.splice(start, end, f"return {inner}", "return/yield", 3.4, "Return it.", line)
        return
    if isinstance(value, ast.YieldFrom):
        inner = view.part(value.value, TUPLE)
        yield view.splice(start, end, f"yield {inner}", "return/yield", 2.0, "Yield it as one item.", line)
        return
    if not (_is_async(function) and holds_yield(function)):
        cost = 2.0 if not isinstance(value, ast.Call) or statement.index == len(statement.block) - 1 else 3.2
        yield view.splice(start, end, f"return {text}", "return/forgotten", cost, "Return this.", line)
    if holds_yield(function):
        yield view.splice(start, end, f"yield {text}", "return/yield", 2.4, "Yield this.", line)
        if not _is_async(function):
            yield view.splice(
                start, end, f"yield from {text}", "return/yield", 2.2, "Yield all of this.", line
            )
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and isinstance(value.func.value, ast.Name)
    ):
        name = value.func.value.id
        if name in view.names_at(statement) and name not in ("self", "cls"):
            sentence = f"Keep the result in `{name}`."
            yield view.splice(start, end, f"{name} = {text}", "return/kept", 2.4, sentence, line)


@on_statements(1, ast.Return)
def made_otherwise(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    assert isinstance(node, ast.Return)
    function = statement.function
    if node.value is None or function is None:
        return
    start, end = view.site.offsets.span(node)
    text, line = view.part(node.value, TUPLE), node.lineno
    if not _is_async(function):
        cost = 2.6 if holds_yield(function) else 4.0
        yield view.splice(start, end, f"yield {text}", "return/yield", cost, "Yield it.", line)
        if not isinstance(node.value, ast.Tuple):
            yield view.splice(
                start, end, f"yield from {text}", "return/yield", cost + 0.4, "Yield all of it.", line
            )
    if not isinstance(node.value, ast.Name | ast.Constant):
        yield view.splice(start, end, text, "return/dropped", 4.4, "Do not return yet.", line, risk=1.0)


@on_statements(1, ast.Return)
def too_early(view: View, statement: Statement) -> Iterator[Edit]:
    """`for item in items: return good(item)` answers for the first one; the others may say otherwise."""
    node, outer, lying = statement.node, statement.outer, view.layout.lines(statement.node)
    assert isinstance(node, ast.Return)
    if outer is None or lying is None or statement.field != "body" or node.value is None:
        return
    if not isinstance(outer.node, ast.For | ast.AsyncFor | ast.While) or not _is_answer(view, node.value):
        return
    start, end, indent = lying
    turned = isinstance(node.value, ast.UnaryOp) and isinstance(node.value.op, ast.Not)
    asked = node.value.operand if isinstance(node.value, ast.UnaryOp) and turned else node.value
    yes, no = view.part(asked, TEST), f"not {view.part(asked, NOT)}"
    for text, answer in ((yes, not turned), (no, turned)):
        lines = f"{indent}if {text}:{view.layout.newline}{indent}{view.layout.unit}return {answer}"
        lines += view.layout.newline if view.source.endswith(("\n", "\r"), 0, end) else ""
        sentence = f"Only when it is so: `return {answer}`; the others are asked, too."
        yield view.splice(start, end, lines, "return/early", 2.4, sentence, node.lineno)


@on_statements(1, ast.Assign, ast.AugAssign)
def assigned(view: View, statement: Statement) -> Iterator[Edit]:
    """The last assignment of a block, whose value was to be returned."""
    node = statement.node
    assert isinstance(node, ast.Assign | ast.AugAssign)
    function = statement.function
    if function is None or holds_yield(function) or statement.index != len(statement.block) - 1:
        return
    start = view.site.offsets.span(node)[0]
    value_start = view.span(node.value)[0]
    if isinstance(node, ast.Assign) and not view.source[start:value_start].rstrip().endswith("("):
        yield view.splice(start, value_start, "return ", "return/assigned", 3.6, "Return this.", node.lineno)


@on_statements(1, ast.stmt)
def missing(view: View, statement: Statement) -> Iterator[Edit]:
    """At the end of a block, most of all of the function."""
    function = statement.function
    if function is None or not takes_insertion(view, statement, True):
        return
    if holds_yield(function) and _is_async(function):
        return
    is_last = function.body[-1] is statement.node
    pools = Pools.of(view)
    names = frozenset(view.names_at(statement)) | _bound_by(statement.node)
    more = 0.0
    if not is_last and not returned_texts(view):
        more = PROCEDURE_BITS
        sentence = "Leave the function here."
        made = insert(view, statement, ["return"], "return/left", 3.0, sentence, after=True, tier=1, risk=0.5)
        if made is not None:
            yield made
    for piece in pools.values:
        if piece.cost > 1.6 or not piece.needs <= names:
            continue
        cost = (1.8 if is_last else 3.4) + piece.cost * (1.0 if is_last else 1.2) + more
        sentence = f"Return `{shown(piece.text)}`."
        made = insert(
            view,
            statement,
            [f"return {piece.text}"],
            "return/missing",
            cost,
            sentence,
            after=True,
            tier=1,
            risk=0.5,
        )
        if made is not None:
            yield made


@on_statements(1, ast.stmt)
def chained(view: View, statement: Statement) -> Iterator[Edit]:
    """`return self` at the end of a method that returns nothing."""
    function = statement.function
    if not isinstance(function, Function) or function is not view.site.node or view.owner is None:
        return
    if function.body[-1] is not statement.node or not takes_insertion(view, statement, True):
        return
    parameters = [*function.args.posonlyargs, *function.args.args]
    if parameters and parameters[0].arg == "self" and not returned_texts(view) and not holds_yield(function):
        code, sentence = ["return self"], "Return the object itself, for the next call."
        made = insert(view, statement, code, "return/chained", 2.6, sentence, after=True, tier=1, risk=0.3)
        if made is not None:
            yield made


@on_statements(2, ast.stmt)
def answered(view: View, statement: Statement) -> Iterator[Edit]:
    """At the end of a function that says yes or no everywhere else: the question that is left."""
    function = statement.function
    if (
        function is None
        or function.body[-1] is not statement.node
        or not takes_insertion(view, statement, True)
    ):
        return
    if kind_returned(view) != kinds.BOOLEAN:
        return
    passing = _bound_by(statement.node)
    names = frozenset(view.names_at(statement)) | passing
    for piece in Pools.of(view).conditions[:MOST_ANSWERS]:
        if piece.needs <= names and piece.needs:
            code, sentence = [f"return {piece.text}"], f"Return whether `{shown(piece.text)}`."
            cost = 2.2 + piece.cost + (0.0 if passing.isdisjoint(piece.needs) else PASSING_BITS)
            made = insert(view, statement, code, "return/answered", cost, sentence, after=True, risk=0.5)
            if made is not None:
                yield made


@on_statements(2, ast.Return)
def kept(view: View, statement: Statement) -> Iterator[Edit]:
    """`if key not in known: known[key] = …` and then `return known[key]`."""
    node, outer = statement.node, statement.outer
    assert isinstance(node, ast.Return)
    if node.value is None or outer is None or not isinstance(outer.node, ast.If):
        return
    following = outer.block[outer.index + 1 :][:1]
    for last in following:
        if isinstance(last, ast.Return) and isinstance(last.value, ast.Subscript | ast.Attribute):
            start, end = view.site.offsets.span(node)
            text, sentence = view.text(last.value), f"Keep it as `{shown(view.text(last.value))}`."
            code = f"{text} = {view.part(node.value, TUPLE)}"
            yield view.splice(start, end, code, "return/remembered", 3.0, sentence, node.lineno, tier=2)


def holds_yield(function: ast.AST) -> bool:
    """Whether a function is a generator."""
    return any(holds(one, ast.Yield, ast.YieldFrom) for one in getattr(function, "body", ()))


@once
def returned_texts(view: View) -> frozenset[str]:
    """What the function returns in other places."""
    return frozenset(
        view.text(one.node.value)
        for one in view.places.statements
        if isinstance(one.node, ast.Return) and one.node.value is not None
    )


def kind_returned(view: View) -> str | None:
    """Of all that the function returns; None when that is not known, or several things."""
    found = {
        view.kind(one.node.value)
        for one in view.places.statements
        if isinstance(one.node, ast.Return) and one.node.value is not None
    } - {kinds.NONE}
    return next(iter(found)) if len(found) == 1 else None


def _is_answer(view: View, node: ast.expr) -> bool:
    return isinstance(node, ast.Compare | ast.BoolOp) or view.kind(node) == kinds.BOOLEAN


def _bound_by(node: ast.stmt) -> frozenset[str]:
    return frozenset(
        one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    )


def _is_async(function: ast.AST) -> bool:
    return isinstance(function, ast.AsyncFunctionDef)


FAMILY = Template(
    "return",
    1.8,
    "A value that should be returned or yielded, or not.",
    (forgotten, made_otherwise, too_early, assigned, missing, chained, answered, kept),
)
