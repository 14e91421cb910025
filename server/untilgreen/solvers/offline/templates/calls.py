"""Calls around expressions: missing, too many, without parentheses, not awaited."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import last_name
from untilgreen.solvers.offline.likeness import words
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.pools import Pools
from untilgreen.solvers.offline.precedence import ATOM, AWAIT, FACTOR, TERM
from untilgreen.solvers.offline.site import Function
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once, shown

_NOT_A_VALUE = frozenset(
    {"func", "decorator_list", "bases", "type", "exc", "cause", "context_expr", "optional_vars"}
)
_CONDITIONS = frozenset({"test", "ifs", "guard"})
# What is put around or behind a value of a kind: text with the value at `_`, and bits.
_AROUND: dict[str | None, tuple[tuple[str, float], ...]] = {
    kinds.NUMBER: (
        ("str(_)", 2.8), ("int(_)", 2.8), ("abs(_)", 2.8), ("float(_)", 3.2), ("round(_)", 3.0),
        ("round(_, 2)", 3.2),
        ("max(_, 0)", 3.0), ("max(0, _)", 3.2), ("min(_, 0)", 4.0), ("max(_, 1)", 3.6), ("range(_)", 3.4),
        ("[_]", 3.4),
        ("bool(_)", 4.0), ("math.sqrt(_)", 3.2), ("math.floor(_)", 3.4), ("math.ceil(_)", 3.4),
    ),
    kinds.TEXT: (
        ("_.strip()", 2.4), ("_.lower()", 2.4), ("_.upper()", 2.8), ("int(_)", 2.6), ("float(_)", 3.0),
        ("len(_)", 3.0),
        ("_.split()", 2.8), ("_.rstrip()", 3.2), ("_.lstrip()", 3.2), ("_.title()", 3.6),
        ("_.capitalize()", 3.6),
        ("_[::-1]", 3.4), ("list(_)", 3.2), ("sorted(_)", 3.6), ("set(_)", 3.6), ("[_]", 3.2),
        ('"".join(_)', 4.4),
        ("repr(_)", 4.0), ("_.encode()", 3.6), ("_.splitlines()", 3.6), ('_.split(",")', 3.8),
    ),
    "list": (
        ("len(_)", 2.6), ("list(_)", 2.6), ("sorted(_)", 2.4), ("_.copy()", 2.4), ("set(_)", 2.6),
        ("tuple(_)", 2.8),
        ("sum(_)", 3.0), ("reversed(_)", 3.2), ("max(_)", 3.4), ("min(_)", 3.4), ("enumerate(_)", 3.4),
        ("iter(_)", 4.0),
        ('"".join(_)', 3.0), ('" ".join(_)', 3.4), ('", ".join(_)', 3.6), ("str(_)", 3.6), ("[_]", 3.2),
        ("any(_)", 4.0),
        ("all(_)", 4.0), ("deepcopy(_)", 4.0), ("copy.deepcopy(_)", 4.0), ("dict(_)", 4.0), ("[*_]", 4.8),
    ),
    "tuple": (("list(_)", 2.4), ("len(_)", 2.8), ("sorted(_)", 2.8), ("set(_)", 3.0), ("sum(_)", 3.2),
    ("dict(_)", 4.0)),
    "dict": (
        ("_.items()", 2.0), ("_.values()", 2.2), ("_.keys()", 2.8), ("dict(_)", 2.8), ("_.copy()", 2.4),
        ("len(_)", 2.8),
        ("list(_)", 3.0), ("sorted(_)", 2.8), ("sorted(_.items())", 3.2), ("list(_.values())", 3.4),
        ("list(_.keys())", 3.6), ("list(_.items())", 3.4),
    ),
    "set": (("len(_)", 2.4), ("sorted(_)", 2.4), ("list(_)", 2.4), ("_.copy()", 2.6), ("frozenset(_)", 2.8),
    ("tuple(_)", 3.2)),
    **dict.fromkeys(("dict_items", "dict_keys", "dict_values"), (
        ("sorted(_)", 2.2), ("list(_)", 2.4), ("set(_)", 3.0), ("sum(_)", 3.0), ("len(_)", 3.0),
        ("max(_)", 3.4), ("min(_)", 3.4), ("tuple(_)", 3.4), ("reversed(_)", 4.0),
    )),
    "generator": (("list(_)", 2.0), ("sum(_)", 2.8), ("sorted(_)", 2.8), ("tuple(_)", 2.8), ("set(_)", 2.8),
    ("next(_)", 3.0), ("any(_)", 3.2), ("all(_)", 3.2)),
    None: (
        ("list(_)", 3.6), ("str(_)", 3.4), ("int(_)", 3.4), ("len(_)", 3.6), ("sorted(_)", 3.6),
        ("set(_)", 4.0),
        ("_.strip()", 3.8), ("_.lower()", 3.8), ("tuple(_)", 4.0), ("_.copy()", 4.0), ("float(_)", 4.0),
        ("abs(_)", 4.0),
        ("_.items()", 4.0), ("_.values()", 4.4), ("reversed(_)", 4.4), ("sum(_)", 4.4), ("round(_)", 4.4),
        ("bool(_)", 4.6),
        ("max(_, 0)", 4.4), ("dict(_)", 4.6), ("_.split()", 4.6), ("_.upper()", 4.6), ('"".join(_)', 4.6),
        ("[_]", 4.4),
        ("enumerate(_)", 4.8), ("range(_)", 4.6), ("_.keys()", 4.8), ("next(_)", 5.0), ("any(_)", 5.0),
        ("all(_)", 5.0),
        ("repr(_)", 4.8), ("frozenset(_)", 5.0), ("iter(_)", 5.0), ("copy.deepcopy(_)", 5.0),
        ("deepcopy(_)", 5.0), ("math.sqrt(_)", 4.2), ("math.floor(_)", 4.4), ("math.ceil(_)", 4.4),
    ),
}  # fmt: skip


@on(1, ast.expr)
def wrapped(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    if not is_value(place) or isinstance(node, ast.Lambda | ast.Dict | ast.Compare | ast.BoolOp | ast.Yield):
        return
    kind = view.kind(node)
    if place.field in _CONDITIONS and kind is not None:
        return
    choices = _AROUND.get(kind if kind in _AROUND else None, ())
    if kind is not None and kind not in _AROUND and kind not in ("deque", "range"):
        choices = choices[:8]
    text, bound = view.text(node), view.part(node, ATOM)
    is_literal = isinstance(node, ast.Constant)
    more = 2.0 if is_literal else 0.0
    stock = view.ingredients.of(view.site)
    if isinstance(node, ast.Call) and last_name(node.func) in ("list", "tuple") and len(node.args) == 1:
        inside = view.text(node.args[0])
        text_of_all = f"[list(one) for one in {inside}]"
        yield view.replace(place, text_of_all, ATOM, "call/copied", 3.4, "Copy what is inside, too.")
    for form, cost in choices:
        name = form.partition("(")[0].partition(".")[0]
        if name in ("deepcopy", "copy", "math") and name not in stock.globals:
            continue
        if (
            isinstance(place.parent, ast.Call)
            and last_name(place.parent.func) == name
            and len(place.parent.args) == 1
        ):
            continue
        inside = text if not form.startswith("_") else bound
        inside = f"({inside})" if view.level(node) <= 1 else inside
        yield view.replace(place, form.replace("_", inside, 1), ATOM, "call/wrapped", cost + more, risk=0.3)


@on(1, ast.Call)
def unwrapped(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Call)
    if isinstance(place.parent, ast.Expr):
        return
    name = last_name(node.func)
    if len(node.args) >= 1 and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        inner = node.args[0]
        cost = 2.4 if len(node.args) == 1 and not node.keywords else 3.6
        sentence = f"Leave the call of `{name}` out."
        if view.text(inner) != view.text(node):
            yield view.replace(
                place, view.text(inner), view.level(inner), "call/unwrapped", cost, sentence, risk=0.5
            )
        if len(node.args) == 2 and not isinstance(node.args[1], ast.Starred):
            inner = node.args[1]
            yield view.replace(
                place, view.text(inner), view.level(inner), "call/unwrapped", 3.8, sentence, risk=0.5
            )
    if isinstance(node.func, ast.Attribute):
        base = node.func.value
        cost = 2.8 if not node.args else 3.4
        sentence = f"Leave the call of `.{name}` out."
        yield view.replace(
            place, view.text(base), view.level(base), "call/unwrapped", cost, sentence, risk=0.5
        )
    if not node.args and not node.keywords:
        text = view.text(node.func)
        yield view.replace(place, text, ATOM, "call/parentheses", 3.0, "Do not call it.", risk=0.3)


@on(1, ast.Attribute, ast.Name, ast.Subscript)
def called(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    if place.is_target or place.field in ("func", "type", "bases", "cause", "slice"):
        return
    name = last_name(node)
    if place.field == "value" and isinstance(place.parent, ast.Attribute) and isinstance(node, ast.Name):
        return
    stock = view.ingredients.of(view.site)
    if isinstance(node, ast.Attribute):
        is_method = name in stock.functions or name in _METHODS or name in view.facts.signatures
        cost = 2.4 if is_method else 4.2
    elif isinstance(node, ast.Name) and name in stock.globals and name not in view.names(place):
        if not isinstance(stock.globals[name], Function | ast.ClassDef):
            return
        cost = 2.6
    elif view.kind(node) in ("function", "method", "builtin_function_or_method", "type"):
        cost = 2.4
    else:
        return
    if isinstance(place.parent, ast.Expr):
        cost = 0.8  # To name something does nothing.
    yield view.replace(
        place, f"{view.text(node)}()", ATOM, "call/parentheses", cost, f"Call `{shown(name)}`."
    )


@on(1, ast.Call, ast.Attribute, ast.Name)
def awaited(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    if place.is_target or not isinstance(place.statement.function, ast.AsyncFunctionDef):
        return
    if place.scope.binding().kind == "lambda" or isinstance(place.parent, ast.Await) or place.field == "func":
        return
    if not isinstance(node, ast.Call) and not isinstance(place.parent, ast.Expr | ast.Assign | ast.Return):
        return
    functions = (
        view.ingredients.of(view.site).functions.get(last_name(node.func), ())
        if isinstance(node, ast.Call)
        else ()
    )
    cost = 1.6 if any(isinstance(one, ast.AsyncFunctionDef) for one in functions) else 3.0
    cost += 0.0 if isinstance(node, ast.Call) else 1.4
    yield view.replace(place, f"await {view.part(node, ATOM)}", AWAIT, "call/await", cost, "Wait for it.")


@on(1, ast.Await)
def not_awaited(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Await)
    yield view.replace(
        place, view.text(node.value), view.level(node.value), "call/await", 3.0, "Do not wait for it."
    )


@on(2, ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)
def helped(view: View, place: Place) -> Iterator[Edit]:
    """A function of the file that takes one value."""
    node = place.node
    is_denied = isinstance(place.parent, ast.UnaryOp) and isinstance(place.parent.op, ast.Not)
    if not (is_value(place) or is_denied) or isinstance(place.parent, ast.Subscript):
        return
    text = view.text(node)
    for name, prefix, cost in _helpers(view):
        if isinstance(node, ast.Call) and last_name(node.func) == name:
            continue
        if isinstance(place.parent, ast.Call) and last_name(place.parent.func) == name:
            continue
        called = f"{prefix}{name}({text})"
        yield view.replace(place, called, ATOM, "call/helper", cost, f"Call `{name}` first.", tier=2)


@on(1, ast.BinOp)
def rounded(view: View, place: Place) -> Iterator[Edit]:
    """A quotient that should be whole, rounded or up."""
    node = place.node
    assert isinstance(node, ast.BinOp)
    if not isinstance(node.op, ast.Div | ast.FloorDiv) or view.kind(node.left) in (
        *kinds.COLLECTIONS,
        "PosixPath",
    ):
        return
    left, right = view.part(node.left, TERM), view.part(node.right, FACTOR)
    if isinstance(node.op, ast.Div):
        for form, cost in (("int(_)", 2.6), ("round(_)", 2.6), ("round(_, 2)", 3.0), ("round(_, 1)", 3.4)):
            text = form.replace("_", view.text(node), 1)
            yield view.replace(place, text, ATOM, "call/rounded", cost)
    if "math" in view.ingredients.of(view.site).globals:
        yield view.replace(place, f"math.ceil({left} / {right})", ATOM, "call/rounded", 3.0)
    yield view.replace(place, f"-(-{left} // {right})", FACTOR, "call/rounded", 3.8)


def is_value(place: Place) -> bool:
    """Whether a call could stand around it."""
    parent = place.parent
    if place.is_target or place.field in _NOT_A_VALUE:
        return False
    if isinstance(parent, ast.Expr | ast.Attribute | ast.Await | ast.UnaryOp | ast.arguments | ast.Starred):
        return False
    if isinstance(place.node, ast.Starred | ast.Slice | ast.Yield | ast.YieldFrom | ast.NamedExpr):
        return False
    return not (isinstance(place.node, ast.Name) and place.node.id in ("self", "cls"))


@once
def _helpers(view: View) -> list[tuple[str, str, float]]:
    found: dict[tuple[str, str], float] = {}
    stock = view.ingredients.of(view.site)
    owner, _, own = view.site.name.rpartition(".")
    for name, functions in stock.functions.items():
        arguments = functions[0].args
        taken = [*arguments.posonlyargs, *arguments.args]
        needed = len(taken) - len(arguments.defaults)
        is_method = bool(taken) and taken[0].arg in ("self", "cls")
        if isinstance(functions[0], ast.AsyncFunctionDef) or name.startswith("__") or name == own:
            continue
        if is_method and needed <= 2 <= len(taken) and name in stock.members(owner):
            found[name, "self."] = 4.4
        elif not is_method and needed <= 1 <= len(taken) and name in stock.globals:
            found[name, ""] = 3.8
    return [(*key, cost) for key, cost in list(found.items())[:20]]


_METHODS = frozenset(
    words(
        "items keys values strip lower upper copy split lstrip rstrip title capitalize pop sort reverse "
        "isdigit isalpha isupper islower isspace isalnum close read readlines clear is_file is_dir exists "
        "popleft total_seconds date time now group groups decode encode splitlines most_common"
    )
)


@on(2, ast.Name, ast.Attribute, ast.Subscript)
def as_elsewhere(view: View, place: Place) -> Iterator[Edit]:
    """Given to a function that the same code gives other values to: `find(b)` beside `find(a)`."""
    if place.is_target or isinstance(place.parent, ast.Attribute) or place.field == "func":
        return
    text, function = view.text(place.node), place.statement.function
    for name in _given_to(view):
        if function is not None and function.name == name:
            continue
        if name != text and not (isinstance(place.parent, ast.Call) and last_name(place.parent.func) == name):
            yield view.replace(place, f"{name}({text})", ATOM, "call/as-elsewhere", 3.4, tier=2, risk=0.4)


@once
def _given_to(view: View) -> list[str]:
    """Functions of the project that are called here with one argument."""
    known = {*view.ingredients.of(view.site).functions, *Pools.of(view).locals}
    found = [
        place.node.func.id
        for place in view.places.expressions
        if isinstance(place.node, ast.Call)
        and isinstance(place.node.func, ast.Name)
        and len(place.node.args) == 1
        and not place.node.keywords
    ]
    return [name for name in dict.fromkeys(found) if name in known][:4]


FAMILY = Template(
    "call",
    2.0,
    "A call put around a value or left out, parentheses or `await` that were forgotten, rounding.",
    (wrapped, unwrapped, called, awaited, not_awaited, helped, rounded, as_elsewhere),
)
