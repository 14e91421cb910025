"""Conditions: a part that is missing, another condition that is at hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.pools import Piece, Pools, in_scope, names_in
from untilgreen.solvers.offline.precedence import AND, BIT_OR, COMPARE, NOT, OR
from untilgreen.solvers.offline.questions import flags
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, shown

_CHEAP, _FAR = 1.1, 1.65
_ELSEWHERE = 0.8
"""Bits against what asks about nothing that the condition or its block is about."""
_NO_QUESTION = 3.0
"""Bits of risk for what makes a condition always true, or never."""
MIRRORED_BITS = 0.8
"""In favour of what asks of something else just what the condition asks already."""
_KEEPING = ("append", "add", "appendleft", "put")


@on(2, ast.expr)
def extended(view: View, place: Place) -> Iterator[Edit]:
    if _is_question(place):
        yield from _extended(view, place, 2, 0.0, _CHEAP)


@on(3, ast.expr)
def extended_farther(view: View, place: Place) -> Iterator[Edit]:
    if _is_question(place):
        yield from _extended(view, place, 3, _CHEAP, 9.0)


@on(2, ast.expr)
def not_yet(view: View, place: Place) -> Iterator[Edit]:
    """`if … and x not in found: found.append(x)`: what is kept only once."""
    if place.field == "test" and isinstance(place.parent, ast.If):
        for text in dict.fromkeys(_kept(view, place.parent.body)):
            if text not in view.text(place.node):
                yield from _with(view, place, Piece(text, COMPARE, -0.4, frozenset()), 2, less=0.8)


@on(2, ast.expr)
def switched(view: View, place: Place) -> Iterator[Edit]:
    """`if not self.directed and …`: what the object was told to do or not to do."""
    if _is_question(place):
        for text, level, cost, _ in flags(view):
            if text not in view.text(place.node):
                yield from _with(view, place, Piece(text, level, cost - 0.6, frozenset()), 2, less=0.8)


@on(2, ast.expr)
def better(view: View, place: Place) -> Iterator[Edit]:
    """`if key not in best or new < best[key]: best[key] = new`: what is kept if it is better."""
    if place.field == "test" and isinstance(place.parent, ast.If):
        for node in place.parent.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name | ast.Attribute):
                kept, new = node.targets[0], view.text(node.value)
                if isinstance(kept, ast.Name | ast.Attribute | ast.Subscript) and view.text(kept) != new:
                    for sign in ("<", ">"):
                        text = f"{new} {sign} {view.text(kept)}"
                        if text not in view.text(place.node):
                            yield from _with(view, place, Piece(text, COMPARE, 0.2, frozenset()), 2, less=0.6)


def _kept(view: View, body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Attribute) and call.func.attr in _KEEPING and len(call.args) == 1:
                yield f"{view.part(call.args[0], BIT_OR)} not in {view.text(call.func.value)}"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            kept = node.targets[0]
            if not isinstance(kept.slice, ast.Slice):
                yield f"{view.part(kept.slice, BIT_OR)} not in {view.text(kept.value)}"


@on(2, ast.Compare)
def mirrored(view: View, place: Place) -> Iterator[Edit]:
    """`0 <= row < size and 0 <= column < size`: the same of another name that is like it."""
    node = place.node
    own, about = view.text(node), names_in(view, node)
    if "\n" in own or not about:
        return
    for old in sorted(about):
        kind = Pools.of(view).kind_of(old)
        for new in view.names(place):
            if new in about or new in ("self", "cls") or kind is None or Pools.of(view).kind_of(new) != kind:
                continue
            other = re.sub(rf"(?<![\w.]){re.escape(old)}\b", new, own)
            sentence = f"Ask also whether `{shown(other)}`."
            for word, level in (("and", AND), ("or", OR)):
                text = f"{own} {word} {other}"
                yield view.replace(place, text, level, "condition/mirrored", 2.8, sentence, tier=2, risk=0.7)


@on(2, ast.expr)
def replaced(view: View, place: Place) -> Iterator[Edit]:
    if not _is_question(place):
        return
    names = frozenset(view.names(place))
    for piece in Pools.of(view).conditions:
        if piece.cost < _FAR and piece.needs <= names and piece.text != view.text(place.node):
            cost = 4.0 + piece.cost
            yield view.replace(place, piece.text, piece.level, "condition/replaced", cost, tier=2, risk=1.0)


@on(3, ast.expr)
def from_the_file(view: View, place: Place) -> Iterator[Edit]:
    """Conditions of other functions whose names mean something here."""
    if not _is_question(place):
        return
    names = view.names(place)
    pools, stock = Pools.of(view), view.ingredients.of(view.site)
    for fragment in stock.expressions:
        if isinstance(fragment.node, ast.Compare | ast.BoolOp | ast.Call | ast.UnaryOp) and in_scope(
            fragment.needs, names, stock, pools.locals
        ):
            piece = Piece(fragment.text, fragment.level, 1.4 + 0.05 * fragment.size, frozenset())
            yield from _with(view, place, piece, 3)
            if place.field == "test":
                yield view.replace(
                    place, piece.text, piece.level, "condition/replaced", 5.4, tier=3, risk=1.0
                )


@on(2, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
def filtered(view: View, place: Place) -> Iterator[Edit]:
    """A comprehension that takes too much."""
    yield from _filtered(view, place, Pools.of(view).conditions, 2)


@on(3, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
def filtered_as_elsewhere(view: View, place: Place) -> Iterator[Edit]:
    stock, pools = view.ingredients.of(view.site), Pools.of(view)
    found = [
        Piece(one.text, one.level, 1.4 + 0.05 * one.size, frozenset(one.needs & pools.locals))
        for one in stock.expressions
        if isinstance(one.node, ast.Compare | ast.BoolOp | ast.Call | ast.UnaryOp | ast.Attribute)
        and in_scope(one.needs, pools.locals, stock, pools.locals)
    ]
    yield from _filtered(view, place, found, 3)


def _filtered(view: View, place: Place, pieces: list[Piece], tier: int) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
    clause = node.generators[-1]
    if clause.ifs:
        return
    bound = [one.id for part in node.generators for one in ast.walk(part.target) if isinstance(one, ast.Name)]
    names = frozenset((*view.names(place), *bound))
    last = clause.iter
    end = view.span(last)[1]
    around = view.around(*view.span(last))
    if around is not None and around[1] < view.span(node)[1]:
        end = around[1]
    for piece in pieces:
        if piece.needs <= names:
            # What does not ask about an item filters all or nothing.
            more = 0.0 if piece.needs & frozenset(bound) else 1.5
            text = f" if {piece.text}" if piece.level >= OR else f" if ({piece.text})"
            sentence = f"Take only what `{shown(piece.text)}` holds for."
            yield view.splice(
                end,
                end,
                text,
                "condition/filter",
                3.2 + piece.cost + more,
                sentence,
                place.line,
                tier=tier,
                risk=0.7,
            )


def _extended(view: View, place: Place, tier: int, above: float, upto: float) -> Iterator[Edit]:
    names = frozenset(view.names(place))
    own = view.text(place.node)
    about = names_in(view, place.node) | Pools.of(view).unread
    if isinstance(place.parent, ast.If | ast.While):
        about = about.union(*(names_in(view, one) for one in place.parent.body))
    for piece in Pools.of(view).conditions:
        if above <= piece.cost < upto and piece.needs <= names and piece.text not in own:
            if not piece.needs.isdisjoint(about):
                yield from _with(view, place, piece, tier)
            elif piece.cost < _FAR:
                yield from _with(view, place, replace(piece, cost=piece.cost + _ELSEWHERE), tier)


def _with(view: View, place: Place, piece: Piece, tier: int, less: float = 0.0) -> Iterator[Edit]:
    node = place.node
    if isinstance(node, ast.Constant):
        return  # What asks nothing cannot ask something else, too.
    asked = f"({piece.text})" if piece.level < NOT else piece.text
    always = _always(view, piece.text)
    mirrored = _mirrors(view, node, piece.text)
    less += MIRRORED_BITS if mirrored else 0.0
    cost = piece.cost - (MIRRORED_BITS if mirrored else 0.0)
    for word, level in (("and", AND), ("or", OR)):
        if always is not None and always == (word == "and"):
            continue  # It asks nothing.
        own = view.part(node, level)
        more = f"({piece.text})" if piece.level < level else asked if level == AND else piece.text
        risk = (1.2 if word == "and" else 1.4) + (_NO_QUESTION if always is not None else 0.0) - less
        late = f"Ask also whether `{shown(piece.text)}`."
        yield view.replace(
            place,
            f"{own} {word} {more}",
            level,
            "condition/extended",
            3.0 + cost,
            late,
            tier=tier,
            risk=risk,
        )
        yield view.replace(
            place,
            f"{more} {word} {own}",
            level,
            "condition/extended",
            3.3 + cost,
            late,
            tier=tier,
            risk=risk,
        )


def _mirrors(view: View, node: ast.expr, text: str) -> bool:
    """`price < 0 or count < 0`: the same is asked of something else."""
    asked = text.partition(" ")[2]
    parts = node.values if isinstance(node, ast.BoolOp) else [node]
    return bool(asked) and any(
        isinstance(part, ast.Compare) and view.text(part).partition(" ")[2] == asked for part in parts
    )


def _always(view: View, text: str) -> bool | None:
    """What it was whenever tests came by, if it was always the same: a name that was never None."""
    found = re.fullmatch(r"(\w+) is (not )?None", text)
    types = view.facts.types.get(found[1]) if found is not None else None
    if found is None or not types or "NoneType" in types:
        return None
    return found[2] is not None


def _is_question(place: Place) -> bool:
    if place.field in ("test", "ifs", "guard"):
        return True
    node = place.node
    if isinstance(place.parent, ast.Return | ast.Lambda | ast.Assign | ast.keyword):
        return isinstance(node, ast.Compare | ast.BoolOp) or kinds.of_node(node, {}) == kinds.BOOLEAN
    return False


FAMILY = Template(
    "condition",
    3.0,
    "A condition that also asks something else, or something else instead.",
    (
        extended,
        extended_farther,
        not_yet,
        switched,
        better,
        mirrored,
        replaced,
        from_the_file,
        filtered,
        filtered_as_elsewhere,
    ),
)
