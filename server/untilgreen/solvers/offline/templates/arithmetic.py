"""Arithmetic: the wrong operator, operands in the wrong order, one too many, a sign."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds, precedence
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.precedence import AWAIT, FACTOR, POWER, SUM, TERM
from untilgreen.solvers.offline.templates.template import Template, on, on_statements
from untilgreen.solvers.offline.view import View, once

SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.MatMult: "@",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
MEANT: dict[str, tuple[tuple[str, float], ...]] = {
    "+": (("-", 1.4), ("*", 2.0), ("|", 3.2), ("//", 3.6), ("%", 3.6)),
    "-": (("+", 1.4), ("//", 2.8), ("*", 2.8), ("/", 3.0), ("%", 3.0)),
    "*": (("/", 1.8), ("+", 1.8), ("**", 2.8), ("//", 2.4), ("-", 2.8), ("%", 3.2)),
    "/": (("//", 1.3), ("*", 1.8), ("%", 2.4), ("-", 3.4)),
    "//": (("/", 1.3), ("%", 1.7), ("*", 2.4), ("-", 3.4)),
    "%": (("//", 1.7), ("/", 2.4), ("*", 2.8), ("-", 3.2)),
    "**": (("*", 1.6), ("^", 3.4)),
    "&": (("|", 1.6), ("^", 2.0), ("-", 3.0), ("and", 3.4)),
    "|": (("&", 1.6), ("^", 2.0), ("+", 2.8), ("or", 3.4)),
    "^": (("&", 1.8), ("|", 1.8), ("**", 2.0)),
    "<<": ((">>", 1.4),),
    ">>": (("<<", 1.4),),
}
_NO_SUM = frozenset(
    {
        "func",
        "test",
        "ifs",
        "guard",
        "iter",
        "exc",
        "cause",
        "type",
        "decorator_list",
        "bases",
        "context_expr",
        "keys",
    }
)
_SETS = frozenset({"set", "frozenset", "dict_keys"})


@on(1, ast.BinOp)
def operators(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.BinOp)
    start, end = view.operator(node.left, node.right)
    sign = SIGNS[type(node.op)]
    for meant, cost in MEANT.get(sign, ()):
        if can_be(view, node.left, meant, node.right) and not does_nothing(meant, node.right):
            text = meant if not meant.isalpha() else f" {meant} "
            yield view.splice(
                start,
                end,
                text,
                "arithmetic/operator",
                cost,
                f"Use `{meant}` instead of `{sign}`.",
                place.line,
            )


@on_statements(1, ast.AugAssign)
def updates(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    assert isinstance(node, ast.AugAssign)
    start, end = view.operator(node.target, node.value)
    sign = SIGNS[type(node.op)]
    for meant, cost in MEANT.get(sign, ()):
        if not meant.isalpha() and can_be(view, node.target, meant, node.value):
            yield view.splice(
                start,
                end,
                f"{meant}=",
                "arithmetic/update",
                cost,
                f"Update with `{meant}=` instead of `{sign}=`.",
                node.lineno,
            )


@on(1, ast.BinOp)
def cleared(view: View, place: Place) -> Iterator[Edit]:
    """`bits & ~mask`: they are taken away, whatever was there."""
    node = place.node
    assert isinstance(node, ast.BinOp)
    if isinstance(node.op, ast.BitXor | ast.BitOr | ast.BitAnd):
        left, right = view.part(node.left, precedence.asked(node, "left")), view.part(node.right, FACTOR)
        text, sentence = f"{left} & ~{right}", "Take these bits away."
        yield view.replace(place, text, precedence.binary(ast.BitAnd()), "arithmetic/bits", 2.2, sentence)


@on_statements(1, ast.AugAssign)
def cleared_in_place(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    assert isinstance(node, ast.AugAssign)
    if isinstance(node.op, ast.BitXor | ast.BitOr | ast.BitAnd):
        start, end = view.operator(node.target, node.value)[0], view.site.offsets.span(node)[1]
        text, sentence = f"&= ~{view.part(node.value, FACTOR)}", "Take these bits away."
        yield view.splice(start, end, text, "arithmetic/bits", 2.2, sentence, node.lineno)


@on(1, ast.BinOp)
def operands(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.BinOp)
    level = precedence.binary(node.op)
    sign = SIGNS[type(node.op)]
    left_kind = view.kind(node.left)
    commutes = (sign in "+*&|^" and left_kind in (kinds.NUMBER, *_SETS)) or sign in "*&|^"
    if not commutes and not (sign == "%" and left_kind == kinds.TEXT):
        left, right = precedence.asked(node, "left"), precedence.asked(node, "right")
        start, end = view.operator(node.left, node.right)
        between = view.source[start:end]
        space = " " if view.source[start - 1].isspace() else ""
        text = f"{view.part(node.right, left)}{space}{between}{space}{view.part(node.left, right)}"
        yield view.replace(place, text, level, "arithmetic/order", 2.4, "Exchange the two sides.")
    for kept, other, base in ((node.left, node.right, 3.0), (node.right, node.left, 3.2)):
        # `1 + x` is a step as well, but nobody writes `1 - x` for one.
        steps = other is node.right or isinstance(node.op, ast.Add)
        is_step = steps and isinstance(other, ast.Constant) and other.value == 1
        cost = base - 1.4 if is_step else base
        yield view.replace(
            place,
            view.text(kept),
            view.level(kept),
            "arithmetic/operand",
            cost,
            f"Leave `{view.text(other)}` out." if len(view.text(other)) < 40 else "Leave one side out.",
            risk=0.5 if not is_step else 0.0,
        )


@on(2, ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp, ast.Constant, ast.List, ast.ListComp)
def extended(view: View, place: Place) -> Iterator[Edit]:
    """A summand or factor that is missing."""
    node = place.node
    if (
        place.is_target
        or place.field in _NO_SUM
        or isinstance(place.parent, ast.Attribute | ast.Expr | ast.UnaryOp)
    ):
        return
    kind = view.kind(node)
    if kind in (kinds.NONE, kinds.BOOLEAN, "dict", "set", "generator") or (
        isinstance(node, ast.Constant) and kind != kinds.NUMBER
    ):
        return
    own = view.text(node)
    names = view.names(place)
    fields = [name for name in view.facts.types if name.partition(".")[0] in names and "." in name]
    for name in (*names, *fields):
        agreed = kinds.agree(kind, view.kind_of(name))
        vague = "." in name or isinstance(node, ast.List | ast.ListComp)
        if not agreed or name in ("self", "cls") or (vague and agreed != 2):
            continue
        cost = 3.4 if agreed == 2 else 4.4
        forms = [
            (f"{view.part(node, SUM)} + {name}", SUM, 0.0),
            (f"{name} + {view.part(node, SUM + 1)}", SUM, 0.0),
        ]
        if kind in (kinds.NUMBER, None) and name != own:
            forms.append((f"{view.part(node, SUM)} - {name}", SUM, 0.0))
            forms.append((f"{name} - {view.part(node, SUM + 1)}", SUM, 0.6))
            forms += [(f"{view.part(node, TERM)} {sign} {name}", TERM, 1.0) for sign in ("*", "//", "/", "%")]
        for text, level, more in forms:
            yield view.replace(place, text, level, "arithmetic/extended", cost + more, tier=2, risk=0.5)
    if kind == kinds.NUMBER and not isinstance(node, ast.Constant):
        for tail, level, cost in (
            (" * 2", TERM, 3.4),
            (" // 2", TERM, 3.4),
            (" / 2", TERM, 3.8),
            (" % 2", TERM, 4.0),
        ):
            text = f"{view.part(node, TERM)}{tail}"
            yield view.replace(place, text, level, "arithmetic/extended", cost, tier=2, risk=0.5)
        yield view.replace(
            place, f"{view.part(node, AWAIT)} ** 2", POWER, "arithmetic/extended", 3.6, tier=2, risk=0.5
        )


@on(1, ast.UnaryOp)
def sign_dropped(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.UnaryOp)
    if isinstance(node.op, ast.USub | ast.Invert):
        operand = node.operand
        yield view.replace(
            place, view.text(operand), view.level(operand), "arithmetic/sign", 1.8, "Leave the sign out."
        )


@on(2, ast.BinOp)
def around(view: View, place: Place) -> Iterator[Edit]:
    """`(position + 1) % len(items)`: behind the last comes the first."""
    node = place.node
    assert isinstance(node, ast.BinOp)
    if not isinstance(node.op, ast.Add | ast.Sub) or view.kind(node) not in (kinds.NUMBER, None):
        return
    if isinstance(place.parent, ast.Assign | ast.Return | ast.Subscript):
        helps = 1.0 if view.facts.has_raised("IndexError") else 0.0
        for text in _subscripted(view):
            new = f"({view.text(node)}) % len({text})"
            yield view.replace(place, new, TERM, "arithmetic/around", 3.6 - helps, tier=2, risk=0.3)


@once
def _subscripted(view: View) -> list[str]:
    """What the function takes items out of by their position."""
    found = [
        view.text(place.node.value)
        for place in view.places.expressions
        if isinstance(place.node, ast.Subscript)
        and not isinstance(place.node.slice, ast.Slice)
        and isinstance(place.node.value, ast.Name | ast.Attribute)
        and view.kind(place.node.value) in (*kinds.SEQUENCES, None)
    ]
    return list(dict.fromkeys(found))[:4]


_NO_NUMBERS = ("func", "test", "ifs", "type", "exc")


@on(1, ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp)
def sign_added(view: View, place: Place) -> Iterator[Edit]:
    node, kind = place.node, view.kind(place.node)
    if place.is_target or kind not in (kinds.NUMBER, None) or place.field in _NO_NUMBERS:
        return
    if isinstance(place.parent, ast.Attribute | ast.UnaryOp | ast.BoolOp):
        return
    if isinstance(place.parent, ast.stmt):
        # A value that is handed on whole; of an unknown one only what was just made is worth a try.
        made = kind == kinds.NUMBER or isinstance(node, ast.Call | ast.BinOp)
        if not isinstance(place.parent, ast.Return | ast.Assign) or not made:
            return
    elif kind is None and not isinstance(
        place.parent, ast.BinOp | ast.Compare | ast.Slice | ast.keyword | ast.Lambda | ast.Tuple
    ):
        return
    text = f"-{view.part(node, POWER)}"
    yield view.replace(place, text, FACTOR, "arithmetic/sign", 2.8 if kind else 4.0, "Turn the sign around.")


def does_nothing(sign: str, right: ast.expr) -> bool:
    """`x - 0`, `x * 1`: whoever means that writes `x`."""
    value = right.value if isinstance(right, ast.Constant) else None
    return (sign in ("+", "-") and value == 0) or (sign in ("*", "//", "**") and value == 1)


def can_be(view: View, left: ast.expr, sign: str, right: ast.expr) -> bool:
    """With what was observed; without, everything can be."""
    one, other = view.kind(left), view.kind(right)
    if one is None and other is None:
        return True
    known = {one, other}
    if known & _SETS:
        return sign in ("-", "|", "&", "^", "and", "or")
    if sign in ("|", "&", "^", "<<", ">>", "and", "or"):
        return not known & {kinds.TEXT, "list", "tuple"}
    if sign == "+":
        return kinds.agree(one, other) > 0 and not known & {"dict", kinds.NONE}
    if sign == "*":
        return not (one in kinds.SEQUENCES and other in kinds.SEQUENCES)
    if sign == "%" and one == kinds.TEXT:
        return True
    return not known & (kinds.COLLECTIONS | {kinds.NONE})


FAMILY = Template(
    "arithmetic",
    1.3,
    "Another operator, the two sides exchanged, one side left out, the other sign.",
    (operators, updates, cleared, cleared_in_place, operands, extended, sign_dropped, sign_added, around),
)
