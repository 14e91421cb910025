"""Initialisation and update: `=` for `+=`, a step that is missing, a value that is never kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.blocks import insert, takes_insertion
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.pools import Pools
from untilgreen.solvers.offline.precedence import SUM, TEST
from untilgreen.solvers.offline.templates.returns import holds_yield
from untilgreen.solvers.offline.templates.template import Template, on, on_statements
from untilgreen.solvers.offline.unused import unfilled
from untilgreen.solvers.offline.view import View, shown

_MOST_NAMES = 10
FILLING_BITS = 1.2
"""In favour of what fills a container that nothing fills."""


@on_statements(1, ast.AugAssign)
def plain(view: View, statement: Statement) -> Iterator[Edit]:
    """`+=` for `=`."""
    node = statement.node
    assert isinstance(node, ast.AugAssign)
    start, end = view.operator(node.target, node.value)
    yield view.splice(
        start, end, "=", "update/plain", 2.6, "Replace the value, do not add to it.", node.lineno
    )
    if isinstance(node.op, ast.Add):
        target, value = view.text(node.target), view.part(node.value, SUM)
        first, last = view.site.offsets.span(node)
        yield view.splice(
            first,
            last,
            f"{target} = {value} + {target}",
            "update/order",
            3.4,
            "Add it in front.",
            node.lineno,
        )


@on_statements(1, ast.Assign)
def once(view: View, statement: Statement) -> Iterator[Edit]:
    """`d[k] = []` for `d.setdefault(k, [])`."""
    node = statement.node
    assert isinstance(node, ast.Assign)
    target, start = node.targets[0], view.site.offsets.span(node)[0]
    if len(node.targets) > 1 or not isinstance(target, ast.Subscript):
        return
    if not isinstance(target.slice, ast.Slice | ast.Tuple) and view.kind(target.value) in ("dict", None):
        key, value = view.text(target.slice), view.part(node.value, TEST)
        text = f"{view.text(target.value)}.setdefault({key}, {value})"
        end = view.site.offsets.span(node)[1]
        sentence = f"Keep what `{shown(view.text(target))}` is already."
        yield view.splice(start, end, text, "update/once", 2.8, sentence, node.lineno)


@on_statements(1, ast.Assign)
def added(view: View, statement: Statement) -> Iterator[Edit]:
    """`=` for `+=`."""
    node = statement.node
    assert isinstance(node, ast.Assign)
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name | ast.Attribute | ast.Subscript):
        return
    if isinstance(node.value, ast.Yield | ast.YieldFrom):
        return
    start, end = view.operator(node.targets[0], node.value)
    kind = view.kind(node.value)
    for sign, cost in (("+=", 2.2), ("-=", 2.6), ("*=", 2.8), ("|=", 3.4), ("//=", 3.6), ("/=", 3.6)):
        if sign != "+=" and kind in (kinds.TEXT, "list", "tuple", "dict"):
            continue
        sentence = f"Update with `{sign}`, do not replace the value."
        yield view.splice(start, end, sign, "update/added", cost, sentence, node.lineno)


@on_statements(1, ast.Assign)
def together(view: View, statement: Statement) -> Iterator[Edit]:
    """Two assignments that should happen at once: `a = b` and `b = a + b`."""
    node, block, index = statement.node, statement.block, statement.index
    following = block[index + 1] if index + 1 < len(block) else None
    assert isinstance(node, ast.Assign)
    if not isinstance(following, ast.Assign) or len(node.targets) != 1 or len(following.targets) != 1:
        return
    one, other = node.targets[0], following.targets[0]
    if not isinstance(one, ast.Name | ast.Attribute) or not isinstance(other, ast.Name | ast.Attribute):
        return
    if view.layout.lines(node) is None or view.layout.lines(following) is None:
        return
    values = f"{view.part(node.value, TEST)}, {view.part(following.value, TEST)}"
    text = f"{view.text(one)}, {view.text(other)} = {values}"
    start, end = view.site.offsets.span(node)[0], view.site.offsets.span(following)[1]
    if "#" not in view.source[view.site.offsets.span(node)[1] : view.site.offsets.span(following)[0]]:
        yield view.splice(start, end, text, "update/together", 3.0, "Assign both at once.", node.lineno)


@on_statements(1, ast.Assign)
def combined(view: View, statement: Statement) -> Iterator[Edit]:
    """`best = x` for `best = max(best, x)`."""
    node = statement.node
    assert isinstance(node, ast.Assign)
    target = node.targets[0]
    if len(node.targets) > 1 or not isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
        return
    if isinstance(target, ast.Name) and target.id not in view.names_at(statement):
        return
    if isinstance(node.value, ast.Constant | ast.List | ast.Dict | ast.Yield | ast.YieldFrom | ast.Await):
        return
    kind = view.kind(node.value) or view.kind(target)
    own, value = view.text(target), view.part(node.value, TEST)
    start, end = view.span(node.value)
    if kinds.agree(kind, kinds.NUMBER):
        for name in ("max", "min"):
            yield view.splice(
                start,
                end,
                f"{name}({own}, {value})",
                "update/combined",
                3.2,
                f"Keep the {name}imum.",
                node.lineno,
            )
    late = view.part(node.value, SUM)
    if view.wrapping_of(node.value) is None and "\n" not in late:
        yield view.splice(
            start, end, f"{own} + {late}", "update/combined", 3.8, "Add to what was there.", node.lineno
        )


@on_statements(2, ast.stmt)
def missing(view: View, statement: Statement) -> Iterator[Edit]:
    """A step that was forgotten: counting, collecting, going on."""
    for after in (False, True):
        if not takes_insertion(view, statement, after):
            continue
        names = [one for one in view.names_at(statement) if one not in ("self", "cls", "_")]
        for code, cost in _steps(view, statement, names):
            sentence = f"Add `{shown(code)}`."
            likely = _fills(code, unfilled(view.site.node))
            cost, risk = (cost - FILLING_BITS, 0.2) if likely else (cost, 1.2)
            made = insert(view, statement, [code], "update/missing", cost, sentence, after=after, risk=risk)
            if made is not None:
                yield made


@on_statements(2, ast.Pass)
def done(view: View, statement: Statement) -> Iterator[Edit]:
    """Something instead of nothing."""
    start, end = view.site.offsets.span(statement.node)
    names = [one for one in view.names_at(statement) if one not in ("self", "cls", "_")]
    for code, cost in _steps(view, statement, names):
        sentence = f"`{shown(code)}` instead of nothing."
        yield view.splice(
            start, end, code, "update/done", cost - 0.6, sentence, statement.node.lineno, tier=2
        )


@on_statements(2, ast.stmt)
def kept(view: View, statement: Statement) -> Iterator[Edit]:
    """`self.x = x`, forgotten in a method."""
    function = statement.function
    if function is None or "self" not in statement.scope.parameters or statement.outer is not None:
        return
    is_start = function.name in ("__init__", "__post_init__", "setUp", "__new__")
    members = view.ingredients.of(view.site).members(view.site.name.rpartition(".")[0])
    for after in (False, True):
        if not takes_insertion(view, statement, after):
            continue
        parameters = [one for one in statement.scope.parameters if one != "self"]
        names = (
            parameters
            if is_start
            else [one for one in view.names_at(statement) if one != "self"][:_MOST_NAMES]
        )
        for name in names:
            for attribute in (name, f"_{name}"):
                if attribute in members or (is_start and attribute == name):
                    yield from _keep(
                        view, statement, attribute, name, 2.6 if attribute == name else 3.2, after
                    )
            if not is_start:
                for attribute, is_method in list(members.items())[:_MOST_NAMES]:
                    if not is_method and attribute != name:
                        yield from _keep(view, statement, attribute, name, 4.4, after)
        for attribute, is_method in members.items():
            if not is_method:
                for value, cost in (
                    ("0", 0.2),
                    ("[]", 0.2),
                    ("None", 0.0),
                    ("{}", 0.4),
                    ("False", 0.4),
                    ("True", 0.4),
                    ("set()", 0.8),
                    ('""', 0.8),
                ):
                    yield from _keep(view, statement, attribute, value, 3.6 + cost, after)
                if not is_start:
                    for sign in ("+= 1", "-= 1"):
                        made = insert(
                            view,
                            statement,
                            [f"self.{attribute} {sign}"],
                            "update/missing",
                            4.2,
                            f"Count `{attribute}`.",
                            after=after,
                        )
                        if made is not None:
                            yield made


@on(1, ast.Tuple, ast.List)
def order(view: View, place: Place) -> Iterator[Edit]:
    """Two parts in the wrong order: of a pair, of targets, of a row."""
    node = place.node
    assert isinstance(node, ast.Tuple | ast.List)
    for one, other in zip(node.elts, node.elts[1:], strict=False):
        if isinstance(one, ast.Starred) or isinstance(other, ast.Starred) or len(node.elts) > 6:
            continue
        (start, first_end), (second_start, end) = view.span(one), view.span(other)
        if view.text(one) != view.text(other):
            between = view.source[first_end:second_start]
            text = f"{view.part(other, TEST)}{between}{view.part(one, TEST)}"
            cost = 2.2 if len(node.elts) == 2 else 3.2
            sentence = f"Exchange `{shown(view.text(one))}` and `{shown(view.text(other))}`."
            yield view.splice(start, end, text, "update/order", cost, sentence, place.line)
    if len(node.elts) > 1 and not place.is_target:
        for number, one in enumerate(node.elts[:6]):
            start, end = view.span(one)
            if number:
                start = view.span(node.elts[number - 1])[1]
            else:
                end = view.span(node.elts[1])[0]
            gap = view.source[start : view.span(one)[0]] + view.source[view.span(one)[1] : end]
            if gap.strip() == "," and "\n" not in gap and (len(node.elts) > 2 or isinstance(node, ast.List)):
                sentence = f"Leave `{shown(view.text(one))}` out."
                yield view.splice(start, end, "", "update/part", 3.8, sentence, place.line, risk=0.5)


def _fills(code: str, containers: frozenset[str]) -> bool:
    """Whether something is put into what was made to hold things and never got any."""
    name, sign, rest = code.partition("[") if "] = " in code else code.partition(".")
    return name in containers and (sign == "[" or rest.startswith(("append(", "add(")))


def _keep(
    view: View, statement: Statement, attribute: str, value: str, cost: float, after: bool
) -> Iterator[Edit]:
    code = f"self.{attribute} = {value}"
    made = insert(view, statement, [code], "update/kept", cost, f"Add `{code}`.", after=after, risk=0.8)
    if made is not None:
        yield made


def _steps(view: View, statement: Statement, names: list[str]) -> Iterator[tuple[str, float]]:
    pools = Pools.of(view)
    inside = 0.0 if statement.in_loop else 0.8
    names = names[:_MOST_NAMES]
    for name in names:
        kind = pools.kind_of(name)
        if kind in (kinds.NUMBER, None):
            more = inside + (0.0 if kind else 1.2)
            yield f"{name} += 1", 3.0 + more
            yield f"{name} -= 1", 3.2 + more
            yield f"{name} = 0", 4.0 + more
        if kind == "list":
            yield f"{name} = []", 4.2
            yield f"{name}.pop()", 4.2
            yield f"{name}.sort()", 3.8
            yield f"{name}.reverse()", 4.2
        if kind == kinds.TEXT:
            yield f"{name} = {name}.strip()", 3.8
            yield f"{name} = {name}.lower()", 3.8
        for other in names:
            if other == name:
                continue
            if kind == "list":
                yield f"{name}.append({other})", 3.2 + inside
                yield f"{name}.extend({other})", 4.4 + inside
            elif kind == "set":
                yield f"{name}.add({other})", 3.0 + inside
                yield f"{name}.discard({other})", 4.4 + inside
            elif kind in kinds.MAPPINGS:
                yield f"del {name}[{other}]", 4.8 + inside
                for value in names:
                    if value != name:
                        yield f"{name}[{other}] = {value}", (3.6 if value != other else 4.4) + inside
            agreed = kinds.agree(kind, pools.kind_of(other))
            if agreed:
                yield f"{name} = {other}", 3.6 if agreed == 2 else 4.4
            if agreed == 2 and kind == kinds.NUMBER:
                yield f"{name} += {other}", 3.8 + inside
                yield f"{name} -= {other}", 4.2 + inside
    function = statement.function
    if statement.in_loop:
        yield "break", 3.4
        yield "continue", 3.8
    if function is not None and holds_yield(function):
        for name in names:
            yield f"yield {name}", 3.4


FAMILY = Template(
    "update",
    2.2,
    "`=` for `+=`, a step that is missing, two values exchanged, a value that is kept.",
    (plain, once, added, together, combined, missing, done, kept, order),
)
