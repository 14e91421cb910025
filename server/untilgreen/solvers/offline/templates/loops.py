"""Loops and comprehensions: ranges, steps, clauses, `break` and `continue`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.blocks import first_statement, insert
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.precedence import ATOM, SUM, TEST
from untilgreen.solvers.offline.templates.template import Template, on, on_statements
from untilgreen.solvers.offline.view import View, shown


@on(1, ast.Call)
def ranges(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.Call)
    if not isinstance(node.func, ast.Name) or node.func.id != "range" or node.keywords:
        return
    if not 1 <= len(node.args) <= 3 or any(
        isinstance(one, ast.Starred | ast.GeneratorExp) for one in node.args
    ):
        return
    parts = [view.part(one, TEST) for one in node.args]
    forms: list[tuple[str, float]] = []
    if len(parts) == 1:
        end, more = parts[0], view.part(node.args[0], SUM)
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, int):
            forms.append((f"1, {node.args[0].value + 1}", 1.9))
        forms += [(f"1, {end}", 1.8), (f"1, {more} + 1", 1.8), (f"2, {end}", 3.0), (f"2, {more} + 1", 2.8)]
        forms += [
            (f"0, {end}, 2", 3.4),
            (f"{more} - 1, -1, -1", 2.4),
            (f"{end}, 0, -1", 2.8),
            (f"{end}, -1, -1", 3.0),
        ]
        forms += [(f"-1, {end}", 4.0)]
        for name in view.names(place):
            agreed = kinds.agree(view.kind_of(name), kinds.NUMBER)
            if agreed and name not in ("self", "cls", end):
                forms += [
                    (f"{name}, {end}", 2.8 if agreed == 2 else 3.6),
                    (f"{name} + 1, {end}", 3.0 if agreed == 2 else 3.8),
                ]
                forms += [(f"0, {end}, {name}", 3.4 if agreed == 2 else 4.2), (f"{end}, {name}", 4.2)]
    elif len(parts) == 2:
        one, other = parts
        begin, more = view.part(node.args[0], SUM), view.part(node.args[1], SUM)
        forms += [(other, 2.4), (one, 4.0), (f"{one}, {other}, -1", 2.6), (f"{one}, {other}, 2", 3.0)]
        forms += [
            (f"{more} - 1, {begin} - 1, -1", 3.2),
            (f"{begin} + 1, {more} + 1", 2.8),
            (f"{begin} - 1, {more} - 1", 3.2),
        ]
        for name in view.names(place):
            if kinds.agree(view.kind_of(name), kinds.NUMBER) == 2:
                forms.append((f"{one}, {other}, {name}", 3.0))
    else:
        one, other, step = parts
        forms += [(f"{one}, {other}", 2.2)]
        forms += [
            (
                f"{one}, {other}, {step[1:]}"
                if step.startswith("-")
                else f"{one}, {other}, -{view.part(node.args[2], ATOM)}",
                2.2,
            )
        ]
        if step == "-1":
            forms += [
                (f"{one}, -1, -1", 2.2),
                (f"{one}, 0, -1", 2.4),
                (f"{view.part(node.args[0], SUM)} - 1, {other}, -1", 2.2),
            ]
            forms += [(f"{other}, {one}", 2.8)]
    for text, cost in forms:
        yield view.replace(place, f"range({text})", ATOM, "loop/range", cost)


@on(1, ast.expr)
def direction(view: View, place: Place) -> Iterator[Edit]:
    """What a loop runs over: backwards, without its first or last, in order, a copy."""
    node = place.node
    if place.field != "iter" or isinstance(node, ast.Tuple):
        return
    text, bound = view.text(node), view.part(node, ATOM)
    kind = view.kind(node)
    for form, cost in (("reversed(_)", 2.6), ("sorted(_)", 3.0), ("list(_)", 2.8)):
        if not text.startswith(form[:4]):
            yield view.replace(place, form.replace("_", text, 1), ATOM, "loop/over", cost)
    if kind in (None, *kinds.SEQUENCES):
        for tail, cost, risk in (
            ("[1:]", 2.8, 0.3),
            ("[:-1]", 2.8, 0.3),
            ("[::-1]", 3.0, 0.0),
            ("[::2]", 4.0, 2.5),
        ):
            yield view.replace(place, bound + tail, ATOM, "loop/over", cost, risk=risk)
    if kind in (None, *kinds.MAPPINGS):
        less = 0.6 if kind in kinds.MAPPINGS else 0.0
        for tail, cost in ((".items()", 3.0), (".values()", 3.2), (".keys()", 4.0)):
            yield view.replace(place, bound + tail, ATOM, "loop/over", cost - less)
    yield view.replace(place, f"enumerate({text})", ATOM, "loop/over", 3.6)


@on_statements(1, ast.Break, ast.Continue)
def jumps(view: View, statement: Statement) -> Iterator[Edit]:
    node = statement.node
    start, end = view.site.offsets.span(node)
    own, other = ("break", "continue") if isinstance(node, ast.Break) else ("continue", "break")
    sentence = f"`{other}` instead of `{own}`."
    yield view.splice(start, end, other, "loop/jump", 1.7, sentence, node.lineno)
    if statement.function is not None:
        yield view.splice(start, end, "return", "loop/jump", 3.4, "Return from here.", node.lineno, risk=0.7)
    yield view.splice(start, end, "pass", "loop/jump", 2.8, f"No `{own}` here.", node.lineno, risk=1.0)


@on(1, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
def clauses(view: View, place: Place) -> Iterator[Edit]:
    node = place.node
    assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
    for clause in node.generators:
        before: ast.expr = clause.iter
        for condition in clause.ifs:
            start, _ = view.operator(before, condition)
            end = view.span(condition)[1]
            around = view.around(*view.span(condition))
            if around is not None and view.source[start:].startswith("if") and around[0] > start:
                end = around[1]
            while start and view.source[start - 1] in " \t":
                start -= 1
            sentence = f"Leave the condition `{shown(view.text(condition))}` out."
            yield view.splice(start, end, "", "loop/clause", 3.0, sentence, place.line, risk=0.7)
            before = condition
    if len(node.generators) == 2:
        one, other = node.generators
        (start, first_end), (second_start, end) = _clause(view, node, 0), _clause(view, node, 1)
        if not one.is_async and not other.is_async:
            middle = view.source[first_end:second_start]
            text = view.source[second_start:end] + middle + view.source[start:first_end]
            yield view.splice(
                start, end, text, "loop/clause", 2.6, "Run the loops the other way round.", place.line
            )


def _clause(view: View, node: ast.expr, number: int) -> tuple[int, int]:
    assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
    clause = node.generators[number]
    start = view.source.rindex("for", 0, view.span(clause.target)[0])
    last = clause.ifs[-1] if clause.ifs else clause.iter
    end = view.span(last)[1]
    around = view.around(*view.span(last))
    if around is not None and around[1] < view.span(node)[1]:
        end = around[1]
    return start, end


@on(1, ast.ListComp)
def displays(view: View, place: Place) -> Iterator[Edit]:
    """A list that should be a set or the other way round."""
    text = view.text(place.node)
    yield view.replace(place, "{" + text[1:-1] + "}", ATOM, "loop/display", 3.2, "Collect into a set.")


@on_statements(1, ast.For)
def targets(view: View, statement: Statement) -> Iterator[Edit]:
    """`for i in enumerate(x)` for `for i, x in enumerate(x)`, and items in the wrong order."""
    node = statement.node
    assert isinstance(node, ast.For)
    if isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call):
        name = node.target.id
        start, end = view.span(node.target)
        function = node.iter.func
        called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if called in ("enumerate", "items", "zip"):
            for text in (f"_, {name}", f"{name}, _"):
                yield view.splice(start, end, text, "loop/target", 2.8, "Take the pair apart.", node.lineno)


@on_statements(1, ast.stmt)
def made_a_list(view: View, statement: Statement) -> Iterator[Edit]:
    """`items = list(items)`, as the first thing: what is gone through once may be gone then."""
    function = statement.function
    if function is None or statement.outer is not None:
        return
    if statement.node is not first_statement(function.body):
        return
    read = Counter(one.id for one in ast.walk(function) if isinstance(one, ast.Name))
    for name in statement.scope.parameters:
        if read[name] > 1 and view.kind_of(name) not in (kinds.NUMBER, kinds.TEXT, kinds.BOOLEAN, "dict"):
            code = f"{name} = list({name})"
            cost = 3.2 if view.kind_of(name) in ("list", "tuple", "set") else 2.4
            made = insert(view, statement, [code], "loop/list", cost, f"Add `{code}`.", tier=1, risk=0.4)
            if made is not None:
                yield made


FAMILY = Template(
    "loop",
    1.7,
    "Another range or order of a loop, `break` for `continue`, clauses of comprehensions.",
    (ranges, direction, jumps, clauses, displays, targets, made_a_list),
)
