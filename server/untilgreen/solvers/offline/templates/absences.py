"""Absences: what is not there was asked for, and an exception said so; ask first whether it is there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from untilgreen.solvers.offline.blocks import insert, is_movable, takes_insertion
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.precedence import AND, BIT_OR, OR
from untilgreen.solvers.offline.templates.guards import raised_elsewhere
from untilgreen.solvers.offline.templates.template import Template, on, on_statements
from untilgreen.solvers.offline.view import View, shown

_HELD = ast.Name | ast.Attribute
_CONDITION = ("test", "ifs")
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete)


@dataclass(frozen=True, slots=True)
class Question:
    """Whether something is there, and the contrary."""

    there: str
    absent: str


@on(1, ast.expr)
def asked_first(view: View, place: Place) -> Iterator[Edit]:
    """`while stack and stack[-1] != mark`: in a condition, before the part that raised."""
    if place.field not in _CONDITION and not isinstance(place.parent, ast.BoolOp):
        return
    own = place.node
    asked = _before(view, place) | {view.text(own)}
    for question in _questions(view, own):
        if asked & {question.there, question.absent}:
            continue
        sentence = f"Ask first whether `{shown(question.there)}`."
        for word, level, words, cost in (
            ("and", AND, question.there, 1.8),
            ("or", OR, question.absent, 2.6),
        ):
            text = f"{words} {word} {view.part(own, level)}"
            yield view.replace(place, text, level, "absence/asked", cost, sentence, risk=0.2)


@on(1, ast.expr)
def asked_too(view: View, place: Place) -> Iterator[Edit]:
    """`if isinstance(x, dict) and key in x: return x[key]`: before the branch that raised."""
    if place.field != "test" or not isinstance(place.parent, ast.If):
        return
    own = view.part(place.node, AND)
    for question in _questions(view, place.parent.body[0]):
        if question.there not in own:
            sentence = f"Ask also whether `{shown(question.there)}`."
            text = f"{own} and {question.there}"
            yield view.replace(place, text, AND, "absence/asked", 2.2, sentence, risk=0.3)


@on_statements(2, *_SIMPLE, ast.Return)
def refused(view: View, statement: Statement) -> Iterator[Edit]:
    """`if not self.history: raise Wrong("nothing left")`, where another exception is expected."""
    if statement.function is None or not takes_insertion(view, statement, False):
        return
    for question in _questions(view, statement.node):
        for text, more in raised_elsewhere(view):
            code = [f"if {question.absent}:", f"\traise {text}"]
            sentence = f"Refuse when `{shown(question.absent)}`."
            made = insert(view, statement, code, "absence/refused", 2.6 + more, sentence, tier=2, risk=0.5)
            if made is not None:
                yield made


@on(2, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
def left_out(view: View, place: Place) -> Iterator[Edit]:
    """`[d[k] for k in keys if k in d]`: of what is not there nothing is taken."""
    node = place.node
    assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
    clause = node.generators[-1]
    end = view.span(clause.ifs[-1] if clause.ifs else clause.iter)[1]
    around = view.around(*view.span(clause.ifs[-1] if clause.ifs else clause.iter))
    if around is not None and around[1] < view.span(node)[1]:
        end = around[1]
    made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for question in {one: None for part in made for one in _questions(view, part)}:
        word = " and " if clause.ifs else " if "
        sentence = f"Take only what `{shown(question.there)}` holds for."
        text = f"{word}{question.there}"
        yield view.splice(end, end, text, "absence/filter", 2.6, sentence, place.line, tier=2, risk=0.4)


@on_statements(2, *_SIMPLE)
def only_if(view: View, statement: Statement) -> Iterator[Edit]:
    """`if key in counts: counts[key] += 1`: what cannot be done is not done."""
    node = statement.node
    if not is_movable(view, statement) or not takes_insertion(view, statement, False):
        return
    lying = view.layout.lines(node)
    assert lying is not None
    start, end, indent = lying
    inner = view.layout.reindent(start, end, indent, indent + view.layout.unit)
    binds = isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) for one in node.targets)
    for question in _questions(view, node):
        if not binds:
            text = f"{indent}if {question.there}:{view.layout.newline}{inner}"
            sentence = f"Do this only if `{shown(question.there)}`."
            yield view.splice(start, end, text, "absence/only", 2.4, sentence, node.lineno, tier=2, risk=0.6)
        if statement.in_loop:
            code = [f"if {question.absent}:", "\tcontinue"]
            sentence = f"Go on with the next one when `{shown(question.absent)}`."
            made = insert(view, statement, code, "absence/next", 2.8, sentence, tier=2, risk=0.8)
            if made is not None:
                yield made


def _before(view: View, place: Place) -> set[str]:
    """What the same condition has asked when it comes here."""
    values = place.parent.values if isinstance(place.parent, ast.BoolOp) else []
    return {view.text(one) for one in values[: place.index or 0]}


def _questions(view: View, node: ast.AST) -> Iterator[Question]:
    """About all that a piece of code takes for granted, when its absence has the name that was raised."""
    raised = view.facts.has_raised
    keys, positions = raised("KeyError"), raised("IndexError")
    nothing = any("NoneType" in message for _, message in view.facts.raised)
    zero = raised("ZeroDivisionError")
    if not (keys or positions or nothing or zero):
        return
    seen: set[Question] = set()
    for part in ast.walk(node):
        for question in _about(view, part, keys, positions, nothing, zero):
            if question not in seen:
                seen.add(question)
                yield question


def _about(
    view: View, part: ast.AST, keys: bool, positions: bool, nothing: bool, zero: bool
) -> Iterator[Question]:
    if isinstance(part, ast.Subscript) and isinstance(part.value, _HELD):
        held = view.text(part.value)
        at = part.slice
        if isinstance(at, ast.Slice):
            return
        if keys and not isinstance(at, ast.UnaryOp):
            key = view.part(at, BIT_OR)
            yield Question(f"{key} in {held}", f"{key} not in {held}")
        if positions:
            yield from _within(view, held, at)
        if nothing:
            yield _is_something(held)
    elif isinstance(part, ast.Attribute) and isinstance(part.value, _HELD) and nothing:
        held = view.text(part.value)
        if held not in ("self", "cls"):
            yield _is_something(held)
    elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        held = view.text(part.func.value)
        if part.func.attr in ("pop", "popleft", "popitem") and not part.args and (positions or keys):
            yield Question(held, f"not {held}")
        elif part.func.attr in ("pop", "remove") and len(part.args) == 1 and keys:
            key = view.part(part.args[0], BIT_OR)
            yield Question(f"{key} in {held}", f"{key} not in {held}")
    elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div | ast.FloorDiv | ast.Mod) and zero:
        by = view.part(part.right, BIT_OR)
        if not isinstance(part.right, ast.Constant):
            yield Question(f"{by} != 0", f"{by} == 0")


def _within(view: View, held: str, at: ast.expr) -> Iterator[Question]:
    number = at.value if isinstance(at, ast.Constant) else None
    if isinstance(at, ast.UnaryOp) and isinstance(at.operand, ast.Constant):
        number = at.operand.value if at.operand.value == 1 else None
        if number is not None:
            yield Question(held, f"not {held}")
        return
    if number == 0:
        yield Question(held, f"not {held}")
    elif isinstance(number, int):
        yield Question(f"len({held}) > {number}", f"len({held}) <= {number}")
    elif number is None:
        index = view.part(at, BIT_OR)
        yield Question(f"{index} < len({held})", f"{index} >= len({held})")


def _is_something(held: str) -> Question:
    return Question(f"{held} is not None", f"{held} is None")


FAMILY = Template(
    "absence",
    1.8,
    "Ask first whether something is there, when an exception said that it is not.",
    (asked_first, asked_too, left_out, only_if, refused),
)
