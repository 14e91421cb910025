"""Boolean logic: `and` for `or`, a `not` too many or too few, a part that should not be there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import AND, ATOM, COMPARE, NOT, OR, TEST
from untilgreen.solvers.offline.scope import with_defaults
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, shown

MIXED_BITS = 2.0
"""Of `a and b or c`, which few people write without brackets."""
CONDITION_FIELDS = frozenset({"test", "ifs", "guard"})


def is_condition(place: Place) -> bool:
    """Only whether it is true matters here."""
    return place.field in CONDITION_FIELDS or (
        place.field == "values" and isinstance(place.parent, ast.BoolOp)
    )


def guards(first: ast.expr, second: ast.expr) -> Literal["and", "or", ""]:
    """What has to stand between them when the second makes sense only after the first has said of something
    that it is there, or of its type; empty when it makes sense anyway."""
    turned = isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.Not)
    inner = first.operand if isinstance(first, ast.UnaryOp) and turned else first
    asked: ast.expr | None = None
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.args:
        asked = inner.args[0] if inner.func.id in ("isinstance", "hasattr", "callable", "len") else None
    elif isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.Is | ast.IsNot):
        asked = inner.left
        turned ^= isinstance(inner.ops[0], ast.Is)
    elif isinstance(inner, ast.Name | ast.Attribute):
        asked = inner
    if asked is None:
        return ""
    about = ast.dump(asked)
    needs = any(
        isinstance(one, ast.Attribute | ast.Subscript) and ast.dump(one.value) == about
        for one in ast.walk(second)
    )
    return "" if not needs else "or" if turned else "and"


@on(1, ast.BoolOp)
def operators(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.BoolOp)
    sign, meant = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    inner = NOT if meant == "and" else AND
    sentence = f"Join with `{meant}` instead of `{sign}`."
    for number in range(len(node.values) - 1):
        start, end = view.operator(node.values[number], node.values[number + 1])
        wanted = guards(node.values[number], node.values[number + 1])
        cost = 1.3 if len(node.values) == 2 or wanted else MIXED_BITS
        yield view.splice(
            start,
            end,
            meant,
            "boolean/operator",
            2.6 if wanted == sign else cost,
            sentence,
            place.line,
            risk=2.0 if wanted == sign else 0.0,
        )
    if len(node.values) > 2:
        text = f" {meant} ".join(view.part(one, inner) for one in node.values)
        yield view.replace(place, text, AND if meant == "and" else OR, "boolean/operator", 1.4, sentence)
        first = f" {sign} ".join(view.part(one, NOT if sign == "and" else AND) for one in node.values[:-1])
        first = f"({first})" if sign == "or" else first
        text = f"{first} {meant} {view.part(node.values[-1], inner)}"
        yield view.replace(place, text, AND if meant == "and" else OR, "boolean/operator", 2.8, sentence)
        yield from _grouped(view, place, node, sign, meant, sentence)


def _grouped(
    view: View, place: Place, node: ast.BoolOp, sign: str, meant: str, sentence: str
) -> Iterator[Edit]:
    """`a and (b or c)`, `(a or b) and c`: two neighbours that belong together."""
    own, inner = (AND, AND) if sign == "and" else (OR, NOT)
    for number in range(len(node.values) - 1):
        pair = f" {meant} ".join(view.part(one, inner) for one in node.values[number : number + 2])
        texts = [view.part(one, own + 1) for one in node.values]
        texts[number : number + 2] = [f"({pair})" if sign == "and" else pair]
        yield view.replace(place, f" {sign} ".join(texts), own, "boolean/grouped", 2.4, sentence)


@on(1, ast.BoolOp)
def parts(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.BoolOp)
    for number, value in enumerate(node.values):
        rest = [one for at, one in enumerate(node.values) if at != number]
        sentence = f"Leave `{shown(view.text(value))}` out."
        if len(rest) == 1:
            yield view.replace(
                place, view.text(rest[0]), view.level(rest[0]), "boolean/part", 2.4, sentence, risk=1.0
            )
        else:
            level = AND if isinstance(node.op, ast.And) else OR
            sign = " and " if level == AND else " or "
            text = sign.join(view.part(one, level + 1) for one in rest)
            yield view.replace(place, text, level, "boolean/part", 2.4, sentence, risk=1.0)
    if len(node.values) == 2:
        level = AND if isinstance(node.op, ast.And) else OR
        sign = " and " if level == AND else " or "
        text = sign.join(view.part(one, level + 1) for one in reversed(node.values))
        yield view.replace(place, text, level, "boolean/order", 3.4, "Ask in the other order.")


@on(1, ast.expr)
def negated(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    if not is_condition(place):
        is_answer = isinstance(place.parent, ast.Return | ast.Assign) and isinstance(
            node, ast.Compare | ast.BoolOp
        )
        if not is_answer and not (
            isinstance(place.parent, ast.Return | ast.Lambda) and _says_yes_or_no(node)
        ):
            return
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return
    cost = 1.8 if not isinstance(node, ast.Compare) else 2.6
    text = f"not {view.part(node, NOT)}"
    yield view.replace(place, text, NOT, "boolean/not", cost, "Ask for the opposite.", risk=0.7)


@on(1, ast.Name, ast.Attribute, ast.Call)
def negated_part(view: View, place: Place) -> Iterator[Edit]:
    """`(release, not pre, parts)`: what something is sorted by, or one of several answers."""
    node, kind = place.node, view.kind(place.node)
    if isinstance(place.parent, ast.Tuple) and not place.is_target and kind != kinds.NUMBER:
        text = f"not {view.part(node, NOT)}"
        yield view.replace(place, text, NOT, "boolean/not", 3.4, "Say the opposite.", risk=0.5)


@on(1, ast.UnaryOp)
def affirmed(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.UnaryOp)
    if not isinstance(node.op, ast.Not):
        return
    operand = node.operand
    yield view.replace(
        place, view.text(operand), view.level(operand), "boolean/not", 1.5, "Leave `not` out.", risk=0.5
    )
    if isinstance(operand, ast.BoolOp):
        level = AND if isinstance(operand.op, ast.And) else OR
        sign = " and " if level == AND else " or "
        first, *rest = operand.values
        text = sign.join([f"not {view.part(first, NOT)}", *(view.part(one, level + 1) for one in rest)])
        yield view.replace(place, text, level, "boolean/not", 2.8, "Negate the first part only.")


@on(1, ast.Name, ast.Attribute, ast.Call, ast.UnaryOp)
def there_or_not(view: View, place: Place) -> Iterator[Edit]:
    """`x is not None` for `x`: what is 0 or empty is there, too."""
    node = place.node
    if not is_condition(place):
        return
    turned = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    asked = node.operand if isinstance(node, ast.UnaryOp) and turned else node
    if not isinstance(asked, ast.Name | ast.Attribute | ast.Call) or _says_yes_or_no(asked):
        return
    own, sign = view.part(asked, COMPARE + 1), "is" if turned else "is not"
    for other, cost in (("None", 2.4), *((name, 2.2) for name in _left_out(view, asked))):
        text = f"{own} {sign} {other}"
        yield view.replace(place, text, COMPARE, "boolean/there", cost, f"Ask whether `{text}`.", risk=0.3)


def _left_out(view: View, asked: ast.expr) -> Iterator[str]:
    """The name that stands for a parameter that was not given: `def get(key, default=MISSING)`."""
    function = view.site.node
    if not isinstance(asked, ast.Name) or isinstance(function, ast.Module):
        return
    for one, default in with_defaults(function.args):
        if one.arg == asked.id and isinstance(default, ast.Name | ast.Attribute):
            yield view.text(default)


@on(1, ast.BoolOp)
def negated_together(view: View, place: Place) -> Iterator[Edit]:
    """`not a and b` that should have been `not (a and b)`."""
    node = place.node
    assert isinstance(node, ast.BoolOp)
    first = node.values[0]
    if isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.Not):
        level = AND if isinstance(node.op, ast.And) else OR
        sign = " and " if level == AND else " or "
        inner = sign.join(view.part(one, level + 1) for one in (first.operand, *node.values[1:]))
        yield view.replace(place, f"not ({inner})", NOT, "boolean/not", 2.8, "Negate all of it.")


@on(1, ast.expr)
def constant(view: View, place: Place) -> Iterator[Edit]:
    if place.field in CONDITION_FIELDS and not isinstance(place.node, ast.Constant):
        for text in ("True", "False"):
            yield view.replace(place, text, ATOM, "boolean/constant", 4.6, risk=4.0)


@on(1, ast.IfExp)
def alternatives(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.IfExp)
    text = f"{view.part(node.orelse, OR)} if {view.part(node.test, OR)} else {view.part(node.body, TEST)}"
    yield view.replace(place, text, TEST, "boolean/alternatives", 2.0, "Exchange the two alternatives.")
    for kept in (node.body, node.orelse):
        yield view.replace(place, view.text(kept), view.level(kept), "boolean/alternatives", 3.2, risk=1.0)


def _says_yes_or_no(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in ("any", "all", "isinstance", "bool") or name.startswith(
        ("is", "has", "can", "startswith", "endswith")
    )


FAMILY = Template(
    "boolean",
    1.3,
    "`and` for `or`, a `not` more or less, a part of a condition left out, alternatives exchanged.",
    (
        operators,
        parts,
        negated,
        negated_part,
        affirmed,
        there_or_not,
        negated_together,
        constant,
        alternatives,
    ),
)
