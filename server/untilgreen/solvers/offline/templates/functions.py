"""Functions and methods that are taken for each other: `min` for `max`, `lstrip` for `strip`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import BUILTINS
from untilgreen.solvers.offline.likeness import nearest
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import ATOM, BIT_OR, COMPARE, SUM
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once

# Groups whose members are mistaken for each other.
_FUNCTIONS = (
    "min max", "any all", "sum len max min", "sorted reversed list set", "list tuple set sorted dict",
    "set frozenset",
    "int float round str bool", "str repr ascii", "floor ceil trunc round int", "isinstance issubclass",
    "zip zip_longest", "filter filterfalse", "takewhile dropwhile", "chr ord", "range enumerate len",
    "abs int",
    "heappush heappop", "heappushpop heapreplace", "nlargest nsmallest", "bisect_left bisect_right bisect",
    "combinations permutations product combinations_with_replacement", "print repr", "sqrt pow isqrt",
    "getattr hasattr",
    "sin cos tan", "log log2 log10", "prod sum", "mean median mode", "next iter", "defaultdict dict Counter",
    "map filter", "copy deepcopy", "loads dumps load dump", "timedelta datetime date",
    "insort_left insort_right",
)  # fmt: skip
_METHODS = (
    "append extend insert appendleft add", "add update discard remove append",
    "pop popleft get remove popitem",
    "startswith endswith", "strip lstrip rstrip", "lower upper casefold title capitalize swapcase",
    "find rfind index rindex count", "split rsplit splitlines partition", "partition rpartition split",
    "keys values items", "get pop setdefault", "union intersection difference symmetric_difference",
    "issubset issuperset isdisjoint", "ljust rjust center zfill",
    "isdigit isalpha isalnum isnumeric isdecimal isspace",
    "isupper islower istitle", "match search fullmatch findall finditer", "group groups groupdict",
    "start end span",
    "sort reverse", "update setdefault", "intersection_update difference_update update",
    "most_common items elements",
    "read readline readlines", "write writelines", "exists is_file is_dir", "parent parents",
    "name stem suffix",
    "removeprefix removesuffix strip", "encode decode", "clear pop", "appendleft append extendleft",
    "join split",
    "year month day", "hour minute second", "days seconds total_seconds", "acquire release", "put get",
    "rotate reverse",
    "bisect_left bisect_right", "sub subn", "floor ceil trunc", "fetchone fetchall",
    "isoformat strftime strptime",
    "weekday isoweekday", "real imag", "numerator denominator", "left right", "prev next", "first last",
    "head tail",
    "heappush heappop", "nlargest nsmallest", "sin cos tan", "log log2 log10",
    "combinations permutations product",
    "min max", "width height", "x y z", "row col", "key value", "start stop step", "copy deepcopy",
    "loads dumps", "truediv floordiv mod", "add sub mul", "and_ or_ xor",
    "lt le", "gt ge", "lt gt", "le ge", "lt ge", "gt le", "eq ne",
    "lshift rshift", "itemgetter attrgetter", "shuffle sample choice",
)  # fmt: skip

TAKING_APART = ("extend", "extendleft", "update")
APART_BITS = 2.5


def _table(groups: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in groups:
        members = group.split()
        for at, member in enumerate(members):
            # Neighbours in a group are the likeliest.
            others = sorted(
                (one for one in members if one != member), key=lambda one: abs(members.index(one) - at)
            )
            found.setdefault(member, {}).update(dict.fromkeys(others))
    return {member: tuple(others) for member, others in found.items()}


FUNCTIONS = _table(_FUNCTIONS)
METHODS = _table(_METHODS)


@on(1, ast.Name)
def function(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Name)
    known = view.ingredients.of(view.site).globals
    is_called = place.field == "func"
    if place.is_target or (not is_called and node.id not in FUNCTIONS):
        return
    local = view.names(place)
    if node.id in local:
        return
    base = 1.6 if is_called else 3.4
    for rank, other in enumerate(FUNCTIONS.get(node.id, ())):
        if other in BUILTINS or other in known or other in local:
            yield view.replace(place, other, ATOM, "function/builtin", base + 0.35 * rank)
    if is_called and node.id in known:
        statement = known[node.id]
        for other, likeness in _near(view, node.id):
            if type(known[other]) is type(statement):
                yield view.replace(place, other, ATOM, "function/near", 3.4 - 1.4 * likeness)
        for other, own in known.items():
            if (
                type(own) is type(statement)
                and isinstance(own, ast.FunctionDef | ast.ClassDef)
                and other != node.id
            ):
                yield view.replace(place, other, ATOM, "function/other", 3.6)


@on(1, ast.Attribute)
def method(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Attribute)
    if place.is_target:
        return
    kind = view.kind(node.value)
    given = place.parent.args if isinstance(place.parent, ast.Call) and place.field == "func" else []
    # A text that is taken apart into its characters is hardly ever meant.
    takes_text = len(given) == 1 and view.kind(given[0]) == kinds.TEXT
    for rank, other in enumerate(METHODS.get(node.attr, ())):
        if kinds.can_have(kind, other):
            more = APART_BITS if takes_text and other in TAKING_APART else 0.0
            yield attribute(view, place, other, "function/method", 1.7 + 0.35 * rank + more)


@on(1, ast.Call)
def get_or_item(view: View, place: Place) -> Iterator[Edit]:
    """`d.get(k)` for `d[k]`."""
    node = place.node
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Attribute) and node.args and not isinstance(node.args[0], ast.Starred):
        base, key = view.part(node.func.value, ATOM), view.text(node.args[0])
        if node.func.attr == "get":
            yield view.replace(place, f"{base}[{key}]", ATOM, "function/item", 3.0)
            if len(node.args) == 1 and not node.keywords:
                end = view.span(node)[1] - 1
                for text, cost in (
                    ("0", 2.2),
                    ("[]", 2.4),
                    ('""', 2.6),
                    ("False", 2.8),
                    ("{}", 2.8),
                    ("1", 3.2),
                ):
                    yield view.splice(
                        end,
                        end,
                        f", {text}",
                        "function/default",
                        cost,
                        f"Say `{text}` when it is missing.",
                        place.line,
                    )


@on(1, ast.Subscript)
def item_or_get(view: View, place: Place) -> Iterator[Edit]:
    """`d[k]` for `d.get(k)`."""
    node = place.node
    assert isinstance(node, ast.Subscript)
    if place.is_target or isinstance(node.slice, ast.Slice | ast.Tuple):
        return
    kind = view.kind(node.value)
    if kind is not None and kind not in kinds.MAPPINGS:
        return
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int) and kind is None:
        return
    base, key = view.part(node.value, ATOM), view.text(node.slice)
    cost = 1.6 if view.facts.has_raised("KeyError") else 3.6
    for tail, more in (
        ("", 0.0),
        (", 0", 0.2),
        (", []", 0.4),
        (', ""', 0.6),
        (", None", 1.0),
        (", {}", 0.8),
        (", False", 0.8),
    ):
        text = f"{base}.get({key}{tail})"
        yield view.replace(place, text, ATOM, "function/get", cost + more, risk=0.5)


@on(1, ast.Call)
def in_place(view: View, place: Place) -> Iterator[Edit]:
    """`x.sort()` for `sorted(x)`: what changes a list returns nothing."""
    node = place.node
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Attribute) and not isinstance(place.parent, ast.Expr):
        inner = view.text(node.func.value)
        given = "".join(f", {view.source[slice(*view.site.offsets.span(one))]}" for one in node.keywords)
        if node.func.attr == "sort" and not node.args:
            yield view.replace(place, f"sorted({inner}{given})", ATOM, "function/in-place", 1.6)
        elif node.func.attr == "reverse" and not node.args:
            base = view.part(node.func.value, ATOM)
            yield view.replace(place, f"{base}[::-1]", ATOM, "function/in-place", 1.6)
            yield view.replace(place, f"list(reversed({inner}))", ATOM, "function/in-place", 2.0)
        elif node.func.attr in ("append", "add") and len(node.args) == 1:
            base, added = view.part(node.func.value, SUM), view.text(node.args[0])
            text = f"{base} + [{added}]" if node.func.attr == "append" else f"{base} | {{{added}}}"
            level = SUM if node.func.attr == "append" else BIT_OR
            if not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
                yield view.replace(place, text, level, "function/in-place", 2.0)


@on(1, ast.Compare)
def found(view: View, place: Place) -> Iterator[Edit]:
    """`s.find(x) > 0` and the like, for `x in s`."""
    node = place.node
    assert isinstance(node, ast.Compare)
    left = node.left
    if len(node.ops) > 1 or not isinstance(left, ast.Call) or not isinstance(left.func, ast.Attribute):
        return
    if left.func.attr in ("find", "index") and len(left.args) == 1:
        text = f"{view.part(left.args[0], BIT_OR)} in {view.part(left.func.value, BIT_OR)}"
        yield view.replace(place, text, COMPARE, "function/contains", 3.4)


def attribute(view: View, place: Place, name: str, template: str, cost: float, risk: float = 0.0) -> Edit:
    """The same object, another name behind the dot."""
    node = place.node
    assert isinstance(node, ast.Attribute)
    end = view.span(node)[1]
    sentence = f"Use `.{name}` instead of `.{node.attr}`."
    return view.splice(end - len(node.attr), end, name, template, cost, sentence, place.line, risk=risk)


@once
def _near(view: View, name: str) -> list[tuple[str, float]]:
    return nearest(name, view.ingredients.of(view.site).globals, 4, 0.5)


FAMILY = Template(
    "function",
    1.6,
    "Another function or method of the same kind; `d[k]` or `d.get(k)`.",
    (function, method, get_or_item, item_or_get, in_place, found),
)
