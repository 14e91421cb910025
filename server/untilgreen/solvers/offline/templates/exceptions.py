"""Exceptions: of another type, raised or returned, caught or not; and `with`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from untilgreen.solvers.offline.blocks import insert, takes_insertion
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.precedence import ATOM
from untilgreen.solvers.offline.templates.returns import returned_texts
from untilgreen.solvers.offline.templates.template import Template, on, on_statements
from untilgreen.solvers.offline.view import View, once, shown

_COMMON = (
    "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "RuntimeError",
    "ZeroDivisionError",
    "LookupError", "NotImplementedError", "FileNotFoundError", "OSError", "StopIteration", "Exception",
    "OverflowError",
    "PermissionError", "TimeoutError", "ArithmeticError", "NameError", "UnicodeDecodeError",
)  # fmt: skip
_ALL = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)

EVERYTHING = ("Exception", "BaseException")
EVERYTHING_BITS = 2.0


@on(1, ast.Name)
def another(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Name)
    if place.is_target or not _is_exception(view, node.id):
        return
    catches = isinstance(place.statement.node, ast.Try) and place.field in ("type", "elts")
    for name, cost in _choices(view):
        if name != node.id:
            sentence = f"`{name}` instead of `{node.id}`."
            # Who catches everything pleases whatever is raised.
            risk = EVERYTHING_BITS if catches and name in EVERYTHING else 0.0
            yield view.replace(place, name, ATOM, "exception/type", cost, sentence, risk=risk)


@on(1, ast.Name, ast.Attribute)
def more(view: View, place: Place) -> Iterator[Edit]:
    """`except A` for `except (A, B)`."""
    if not isinstance(place.parent, ast.ExceptHandler) or place.field != "type":
        return
    own = view.text(place.node)
    for name, cost in _choices(view):
        if name != own:
            sentence = f"Catch `{name}`, too."
            risk = 0.0 if view.facts.has_raised(name) else EVERYTHING_BITS if name in EVERYTHING else 0.7
            yield view.replace(
                place, f"({own}, {name})", ATOM, "exception/more", cost + 0.6, sentence, risk=risk
            )


@on(1, ast.Constant, ast.JoinedStr)
def only_a_message(view: View, place: Place) -> Iterator[Edit]:
    """`raise "text"`: nothing but exceptions can be raised."""
    if place.field == "exc":
        for name, cost in _choices(view):
            text = f"{name}({view.text(place.node)})"
            yield view.replace(place, text, ATOM, "exception/message", cost - 0.6, f"Raise a `{name}`.")


@on_statements(1, ast.Raise)
def returned(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    assert isinstance(node, ast.Raise)
    start, end = view.site.offsets.span(node)
    line = node.lineno
    if statement.function is None:
        return
    if not isinstance(statement.function, ast.AsyncFunctionDef):
        for text, cost in (
            ("None", 3.4),
            ("False", 3.4),
            ("True", 3.8),
            ("[]", 4.0),
            ("0", 4.0),
            ('""', 4.2),
            ("-1", 4.2),
        ):
            yield view.splice(
                start, end, f"return {text}", "exception/returned", cost, f"Return `{text}`.", line, risk=1.5
            )
    if node.exc is not None and any(True for _ in _handlers(statement)):
        yield view.splice(start, end, "raise", "exception/again", 2.8, "Raise what was caught.", line)


@on_statements(1, ast.Return)
def raised(view: View, statement: Statement) -> Iterator[Edit]:
    """An exception that is returned, or a value where tests expect an exception."""
    node = statement.node
    assert isinstance(node, ast.Return)
    start, end = view.site.offsets.span(node)
    value = node.value
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and _is_exception(view, value.func.id)
    ):
        yield view.splice(
            start, start + len("return"), "raise", "exception/raised", 1.6, "Raise it.", node.lineno
        )
    for name in sorted(view.facts.test_names):
        if name in _ALL and name != "Exception":
            sentence = f"Raise `{name}`."
            yield view.splice(
                start, end, f"raise {name}", "exception/raised", 3.2, sentence, node.lineno, risk=1.0
            )


@on_statements(1, ast.Expr)
def forgotten(view: View, statement: Statement) -> Iterator[Edit]:
    """An exception that is made and not raised."""
    node = statement.node
    assert isinstance(node, ast.Expr)
    value = node.value
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and _is_exception(view, value.func.id)
    ):
        start = view.span(value)[0]
        yield view.splice(start, start, "raise ", "exception/raised", 1.4, "Raise it.", node.lineno)


@on_statements(1, ast.stmt)
def again(view: View, statement: Statement) -> Iterator[Edit]:
    """`raise`, when what had to be done about an exception is done."""
    if statement.field == "handler" and takes_insertion(view, statement, True):
        # A test waited for it in vain.
        cost = 1.8 if view.facts.misses_refusal else 3.2
        sentence = "Raise what was caught."
        made = insert(
            view, statement, ["raise"], "exception/again", cost, sentence, after=True, tier=1, risk=0.3
        )
        if made is not None:
            yield made


@on_statements(1, ast.Pass)
def nothing(view: View, statement: Statement) -> Iterator[Edit]:
    """`pass` where something should happen."""
    node = statement.node
    start, end = view.site.offsets.span(node)
    choices: list[tuple[str, float]] = []
    if statement.function is not None:
        choices += [("return", 3.6), ("return None", 3.8)]
        if not isinstance(statement.function, ast.AsyncFunctionDef):
            choices += [("return False", 3.2), ("return True", 3.4), ("return []", 3.6), ("return 0", 3.8)]
    if statement.field == "handler":
        choices.append(("raise", 2.4))
    if statement.in_loop:
        choices += [("continue", 2.4), ("break", 2.6)]
    for text, cost in choices:
        sentence = f"`{text}` instead of nothing."
        yield view.splice(start, end, text, "exception/nothing", cost, sentence, node.lineno, risk=0.7)


@on_statements(2, ast.Expr, ast.Assign, ast.Return, ast.AugAssign)
def caught(view: View, statement: Statement) -> Iterator[Edit]:
    """A statement whose exception should be caught: the one that tests saw."""
    node = statement.node
    lying = view.layout.lines(node)
    types = [kind for kind, _ in view.facts.raised if kind in _ALL and kind != "AssertionError"]
    if lying is None or not types or statement.function is None:
        return
    start, end, indent = lying
    unit, newline = view.layout.unit, view.layout.newline
    inner = view.layout.reindent(start, end, indent, indent + unit)
    inner = inner if inner.endswith(("\n", "\r")) else inner + newline
    exits = ["pass"] if not isinstance(node, ast.Return) else []
    if not isinstance(statement.function, ast.AsyncFunctionDef):
        exits += ["return None", "return False", "return 0", "return []", "return True"]
    if statement.in_loop:
        exits += ["continue", "break"]
    for kind in dict.fromkeys(types):
        for text in exits:
            code = f"{indent}try:{newline}{inner}{indent}except {kind}:{newline}{indent}{unit}{text}{newline}"
            sentence = f"When `{kind}` is raised: `{text}`."
            # What the function answers in other cases is likelier than what it never answers.
            cost = 3.8 if text.removeprefix("return ") in returned_texts(view) else 4.2
            yield view.splice(
                start, end, code, "exception/caught", cost, sentence, node.lineno, tier=2, risk=3.0
            )


@on_statements(2, ast.Expr, ast.Assign, ast.AugAssign, ast.For, ast.While, ast.With)
def ensured(view: View, statement: Statement) -> Iterator[Edit]:
    """What comes behind has to be done whatever happens."""
    node, rest = statement.node, statement.block[statement.index + 1 :]
    lying = view.layout.lines(node)
    if lying is None or statement.function is None or not 1 <= len(rest) <= 2:
        return
    if any(isinstance(one, ast.Return | ast.Raise | ast.Break | ast.Continue) for one in rest):
        return
    lines = [view.layout.lines(one) for one in rest]
    if None in lines or statement.field == "finalbody":
        return
    (start, middle, indent), end = lying, lines[-1][1]  # type: ignore[index]
    unit, newline = view.layout.unit, view.layout.newline
    inner = view.layout.reindent(start, middle, indent, indent + unit)
    after = view.layout.reindent(middle, end, indent, indent + unit)
    yields = isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.Await)
    code = f"{indent}try:{newline}{inner}{indent}finally:{newline}{after}"
    first = " ".join(view.source[middle:end].split())
    sentence = f"Do `{shown(first)}` whatever happens before."
    cost = 2.6 if yields else 4.0
    yield view.splice(start, end, code, "exception/ensured", cost, sentence, node.lineno, tier=2, risk=0.3)


@on_statements(1, ast.With, ast.AsyncWith)
def opened(view: View, statement: Statement) -> Iterator[Edit]:
    """Modes of files."""
    node = statement.node
    assert isinstance(node, ast.With | ast.AsyncWith)
    for item in node.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "open":
            if len(call.args) == 1 and not call.keywords:
                end = view.span(call)[1] - 1
                for mode in ('"w"', '"rb"', '"a"', '"wb"'):
                    sentence = f"Open it with `{mode}`."
                    yield view.splice(end, end, f", {mode}", "exception/mode", 3.0, sentence, node.lineno)
            elif len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
                start, end = view.span(call.args[1])
                for mode in ('"r"', '"w"', '"a"', '"rb"', '"wb"', '"r+"'):
                    if mode[1:-1] != call.args[1].value:
                        sentence = f"Open it with `{mode}`, not `{shown(view.source[start:end])}`."
                        yield view.splice(start, end, mode, "exception/mode", 2.6, sentence, node.lineno)


def _handlers(statement: Statement) -> Iterator[Statement]:
    outer: Statement | None = statement
    while outer is not None:
        if outer.field == "handler":
            yield outer
        outer = outer.outer


def _is_exception(view: View, name: str) -> bool:
    if name in _ALL:
        return True
    known = view.ingredients.of(view.site).globals.get(name)
    return known is not None and name.endswith(("Error", "Exception", "Warning"))


@once
def _choices(view: View) -> list[tuple[str, float]]:
    found = dict.fromkeys(_COMMON, 2.6)
    known = view.ingredients.of(view.site).globals
    found.update({name: 2.2 for name in known if name.endswith(("Error", "Exception")) and name != "*"})
    found.update({name: 1.6 for name in view.facts.test_names if name in _ALL or name in found})
    found.update({kind: 1.8 for kind, _ in view.facts.raised if kind in _ALL and kind != "AssertionError"})
    return sorted(found.items(), key=lambda one: one[1])


FAMILY = Template(
    "exception",
    1.6,
    "An exception of another type, raised and not returned, caught or not; the mode of a file.",
    (another, more, only_a_message, returned, raised, forgotten, again, nothing, caught, ensured, opened),
)
