"""Aftermath: what was begun is ended, what was emptied is cleared away, what was given out is counted on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline.blocks import LEAVING, insert
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.templates.companions import OPPOSITE
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View, once, shown

_ENDS = {"append": "pop()", "push": "pop()", "acquire": "release()", "lock": "unlock()", "start": "stop()"}
_TAKES = frozenset({"discard", "remove", "pop", "popleft", "popitem", "clear", "difference_update"})
_FINDS = frozenset({"get", "setdefault"})


@on_statements(2, ast.AugAssign, ast.Expr, ast.Assign)
def ended(view: View, statement: Statement) -> Iterator[Edit]:
    """`active += 1`, then something that may fail: `active -= 1` behind it, in a `finally` or without."""
    rest = statement.block[statement.index + 1 :]
    if statement.function is None or not rest or view.layout.lines(statement.node) is None:
        return
    for end in _ends(view, statement.node):
        if "\n" in end or any(end in view.source[slice(*view.site.offsets.span(one))] for one in rest):
            continue
        for one in rest:
            if isinstance(one, ast.Try) and not one.finalbody:
                yield from _ensured(view, one, one, end, 3.0)
        if not isinstance(rest[0], ast.Try) and view.layout.lines(rest[0]) and view.layout.lines(rest[-1]):
            yield from _ensured(view, rest[0], rest[-1], end, 3.8)
        last = rest[-1]
        if not isinstance(last, LEAVING) and (lying := view.layout.lines(last)) is not None:
            is_whole = view.source.endswith(("\n", "\r"), 0, lying[1])
            code, newline = f"{lying[2]}{end}", view.layout.newline
            yield view.splice(
                lying[1],
                lying[1],
                code + newline if is_whole else newline + code,
                "aftermath/ended",
                3.4,
                f"Add `{end}`.",
                last.lineno,
                tier=2,
                risk=0.6,
            )


@on_statements(2, ast.Expr, ast.Assign, ast.Delete)
def cleared(view: View, statement: Statement) -> Iterator[Edit]:
    """`del table[key]` when the last thing in `table[key]` was taken out."""
    if statement.function is None:
        return
    for held in _taken_from(statement.node):
        for table, key, is_sure in _homes(view, held):
            ways = [(f"del {table}[{key}]", 3.0)] if is_sure else []
            for code, cost in (*ways, (f"{table}.pop({key}, None)", 3.2)):
                lines = [f"if not {view.text(held)}:", f"\t{code}"]
                sentence = f"When nothing is left in `{shown(view.text(held))}`: `{shown(code)}`."
                made = insert(
                    view, statement, lines, "aftermath/cleared", cost, sentence, after=True, risk=0.5
                )
                if made is not None:
                    yield made


@on_statements(2, ast.Expr, ast.Assign, ast.AugAssign, ast.Return)
def within(view: View, statement: Statement) -> Iterator[Edit]:
    """`with self.lock:` around a statement, as the file does it around others."""
    lying = view.layout.lines(statement.node)
    if lying is None or statement.function is None:
        return
    known = {*view.names_at(statement), *view.ingredients.of(view.site).globals}
    around = statement.outer.node if statement.outer is not None else None
    start, end, indent = lying
    inner = view.layout.reindent(start, end, indent, indent + view.layout.unit)
    for text, needs in _contexts(view).items():
        if needs <= known and not (
            isinstance(around, ast.With) and view.text(around.items[0].context_expr) == text
        ):
            code, sentence = (
                f"{indent}with {text}:{view.layout.newline}{inner}",
                f"Do this with `{shown(text)}`.",
            )
            line = statement.node.lineno
            yield view.splice(start, end, code, "aftermath/within", 3.6, sentence, line, tier=2, risk=0.6)


@once
def _contexts(view: View) -> dict[str, frozenset[str]]:
    """What the file does something with, and the names that it takes."""
    found = {}
    for node in ast.walk(view.site.tree):
        for item in node.items if isinstance(node, ast.With) else ():
            text = view.text(item.context_expr)
            if item.optional_vars is None and "\n" not in text:
                names = (one.id for one in ast.walk(item.context_expr) if isinstance(one, ast.Name))
                found[text] = frozenset(names)
    return found


@on_statements(2, ast.Assign, ast.Expr, ast.AugAssign)
def counted_on(view: View, statement: Statement) -> Iterator[Edit]:
    """`self.next += 1`, when a number was used that should be another one the next time."""
    unchanged = _unchanged(view)
    read = {
        one.attr: None
        for one in ast.walk(statement.node)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self"
    }
    for name in read if statement.function is not None else ():
        if name in unchanged:
            code = f"self.{name} += 1"
            made = insert(
                view, statement, [code], "aftermath/counted", 1.8, f"Add `{code}`.", after=True, risk=0.2
            )
            if made is not None:
                yield made


def _ensured(view: View, first: ast.stmt, last: ast.stmt, end: str, cost: float) -> Iterator[Edit]:
    """`finally: end`, behind a `try` that has none or around these statements."""
    begins, ends = view.layout.lines(first), view.layout.lines(last)
    if begins is None or ends is None:
        return
    (start, _, indent), stop = begins, ends[1]
    unit, newline = view.layout.unit, view.layout.newline
    inner = view.source[start:stop]
    if not isinstance(first, ast.Try):
        inner = f"{indent}try:{newline}{view.layout.reindent(start, stop, indent, indent + unit)}"
    if not inner.endswith(("\n", "\r")):
        inner += newline
    code = f"{inner}{indent}finally:{newline}{indent}{unit}{end}{newline}"
    sentence = f"Do `{end}` in the end, whatever happens before."
    yield view.splice(start, stop, code, "aftermath/ensured", cost, sentence, first.lineno, tier=2, risk=0.4)


def _ends(view: View, node: ast.stmt) -> Iterator[str]:
    """What takes a statement back."""
    if isinstance(node, ast.AugAssign) and type(node.op) in OPPOSITE:
        yield f"{view.text(node.target)} {OPPOSITE[type(node.op)]} {view.text(node.value)}"
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and len(node.targets) == 1:
        if isinstance(node.value.value, bool) and isinstance(node.targets[0], ast.Name | ast.Attribute):
            yield f"{view.text(node.targets[0])} = {not node.value.value}"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Attribute):
            owner = view.text(function.value)
            if function.attr in _ENDS:
                yield f"{owner}.{_ENDS[function.attr]}"
            elif function.attr == "add" and len(node.value.args) == 1:
                yield f"{owner}.discard({view.text(node.value.args[0])})"


def _taken_from(node: ast.stmt) -> Iterator[ast.expr]:
    """What something is taken out of."""
    if isinstance(node, ast.Delete):
        yield from (one.value for one in node.targets if isinstance(one, ast.Subscript))
    value = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _TAKES:
        yield value.func.value


def _homes(view: View, held: ast.expr) -> Iterator[tuple[str, str, bool]]:
    """The table and the key under which something is kept, and whether it is surely there."""
    if isinstance(held, ast.Subscript):
        found: list[ast.expr] = [held]
    else:
        found = _origins(view).get(held.id, []) if isinstance(held, ast.Name) else []
    for one in found:
        if isinstance(one, ast.Subscript) and not isinstance(one.slice, ast.Slice | ast.Constant):
            yield view.text(one.value), view.text(one.slice), True
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.args:
            is_sure = one.func.attr == "setdefault"
            yield view.text(one.func.value), view.text(one.args[0]), is_sure


@once
def _origins(view: View) -> dict[str, list[ast.expr]]:
    """Names that stand for what a table holds."""
    found: dict[str, list[ast.expr]] = {}
    for statement in view.places.statements:
        node = statement.node
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        value = node.value
        is_found = (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in _FINDS
        )
        if is_found or isinstance(value, ast.Subscript):
            found.setdefault(node.targets[0].id, []).append(value)
    return found


@once
def _unchanged(view: View) -> frozenset[str]:
    """Fields of the class that begin as a number, and are never another one."""
    inside = list(ast.walk(view.owner)) if view.owner is not None else []
    written = [
        one.attr for one in inside if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
    ]
    begun = [
        one.targets[0].attr
        for one in inside
        if isinstance(one, ast.Assign)
        and isinstance(one.targets[0], ast.Attribute)
        and isinstance(one.value, ast.Constant)
        and type(one.value.value) is int
    ]
    return frozenset(name for name in begun if written.count(name) == 1)


FAMILY = Template(
    "aftermath",
    3.0,
    "What was begun is ended, what was emptied is cleared away, what was given out is counted on.",
    (ended, cleared, within, counted_on),
)
