"""Initialisation and update: `=` for `+=`, a step that is missing, a value that is never kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.blocks import insert, takes_insertion
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import last_name
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.precedence import SUM, TEST
from untilgreen.solvers.offline.templates.steps import MOST_NAMES, attribute_kinds, held, steps
from untilgreen.solvers.offline.templates.template import Template, on, on_statements
from untilgreen.solvers.offline.unused import unfilled
from untilgreen.solvers.offline.view import View, shown

FILLING_BITS = 1.2
"""In favour of what fills a container that nothing fills."""
_BEGINNINGS = (
    ("0", 0.2, kinds.NUMBER), ("[]", 0.2, "list"), ("None", 0.0, kinds.NONE), ("{}", 0.4, "dict"),
    ("False", 0.4, kinds.BOOLEAN), ("True", 0.4, kinds.BOOLEAN), ("set()", 0.8, "set"),
    ('""', 0.8, kinds.TEXT),
)  # fmt: skip
AT_ONCE_BITS = 0.5
"""Against a step as the first of a block, before anything was asked or gone through."""
COUNTED_BITS = 0.8
"""In favour of updating what the file updates in another place, too."""


_COMPOUND = ast.If | ast.For | ast.AsyncFor | ast.While | ast.Try | ast.With


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
    # What is counted down elsewhere is counted up here.
    name, updated = last_name(node.targets[0]), view.ingredients.of(view.site).updated
    helps = COUNTED_BITS if name and name in updated else 0.0
    for sign, cost in (("+=", 2.2), ("-=", 2.6), ("*=", 2.8), ("|=", 3.4), ("//=", 3.6), ("/=", 3.6)):
        if sign != "+=" and kind in (kinds.TEXT, "list", "tuple", "dict"):
            continue
        sentence = f"Update with `{sign}`, do not replace the value."
        yield view.splice(start, end, sign, "update/added", cost - helps, sentence, node.lineno)


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
        yield from _on_top(view, node, late, kind)
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
        for code, cost in steps(view, statement, names):
            sentence = f"Add `{shown(code)}`."
            likely = _fills(code, unfilled(view.site.node))
            cost, risk = (cost - FILLING_BITS, 0.2) if likely else (cost, 1.2)
            if not after and not statement.index and isinstance(statement.node, _COMPOUND):
                cost += AT_ONCE_BITS
            made = insert(view, statement, [code], "update/missing", cost, sentence, after=after, risk=risk)
            if made is not None:
                yield made


@on_statements(2, ast.Pass)
def done(view: View, statement: Statement) -> Iterator[Edit]:
    """Something instead of nothing."""
    start, end = view.site.offsets.span(statement.node)
    names = [one for one in view.names_at(statement) if one not in ("self", "cls", "_")]
    for code, cost in steps(view, statement, names):
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
    own = view.source[view.site.start : view.site.end]
    members = view.ingredients.of(view.site).members(view.site.name.rpartition(".")[0])
    for after in (False, True):
        if not takes_insertion(view, statement, after):
            continue
        parameters = [one for one in statement.scope.parameters if one != "self"]
        names = (
            parameters
            if is_start
            else [one for one in view.names_at(statement) if one != "self"][:MOST_NAMES]
        )
        for name in names:
            for attribute in (name, f"_{name}"):
                if attribute in members or (is_start and attribute == name):
                    yield from _keep(
                        view, statement, attribute, name, 2.6 if attribute == name else 3.2, after
                    )
            if not is_start:
                for attribute, is_method in list(members.items())[:MOST_NAMES]:
                    if not is_method and attribute != name:
                        yield from _keep(view, statement, attribute, name, 4.4, after)
        for attribute, is_method in members.items():
            if not is_method:
                kind = attribute_kinds(view).get(attribute)
                for value, cost, its in _BEGINNINGS:
                    if kind in (its, None) or its == kinds.NONE:
                        yield from _keep(view, statement, attribute, value, 3.6 + cost, after)
                # Who has to do with it already does it otherwise.
                elsewhere = kind is not None and not is_start and f"self.{attribute}" not in own
                for code, cost in held(f"self.{attribute}", kind or "", parameters) if elsewhere else ():
                    sentence = f"Add `{shown(code)}`."
                    made = insert(
                        view, statement, [code], "update/held", cost, sentence, after=after, risk=0.6
                    )
                    if made is not None:
                        yield made
                if not is_start and kind in (kinds.NUMBER, None):
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


def _on_top(view: View, node: ast.Assign, value: str, kind: str | None) -> Iterator[Edit]:
    """`table[key] = n` for `table[key] = table.get(key, 0) + n`."""
    target = node.targets[0]
    if not isinstance(target, ast.Subscript) or isinstance(target.slice, ast.Slice | ast.Tuple):
        return
    start, end = view.span(node.value)
    if view.kind(target.value) in ("dict", None):
        for nothing, wanted, cost in (("0", kinds.NUMBER, 2.8), ('""', kinds.TEXT, 3.6), ("[]", "list", 3.4)):
            if kind == wanted or (kind is None and nothing == "0"):
                text = f"{view.text(target.value)}.get({view.text(target.slice)}, {nothing}) + {value}"
                sentence = f"Add to what `{shown(view.text(target))}` is already."
                yield view.splice(start, end, text, "update/on-top", cost, sentence, node.lineno)


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


FAMILY = Template(
    "update",
    2.2,
    "`=` for `+=`, a step that is missing, two values exchanged, a value that is kept.",
    (plain, once, added, together, combined, missing, done, kept, order),
)
