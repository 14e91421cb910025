"""Guards: a case that is not looked after, before something is done."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.blocks import insert, is_movable, takes_insertion
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.pools import Pools, names_in
from untilgreen.solvers.offline.precedence import BIT_OR
from untilgreen.solvers.offline.templates.returns import holds_yield, kind_returned, returned_texts
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View, once, shown

_EXCEPTIONS = (
    "ValueError", "TypeError", "KeyError", "IndexError", "ZeroDivisionError", "RuntimeError",
    "AttributeError",
    "StopIteration", "NotImplementedError", "OverflowError", "LookupError", "FileNotFoundError",
    "PermissionError",
    "ArithmeticError", "AssertionError", "TimeoutError", "UnicodeError", "OSError",
)  # fmt: skip

REFUSAL_BITS = 1.0
"""In favour of a refusal, when a test waited for one in vain."""
FIRST_BITS = 0.6
"""In favour of what is asked first of all: about an item as a loop takes it up."""
SOMETHING_BITS = 0.6
"""In favour of asking whether there is anything in what a statement is about."""
FAR, ELSEWHERE = 1.6, 0.8
"""Conditions that cost more have to be about what stands there; bits against others that are not."""


@on_statements(2, ast.stmt)
def leaving(view: View, statement: Statement) -> Iterator[Edit]:
    yield from _leaving(view, statement, 2, 0.0, 1.35)


@on_statements(3, ast.stmt)
def leaving_farther(view: View, statement: Statement) -> Iterator[Edit]:
    yield from _leaving(view, statement, 3, 1.35, 2.4)


@on_statements(2, ast.stmt)
def wrapped(view: View, statement: Statement) -> Iterator[Edit]:
    yield from _wrapped(view, statement, 2, 0.0, 0.75)


@on_statements(3, ast.stmt)
def wrapped_farther(view: View, statement: Statement) -> Iterator[Edit]:
    yield from _wrapped(view, statement, 3, 0.75, 2.4)


@on_statements(2, ast.stmt)
def refusing(view: View, statement: Statement) -> Iterator[Edit]:
    """`if bad: raise Wrong(…)`, with exceptions that the tests or the file name."""
    if not takes_insertion(view, statement, False) or statement.function is None:
        return
    names = frozenset(view.names_at(statement))
    raised = raised_elsewhere(view)
    if not raised:
        return
    helps = REFUSAL_BITS if view.facts.misses_refusal else 0.0
    for piece in Pools.of(view).likeliest(len(raised)):
        if piece.cost > 1.2 or not piece.needs <= names or not piece.needs:
            continue
        for text, cost in raised:
            sentence = f"Refuse when `{shown(piece.text)}`."
            made = insert(
                view,
                statement,
                [f"if {piece.text}:", f"\traise {text}"],
                "guard/raise",
                3.0 + piece.cost + cost - helps,
                sentence,
                risk=1.5 - helps,
            )
            if made is not None:
                yield made


@on_statements(2, ast.stmt)
def filling(view: View, statement: Statement) -> Iterator[Edit]:
    """`if x is None: x = …`, as the first thing."""
    if (
        not takes_insertion(view, statement, False)
        or statement.outer is not None
        or statement.function is None
    ):
        return
    if statement.index > 2:
        return
    members = view.ingredients.of(view.site).members(view.site.name.rpartition(".")[0])
    for name in statement.scope.parameters:
        if name in ("self", "cls"):
            continue
        for own in (one for one in (name, f"_{name}", f"default_{name}") if members.get(one) is False):
            code, sentence = (
                [f"if {name} is None:", f"\t{name} = self.{own}"],
                f"Take `self.{own}` for nothing.",
            )
            made = insert(view, statement, code, "guard/default", 2.8, sentence, risk=0.4)
            if made is not None:
                yield made
        # Who gave 0 or nothing at all meant it, most often.
        for condition, risk in ((f"{name} is None", 0.8), (f"not {name}", 1.8)):
            for value, cost in (
                ("[]", 0.2),
                ("{}", 0.4),
                ("0", 0.6),
                ('""', 0.6),
                ("1", 1.2),
                ("set()", 0.8),
            ):
                code = [f"if {condition}:", f"\t{name} = {value}"]
                sentence = f"Start with `{value}` when `{condition}`."
                made = insert(view, statement, code, "guard/default", 3.4 + cost, sentence, risk=risk)
                if made is not None:
                    yield made


@on_statements(1, ast.Assign)
def only_once(view: View, statement: Statement) -> Iterator[Edit]:
    """`if task.begun is None: task.begun = now`, `if key not in seen: seen[key] = n`: the first one stays."""
    node, lying = statement.node, view.layout.lines(statement.node)
    assert isinstance(node, ast.Assign)
    target = node.targets[0]
    if lying is None or len(node.targets) > 1 or getattr(statement.function, "name", "") == "__init__":
        return
    if isinstance(target, ast.Attribute):
        condition = f"{view.text(target)} is None"
    elif isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice | ast.Tuple):
        condition = f"{view.text(target.slice)} not in {view.text(target.value)}"
    else:
        return
    start, end, indent = lying
    inner = view.layout.reindent(start, end, indent, indent + view.layout.unit)
    text = f"{indent}if {condition}:{view.layout.newline}{inner}"
    sentence = "Do this only the first time."
    yield view.splice(start, end, text, "guard/first", 2.8, sentence, node.lineno, risk=0.6)


@on_statements(1, ast.Expr)
def not_twice(view: View, statement: Statement) -> Iterator[Edit]:
    """`if item not in found: found.append(item)`."""
    node, lying = statement.node, view.layout.lines(statement.node)
    assert isinstance(node, ast.Expr)
    call = node.value
    if lying is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    if call.func.attr not in ("append", "appendleft") or len(call.args) != 1:
        return
    start, end, indent = lying
    inner = view.layout.reindent(start, end, indent, indent + view.layout.unit)
    condition = f"{view.part(call.args[0], BIT_OR)} not in {view.text(call.func.value)}"
    text = f"{indent}if {condition}:{view.layout.newline}{inner}"
    sentence = "Do this only if it is not there yet."
    yield view.splice(start, end, text, "guard/once", 3.0, sentence, node.lineno, risk=0.6)


def _leaving(view: View, statement: Statement, tier: int, above: float, upto: float) -> Iterator[Edit]:
    if not takes_insertion(view, statement, False):
        return
    names = frozenset(view.names_at(statement))
    exits = list(_exits(view, statement, names))
    items = _taken_up(statement)
    for piece in Pools.of(view).likeliest(len(exits)):
        if piece.cost >= upto or not piece.needs <= names or not piece.needs:
            continue
        for text, cost in exits:
            first = text == "continue" and piece.needs <= items
            total = piece.cost + cost - (FIRST_BITS if first else 0.0)
            if above <= total < upto:
                sentence = f"When `{shown(piece.text)}`: `{shown(text)}`."
                made = insert(
                    view,
                    statement,
                    [f"if {piece.text}:", f"\t{text}"],
                    "guard/leave",
                    3.2 + total,
                    sentence,
                    tier=tier,
                    risk=2.0 - (FIRST_BITS if first else 0.0),
                )
                if made is not None:
                    yield made


def _taken_up(statement: Statement) -> frozenset[str]:
    """Names that a loop has just given their next value, before anything is done with them."""
    loop = statement.outer.node if statement.outer is not None else None
    if statement.index or statement.field != "body" or not isinstance(loop, ast.For | ast.AsyncFor):
        return frozenset()
    return frozenset(one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name))


def _exits(view: View, statement: Statement, names: frozenset[str]) -> Iterator[tuple[str, float]]:
    if statement.in_loop:
        yield "continue", 0.5
        yield "break", 0.5
    function = statement.function
    if function is None:
        return
    if holds_yield(function):
        yield "return", 0.3
        return
    returned = returned_texts(view)
    if not returned:
        yield "return", 0.3
    kind = kind_returned(view)
    for piece in Pools.of(view).values:
        if piece.needs <= names and piece.cost < 1.4:
            # What the function returns elsewhere is likelier; what is of another kind hardly ever meant.
            if piece.text in returned:
                yield f"return {piece.text}", piece.cost - 0.3
            elif kinds.agree(kind, piece.kind):
                yield f"return {piece.text}", piece.cost


def _wrapped(view: View, statement: Statement, tier: int, above: float, upto: float) -> Iterator[Edit]:
    node = statement.node
    if not is_movable(view, statement) or isinstance(
        node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
    ):
        return
    if not takes_insertion(view, statement, False) or (
        isinstance(node, ast.Return) and statement.outer is None
    ):
        return
    lying = view.layout.lines(node)
    assert lying is not None
    start, end, indent = lying
    inner = view.layout.reindent(start, end, indent, indent + view.layout.unit)
    names = frozenset(view.names_at(statement))
    about = names_in(view, node) | Pools.of(view).unread
    for piece in Pools.of(view).conditions:
        if above <= piece.cost < upto and piece.needs <= names and piece.needs:
            elsewhere = piece.needs.isdisjoint(about)
            if elsewhere and piece.cost >= FAR:
                continue
            text = f"{indent}if {piece.text}:{view.layout.newline}{inner}"
            sentence = f"Do this only if `{shown(piece.text)}`."
            # With nothing nothing is done: `if lines: yield lines`.
            something = piece.text in names and not elsewhere
            yield view.splice(
                start,
                end,
                text,
                "guard/wrapped",
                3.4 + piece.cost + (ELSEWHERE if elsewhere else 0.0) - (SOMETHING_BITS if something else 0.0),
                sentence,
                node.lineno,
                tier=tier,
                risk=0.9 if something else 1.8,
            )


@once
def raised_elsewhere(view: View) -> list[tuple[str, float]]:
    """What could be raised: as the file does it, and what the tests name."""
    found: dict[str, float] = {}
    for fragment in view.ingredients.of(view.site).statements:
        if (
            isinstance(fragment.node, ast.Raise)
            and not fragment.needs & Pools.of(view).locals
            and fragment.size < 12
        ):
            found.setdefault(fragment.text.removeprefix("raise").strip(), 0.8)
    known = view.ingredients.of(view.site).globals
    for name in sorted(view.facts.test_names):
        if name in _EXCEPTIONS or (name in known and name.endswith(("Error", "Exception"))):
            found[name] = 0.0
            for message in sorted(view.facts.test_strings)[:6]:
                if 3 < len(message) < 60 and " " in message:
                    found[f"{name}({message!r})"] = 0.6
    found.pop("", None)
    return sorted(found.items(), key=lambda one: one[1])[:16]


FAMILY = Template(
    "guard",
    3.2,
    "A case looked after before something is done: nothing given, empty, missing, the end of a recursion.",
    (leaving, leaving_farther, wrapped, wrapped_farther, refusing, filling, only_once, not_twice),
)
