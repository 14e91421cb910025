"""Slices and indices: their ends, their steps, first for last."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import ATOM, SUM, TEST
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once, shown


@on(1, ast.Slice)
def ends(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Slice)
    lower, upper, step = (view.part(one, TEST) if one else "" for one in (node.lower, node.upper, node.step))
    tail = f":{step}" if step else ""
    if lower:
        yield _slice(view, place, f":{upper}{tail}", 2.2)
    else:
        yield _slice(view, place, f"1:{upper}{tail}", 2.0)
        yield _slice(view, place, f"-1:{upper}{tail}", 4.4)
    if upper:
        yield _slice(view, place, f"{lower}:{tail}", 2.2)
    else:
        yield _slice(view, place, f"{lower}:-1{tail}", 2.0)
    if lower or upper:
        yield _slice(view, place, f"{upper}:{lower}{tail}", 2.4)
    if upper.startswith("-") and not lower:
        yield _slice(view, place, f"{upper[1:]}:{tail}", 2.4)
    if lower and not upper and not lower.startswith("-") and not isinstance(node.lower, ast.BinOp):
        yield _slice(view, place, f":-{lower}{tail}", 2.8)
    if not step:
        yield _slice(view, place, f"{lower}:{upper}:-1", 2.6)
        yield _slice(view, place, f"{lower}:{upper}:2", 3.6)
    else:
        yield _slice(view, place, f"{lower}:{upper}", 2.6)
    for name in view.names(place):
        agreed = kinds.agree(view.kind_of(name), kinds.NUMBER)
        if name in ("self", "cls") or not agreed:
            continue
        cost = 3.0 if agreed == 2 else 4.0
        if not lower:
            yield _slice(view, place, f"{name}:{upper}{tail}", cost)
            yield _slice(view, place, f"{name} + 1:{upper}{tail}", cost + 0.6)
        if not upper:
            if lower and name != lower:
                yield _slice(view, place, f"{lower}:{lower} + {name}{tail}", cost + 0.4)
            yield _slice(view, place, f"{lower}:{name}{tail}", cost)
            yield _slice(view, place, f"{lower}:{name} + 1{tail}", cost + 1.0)
            yield _slice(view, place, f"{lower}:-{name}{tail}", cost + 1.4)


@on(1, ast.Slice)
def matched(view: View, place: Place) -> Iterator[Edit]:
    """Up to where a match starts, or from where it ends."""
    node = place.node
    assert isinstance(node, ast.Slice)
    lower, upper = (view.part(one, TEST) if one else "" for one in (node.lower, node.upper))
    for name in _matches(view):
        if not upper:
            yield _slice(view, place, f"{lower}:{name}.start()", 2.8)
        if not lower:
            yield _slice(view, place, f"{name}.end():{upper}", 2.8)


@once
def _matches(view: View) -> list[str]:
    """Names of what a pattern found."""
    return list(
        dict.fromkeys(
            view.text(place.node.value)
            for place in view.places.expressions
            if isinstance(place.node, ast.Attribute)
            and place.node.attr in ("start", "end", "group", "groups")
            and isinstance(place.node.value, ast.Name)
            and isinstance(place.parent, ast.Call)
        )
    )


@on(1, ast.Subscript)
def index(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Subscript)
    kind = view.kind(node.value)
    if isinstance(node.slice, ast.Slice | ast.Tuple) or kind in kinds.MAPPINGS:
        return
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return
    start, end = view.span(node.slice)
    own = view.text(node.slice)
    # Who computed a position did not mean a fixed one; more likely it is another variable.
    more = 0.0 if isinstance(node.slice, ast.Constant | ast.UnaryOp) else 1.0
    for text, cost in (("0", 2.2), ("-1", 2.2), ("1", 2.6), ("-2", 3.4)):
        if text != own:
            sentence = f"Take item `{text}` instead of `{shown(own)}`."
            yield view.splice(start, end, text, "slice/index", cost + more, sentence, place.line)
    if place.is_target:
        return
    # Not in parentheses, which can hold no slice.
    if view.part(node.slice, TEST) == own and view.wrapping_of(node.slice) is None:
        for text, cost in ((f"{own}:", 3.2), (f":{own}", 3.2), (f":{view.part(node.slice, SUM)} + 1", 4.0)):
            yield view.splice(start, end, text, "slice/from-index", cost, "Take a slice.", place.line)
    if not isinstance(place.parent, ast.Subscript):
        yield view.replace(
            place, view.text(node.value), view.level(node.value), "slice/dropped", 3.0, risk=0.5
        )


@on(1, ast.Subscript)
def whole(view: View, place: Place) -> Iterator[Edit]:
    """A slice that should not be there."""
    node = place.node
    assert isinstance(node, ast.Subscript)
    if isinstance(node.slice, ast.Slice) and not place.is_target:
        base = node.value
        yield view.replace(place, view.text(base), view.level(base), "slice/dropped", 3.0, risk=0.5)


@on(1, ast.Subscript)
def pairs(view: View, place: Place) -> Iterator[Edit]:
    """`grid[x][y]` for `grid[y][x]`, `point[a, b]` for `point[b, a]`."""
    node = place.node
    assert isinstance(node, ast.Subscript)
    inner = node.value
    if not isinstance(inner, ast.Subscript) or isinstance(node.slice, ast.Slice | ast.Tuple):
        return
    one, other = view.text(inner.slice), view.text(node.slice)
    if not isinstance(inner.slice, ast.Slice | ast.Tuple) and one != other:
        start, end = view.span(inner.slice)[0], view.span(node.slice)[1]
        between = view.source[view.span(inner.slice)[1] : view.span(node.slice)[0]]
        text = f"{other}{between}{one}"
        yield view.splice(start, end, text, "slice/pair", 2.2, "Exchange the two indices.", place.line)


@on(1, ast.Name, ast.Attribute, ast.Call, ast.Subscript)
def added(view: View, place: Place) -> Iterator[Edit]:
    """A slice or index that is missing."""
    node, kind = place.node, view.kind(place.node)
    if place.is_target or place.field in ("func", "test", "decorator_list", "bases", "type", "exc", "ifs"):
        return
    if isinstance(
        place.parent, ast.Expr | ast.Attribute | ast.Subscript | ast.BoolOp | ast.Await | ast.Starred
    ):
        return
    if kind not in (None, *kinds.SEQUENCES) or (isinstance(node, ast.Name) and node.id in ("self", "cls")):
        return
    base = 2.8 if kind else 4.0
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        base += 1.0
    text = view.part(node, ATOM)
    for part, cost in (
        ("[1:]", 0.0),
        ("[:-1]", 0.0),
        ("[::-1]", 0.2),
        ("[0]", 0.2),
        ("[-1]", 0.4),
        ("[1]", 0.8),
    ):
        # What is left out may be just what a test does not look at.
        risk = 0.7 if part in ("[1:]", "[:-1]") else 0.3
        yield view.replace(place, text + part, ATOM, "slice/added", base + cost, risk=risk)
    if isinstance(node, ast.Name | ast.Attribute):
        yield from _cut_at_names(view, place, text, base)


def _cut_at_names(view: View, place: Place, text: str, base: float) -> Iterator[Edit]:
    """`items[n:]` for `items`; likelier where the other part, `items[:n]`, is taken nearby."""
    for name in view.names(place):
        if name in ("self", "cls", text):
            continue
        agreed = kinds.agree(view.kind_of(name), kinds.NUMBER)
        for part, other in ((f"[{name}:]", f"[:{name}]"), (f"[:{name}]", f"[{name}:]")):
            if text + other in view.source:
                yield view.replace(place, text + part, ATOM, "slice/added", base + 0.2, risk=0.3)
            elif agreed == 2 and view.kind(place.node):
                yield view.replace(place, text + part, ATOM, "slice/added", base + 1.4, risk=0.3)


def _slice(view: View, place: Place, text: str, cost: float) -> Edit:
    start, end = view.span(place.node)
    sentence = f"Take `[{shown(text)}]` instead of `[{shown(view.source[start:end])}]`."
    return view.splice(start, end, text, "slice/ends", cost, sentence, place.line)


@on(1, ast.Subscript)
def kept_within(view: View, place: Place) -> Iterator[Edit]:
    """`row[min(n, len(row) - 1)]`, where an index went too far."""
    node = place.node
    assert isinstance(node, ast.Subscript)
    if isinstance(node.slice, ast.Slice | ast.Tuple | ast.Constant) or view.kind(node.value) == "dict":
        return
    if not any(kind == "IndexError" for kind, _ in view.facts.raised):
        return
    index, (start, end) = view.part(node.slice, TEST), view.span(node.slice)
    limits = [(f"len({view.text(node.value)}) - 1", 2.6)]
    for name in view.names(place):
        if name not in ("self", "cls") and name != index and view.kind_of(name) == kinds.NUMBER:
            limits += [(f"{name} - 1", 3.0), (name, 3.4)]
    for text, cost in (
        *((f"min({index}, {limit})", cost) for limit, cost in limits),
        (f"max({index}, 0)", 3.2),
    ):
        sentence = f"Use `{shown(text)}` as the index."
        yield view.splice(start, end, text, "slice/within", cost, sentence, place.line, risk=0.3)


FAMILY = Template(
    "slice",
    2.0,
    "Other ends or another step of a slice, another index, an index or slice added or left out.",
    (ends, matched, index, whole, pairs, added, kept_within),
)
