"""Arguments of calls: exchanged, missing, too many."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import last_name
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.pools import Pools
from untilgreen.solvers.offline.precedence import TEST
from untilgreen.solvers.offline.templates.strings import quoted
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, shown

_MOST = 5


@on(1, ast.Call)
def exchanged(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Call)
    args = node.args
    pairs = [(at, at + 1, 1.7) for at in range(len(args) - 1)]
    if len(args) > 2:
        pairs.append((0, len(args) - 1, 2.4))
    for one, other, cost in pairs:
        if isinstance(args[one], ast.Starred) or isinstance(args[other], ast.Starred):
            continue
        if view.text(args[one]) == view.text(args[other]):
            continue
        yield _exchange(view, place, args[one], args[other], cost)
    for former, latter in zip(node.keywords, node.keywords[1:], strict=False):
        if former.arg and latter.arg and view.text(former.value) != view.text(latter.value):
            yield _exchange(view, place, former.value, latter.value, 2.6)


@on(1, ast.Call)
def dropped(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Call)
    items = items_of(view, node)
    for number, (start, end) in enumerate(items):
        text = view.source[start:end]
        is_named = number >= len(node.args)
        if len(items) == 1 and not is_named:
            continue
        before, after = (
            (items[number - 1][1], end) if number else (start, items[1][0] if len(items) > 1 else end)
        )
        if "#" in view.source[before:start] + view.source[end:after]:
            continue
        sentence = f"Leave the argument `{shown(text)}` out."
        cost = 2.8 if not is_named else 3.0
        yield view.splice(before, after, "", "argument/dropped", cost, sentence, place.line, risk=0.7)


@on(1, ast.Call)
def added(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Call)
    if len(node.args) >= _MOST or any(isinstance(one, ast.GeneratorExp | ast.Starred) for one in node.args):
        return
    used = {view.text(one) for one in node.args}
    wanted = _parameters(view, node)
    room = wanted is None or len(node.args) < len(wanted)
    if not room:
        return
    expected = 2.6 if wanted is not None else 3.6
    if view.facts.has_raised("TypeError"):
        expected -= 0.8
    for name in view.names(place):
        if name in ("cls",) or name in used or (name == "self" and len(node.args) > 0):
            continue
        bonus = 0.6 if wanted and len(node.args) < len(wanted) and wanted[len(node.args)] == name else 0.0
        yield from _add(view, place, name, expected - bonus, 1)
        if bonus and view.kind_of(name) in (kinds.NUMBER, None):
            # What a function calls itself with is one step nearer to the end.
            for step in ("- 1", "+ 1"):
                yield from _add(view, place, f"{name} {step}", expected, 1)
    for text, cost in (
        ("1", 0.6),
        ("0", 0.6),
        ("None", 0.8),
        ("True", 0.8),
        ("-1", 1.0),
        ("False", 1.0),
        ("2", 1.2),
    ):
        yield from _add(view, place, text, expected + cost, 1)


@on(2, ast.Call)
def added_from_elsewhere(view: View, place: Place) -> Iterator[Edit]:
    """Attributes and small expressions of the function, constants of the file."""
    node = place.node
    assert isinstance(node, ast.Call)
    if len(node.args) >= _MOST or any(isinstance(one, ast.GeneratorExp | ast.Starred) for one in node.args):
        return
    wanted = _parameters(view, node)
    if wanted is not None and len(node.args) >= len(wanted):
        return
    names = frozenset(view.names(place))
    used = {view.text(one) for one in node.args}
    own = view.text(node)
    base = 3.4 if wanted is not None else 4.2
    for piece in Pools.of(view).values:
        if piece.needs <= names and piece.text not in used and piece.text != own and piece.level >= TEST:
            yield from _add(view, place, piece.text, base + piece.cost, 2)
    stock = view.ingredients.of(view.site)
    for number, _ in stock.numbers.most_common(8):
        yield from _add(view, place, repr(number), base + 1.0, 2)
    for text, _ in stock.strings.most_common(12):
        if len(text) <= 16:
            yield from _add(view, place, quoted(text, '"'), base + 1.2, 2)


@on(2, ast.Call)
def named(view: View, place: Place) -> Iterator[Edit]:
    """A keyword argument as other calls have it, or as the function's parameters suggest."""
    node = place.node
    assert isinstance(node, ast.Call)
    have = {keyword.arg for keyword in node.keywords}
    if (
        any(isinstance(one, ast.GeneratorExp) for one in node.args)
        and len(node.args) == 1
        and not node.keywords
    ):
        return
    names = frozenset(view.names(place))
    function = last_name(node.func)
    stock = view.ingredients.of(view.site)
    seen: set[str] = set()
    for keyword, values in stock.keywords.get(function, {}).items():
        if keyword in have:
            continue
        for text, value in list(values.items())[:4]:
            needs = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
            if "\n" not in text and all(one in names or one in stock.globals for one in needs):
                seen.add(f"{keyword}={text}")
                yield from _add(view, place, f"{keyword}={text}", 3.2, 2, named=True)
    for parameter in (_parameters(view, node) or ())[len(node.args) :]:
        if parameter in have:
            continue
        texts = [parameter] if parameter in names else []
        for text in (*texts, "True", "False", "None", "0", "1"):
            if f"{parameter}={text}" not in seen:
                cost = 2.8 if text == parameter else 4.4
                yield from _add(view, place, f"{parameter}={text}", cost, 2, named=True)


@on(1, ast.Call)
def usual(view: View, place: Place) -> Iterator[Edit]:
    """Keyword arguments of the standard library that are easily forgotten."""
    node = place.node
    assert isinstance(node, ast.Call)
    have = {keyword.arg for keyword in node.keywords}
    if any(isinstance(one, ast.GeneratorExp) for one in node.args) and not node.keywords:
        return
    if last_name(node.func) in ("max", "min", "sorted") and len(node.args) == 1 and "key" not in have:
        given = node.args[0]
        if isinstance(given, ast.Name | ast.Attribute) and view.kind(given) in (*kinds.MAPPINGS, None):
            cost = 2.6 if view.kind(given) is not None else 3.6
            yield from _add(view, place, f"key={view.text(given)}.get", cost, 1, named=True)
    for keyword, values in _USUAL.get(last_name(node.func), {}).items():
        if keyword not in have:
            for text, cost in values:
                yield from _add(view, place, f"{keyword}={text}", cost, 1, named=True)


@on(1, ast.Call)
def starred(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Call)
    for one in node.args:
        start, end = view.span(one)
        if isinstance(one, ast.Starred):
            text = view.part(one.value, TEST)
            yield view.splice(start, end, text, "argument/star", 3.0, "Pass it as one argument.", place.line)
        elif isinstance(one, ast.Name | ast.Attribute) and len(node.args) == 1 and _has_parts(view, one):
            sentence = f"Pass the parts of `{shown(view.text(one))}`."
            yield view.splice(start, end, f"*{view.text(one)}", "argument/star", 4.4, sentence, place.line)


_ORDERS = (("lambda x: x[0]", 3.4), ("lambda x: x[1]", 3.2), ("len", 3.4), ("str.lower", 4.0), ("str", 4.2))
_USUAL: dict[str, dict[str, tuple[tuple[str, float], ...]]] = {
    "sorted": {"reverse": (("True", 2.2),), "key": _ORDERS},
    "sort": {"reverse": (("True", 2.2),), "key": _ORDERS},
    "max": {"key": (("len", 3.2), *_ORDERS), "default": (("None", 3.0), ("0", 2.8), ('""', 3.6))},
    "min": {"key": (("len", 3.2), *_ORDERS), "default": (("None", 3.0), ("0", 2.8), ('""', 3.6))},
    "enumerate": {"start": (("1", 2.2),)},
    "sum": {"start": (("[]", 3.6), ("1", 4.0))},
    "zip": {"strict": (("True", 3.4),)},
    "dumps": {
        "sort_keys": (("True", 3.0),),
        "ensure_ascii": (("False", 3.2),),
        "indent": (("2", 3.4), ("4", 3.4)),
    },
    "loads": {},
    "open": {"encoding": (('"utf-8"', 3.6),), "newline": (('""', 3.8),)},
    "split": {"maxsplit": (("1", 2.8),)},
    "rsplit": {"maxsplit": (("1", 2.8),)},
    "get": {},
    "makedirs": {"exist_ok": (("True", 2.4),)},
    "mkdir": {"exist_ok": (("True", 2.4),), "parents": (("True", 2.6),)},
    "product": {"repeat": (("2", 3.4),)},
    "print": {"end": (('""', 3.4),), "sep": (('""', 3.4),)},
    "dataclass": {"frozen": (("True", 3.4),), "order": (("True", 3.2),)},
    "splitlines": {"keepends": (("True", 3.0),)},
}


def _has_parts(view: View, node: ast.expr) -> bool:
    return view.kind(node) in (None, "list", "tuple")


def items_of(view: View, node: ast.Call) -> list[tuple[int, int]]:
    """Where each argument stands, parentheses around it included."""
    items = []
    for one in (*node.args, *(keyword.value for keyword in node.keywords)):
        start, end = view.span(one)
        items.append((start, end))
    for number, keyword in enumerate(node.keywords, len(node.args)):
        start, _ = view.site.offsets.span(keyword)
        items[number] = (start, items[number][1])
    widened = []
    for start, end in items:
        around = view.around(start, end)
        # The call's own parentheses are around the only argument.
        while around is not None and (len(items) > 1 or view.around(*around) is not None):
            if around[1] >= view.span(node)[1]:
                break
            start, end = around
            around = view.around(start, end)
        widened.append((start, end))
    return sorted(widened)


def _exchange(view: View, place: Place, one: ast.expr, other: ast.expr, cost: float) -> Edit:
    (start, first_end), (second_start, end) = view.span(one), view.span(other)
    between = view.source[first_end:second_start]
    text = f"{view.part(other, TEST)}{between}{view.part(one, TEST)}"
    sentence = f"Exchange the arguments `{shown(view.text(one))}` and `{shown(view.text(other))}`."
    return view.splice(start, end, text, "argument/exchanged", cost, sentence, place.line)


def _add(view: View, place: Place, text: str, cost: float, tier: int, named: bool = False) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Call)
    sentence = f"Pass `{shown(text)}`, too."
    items = items_of(view, node)
    if not items:
        end = view.span(node)[1] - 1
        yield view.splice(end, end, text, "argument/added", cost, sentence, place.line, tier=tier, risk=0.3)
        return
    if named or not node.keywords:
        last = items[-1][1]
        yield view.splice(
            last, last, f", {text}", "argument/added", cost, sentence, place.line, tier=tier, risk=0.3
        )
    if not named and node.args:
        for number, (start, _) in enumerate(items[: len(node.args)]):
            new, more = f"{text}, ", 0.4 if number else 0.6
            yield view.splice(
                start, start, new, "argument/added", cost + more, sentence, place.line, tier=tier, risk=0.3
            )


def _parameters(view: View, node: ast.Call) -> tuple[str, ...] | None:
    """What a function of the project takes; None when it is not known or takes anything."""
    name = last_name(node.func)
    for function in view.ingredients.of(view.site).functions.get(name, ()):
        arguments = function.args
        if arguments.vararg is not None:
            return None
        found = tuple(one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
        return found[1:] if found[:1] in (("self",), ("cls",)) else found
    return view.facts.signatures.get(name)


FAMILY = Template(
    "argument",
    1.7,
    "Arguments of a call exchanged, added or left out.",
    (exchanged, dropped, added, added_from_elsewhere, named, usual, starred),
)
