"""Statements that go with others: the second of a pair, and what is left over when a loop has ended."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.blocks import first_statement, insert
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import Fragment, Stock, last_name, measure
from untilgreen.solvers.offline.pairs import Renaming, pairs
from untilgreen.solvers.offline.places import Loop, Statement
from untilgreen.solvers.offline.pools import Pools, in_scope
from untilgreen.solvers.offline.site import parse
from untilgreen.solvers.offline.templates.surgery import bound_by, inserted, may_stand
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View, once, shown

_MOST_PAIRS, _MOST_VARIANTS = 24, 40
_KEEPS = ast.Expr | ast.AugAssign
OPPOSITE: dict[type[ast.operator], str] = {ast.Add: "-=", ast.Sub: "+=", ast.Mult: "/=", ast.Div: "*="}


@on_statements(2, ast.For, ast.AsyncFor, ast.While)
def left_over(view: View, statement: Statement) -> Iterator[Edit]:
    """`if part: parts.append(part)` behind the loop that collects parts."""
    stock = view.ingredients.of(view.site)
    changed = _changed_in(statement.node)
    for inner in _inside(statement.node):
        fragment = stock.statement(inner) if isinstance(inner, _KEEPS) else None
        if fragment is None or fragment.size > 20 or not may_stand(inner, statement):
            continue
        for text, about, more in _kept(view, fragment, changed):
            yield from _behind(view, statement, [text], 2.8 + more, 0.8)
            for piece in Pools.of(view).conditions:
                if piece.needs == {about} and piece.cost <= 1.2:
                    asked = 0.0 if piece.text == about else piece.cost
                    code = [f"if {piece.text}:", f"\t{text}"]
                    yield from _behind(view, statement, code, 3.0 + asked + more, 0.8)


@on_statements(2, ast.stmt)
def second(view: View, statement: Statement) -> Iterator[Edit]:
    """What is done with the one is done with the other, too: left and right, rows and columns."""
    stock = view.ingredients.of(view.site)
    fragment = stock.statement(statement.node)
    if fragment is None or isinstance(statement.node, ast.Return | ast.Raise):
        return
    names = frozenset(view.names_at(statement)) | bound_by(statement.node)
    for renaming in _pairs(view):
        text = renaming.applied(fragment.text)
        if text is None or _is_there(view, text) or not _fits(view, text, names, stock):
            continue
        lines = text.split("\n")
        code = [lines[0], *(f"\t{line}" for line in lines[1:])]
        for after in (True, False):
            made = insert(
                view,
                statement,
                code,
                "companion/second",
                2.8 + renaming.cost + (0.0 if after else 0.4),
                f"Add `{shown(text)}`.",
                after=after,
                risk=0.6,
            )
            if made is not None and view.layout.lines(statement.node) is not None:
                yield made


@on_statements(3, ast.stmt)
def variants(view: View, statement: Statement) -> Iterator[Edit]:
    """A statement of the file with another constant of the function, or the other way round."""
    yield from inserted(view, statement, _variants(view), 3, 4.2, 1.2)


@on_statements(3, ast.stmt)
def steps(view: View, statement: Statement) -> Iterator[Edit]:
    """A method of the same object that nobody calls here, when all that it asks for is at hand by name."""
    yield from inserted(view, statement, _steps(view), 3, 3.8, 1.2)


@on_statements(1, ast.stmt)
def begun(view: View, statement: Statement) -> Iterator[Edit]:
    """`super().__init__()`, before anything else is done."""
    function, name = statement.function, view.site.name.rpartition(".")[2]
    if function is None or name not in ("__init__", "setUp", "__post_init__") or statement.outer is not None:
        return
    first = first_statement(function.body)
    if statement.node is not first or any(_is_super(one) for one in ast.walk(function)):
        return
    for given in _given_to_base(view, name):
        code = f"super().{name}({', '.join(given)})"
        sentence = f"Add `{code}`."
        made = insert(view, statement, [code], "companion/begun", 1.8, sentence, tier=1, risk=0.2)
        if made is not None:
            yield made


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _given_to_base(view: View, name: str) -> Iterator[tuple[str, ...]]:
    """What a method of the base asks for, if all of it is at hand; or nothing."""
    classes = {node.name: node for node in ast.walk(view.site.tree) if isinstance(node, ast.ClassDef)}
    bases = [last_name(one) for one in view.owner.bases] if view.owner is not None else []
    if not bases or bases == ["object"]:
        return
    yield ()
    for base in bases:
        for method in classes[base].body if base in classes else ():
            if isinstance(method, ast.FunctionDef) and method.name == name:
                asked = tuple(one.arg for one in method.args.args[1:])
                at_hand = view.places.top.parameters
                if asked and set(asked) <= set(at_hand):
                    yield asked
                # What wraps another one is called as that is: `super().__init__(inner.name)`.
                for other in (one for one in at_hand if one not in ("self", *asked)) if asked else ():
                    yield tuple(one if one in at_hand else f"{other}.{one}" for one in asked)


@once
def _steps(view: View) -> list[Fragment]:
    return [fragment for text in _calls_of_own(view) for fragment in _made(view, text)][:_MOST_VARIANTS]


def _calls_of_own(view: View) -> Iterator[str]:
    owner, _, own = view.site.name.rpartition(".")
    for node in ast.walk(view.site.tree) if owner else ():
        if isinstance(node, ast.ClassDef) and node.name == owner.rpartition(".")[2]:
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and not method.decorator_list and method.name != own:
                    asked = [one.arg for one in method.args.args[1:]]
                    known = view.places.top.parameters
                    if asked and set(asked) <= set(known) and not method.name.startswith("__"):
                        yield f"self.{method.name}({', '.join(asked)})"


def _inside(loop: ast.stmt) -> Iterator[ast.stmt]:
    """Statements of a loop, but for those of functions in it."""
    waiting: list[ast.AST] = [*getattr(loop, "body", ())]
    for node in waiting:
        if isinstance(node, ast.stmt):
            yield node
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for field in ("body", "orelse", "finalbody"):
                    waiting += getattr(node, field, ())


def _changed_in(loop: ast.stmt) -> frozenset[str]:
    """Names that a loop gives other values, but for those that it runs over."""
    assert isinstance(loop, Loop)
    target = frozenset() if isinstance(loop, ast.While) else bound_by(loop.target)
    return frozenset().union(*(bound_by(node) for node in loop.body)) - target


def _kept(view: View, fragment: Fragment, changed: frozenset[str]) -> Iterator[tuple[str, str, float]]:
    """The statement, about what is left; also with another name in it, if it keeps just one."""
    node = fragment.node
    value = node.value if isinstance(node, ast.Expr | ast.AugAssign) else None
    if isinstance(value, ast.Call):
        given: list[ast.expr] = list(value.args)
    elif isinstance(value, ast.Yield) and value.value is not None:
        given = [value.value]
    else:
        given = [value] if isinstance(node, ast.AugAssign) and value is not None else []
    read = {one.id for part in given for one in ast.walk(part) if isinstance(one, ast.Name)}
    for name in sorted(read & changed):
        yield fragment.text, name, 0.0
    if len(given) == 1 and isinstance(given[0], ast.Name):
        own = given[0].id
        for other in sorted(changed - read):
            if kinds.agree(Pools.of(view).kind_of(own), Pools.of(view).kind_of(other)):
                text = re.sub(rf"(?<![\w.]){re.escape(own)}(?!\w)(?!=[^=])", other, fragment.text)
                yield text, other, 0.8


def _behind(view: View, statement: Statement, code: list[str], cost: float, risk: float) -> Iterator[Edit]:
    sentence = f"Behind the loop: `{shown(' '.join(line.strip() for line in code))}`."
    made = insert(view, statement, code, "companion/left", cost, sentence, after=True, risk=risk)
    if made is not None:
        yield made


@once
def _pairs(view: View) -> list[Renaming]:
    near = pairs(view.site.node, 0.0)
    far = pairs(view.ingredients.of(view.site).tree, 0.6, attributes_only=True)
    return list(dict.fromkeys((*near, *far)))[:_MOST_PAIRS]


def _is_there(view: View, text: str) -> bool:
    return re.sub(r"\s+", "", text) in _squeezed(view)


@once
def _squeezed(view: View) -> str:
    node = view.site.node
    first, last = (0, len(view.source)) if isinstance(node, ast.Module) else view.site.offsets.span(node)
    return re.sub(r"\s+", "", view.source[first:last])


def _fits(view: View, text: str, names: Iterable[str], stock: Stock) -> bool:
    node = _parsed(text)
    return node is not None and in_scope(measure(node)[1], names, stock, Pools.of(view).locals)


def _parsed(text: str) -> ast.stmt | None:
    lines = text.split("\n")
    tree = parse("\n".join((lines[0], *(f"    {line}" for line in lines[1:]))))
    return tree.body[0] if tree is not None and len(tree.body) == 1 else None


@once
def _variants(view: View) -> list[Fragment]:
    return list(_changed_statements(view))[:_MOST_VARIANTS]


def _changed_statements(view: View) -> Iterator[Fragment]:
    stock = view.ingredients.of(view.site)
    constants: dict[type, dict[str, None]] = {}
    for place in view.places.expressions:
        if isinstance(place.node, ast.Constant) and type(place.node.value) in (str, int, bool):
            constants.setdefault(type(place.node.value), {})[view.text(place.node)] = None
    for one in view.places.statements:
        value = one.node.value if isinstance(one.node, ast.Assign) else None
        if isinstance(value, ast.Constant) and (fragment := stock.statement(one.node)) is not None:
            for text in constants.get(type(value.value), {}):
                own = view.text(value)
                if text != own and fragment.text.endswith(own):
                    yield from _made(view, fragment.text.removesuffix(own) + text)
    for fragment in stock.statements:
        node = fragment.node
        if isinstance(node, ast.AugAssign) and type(node.op) in OPPOSITE:
            sign = OPPOSITE[type(node.op)]
            yield from _made(view, f"{stock.text(node.target)} {sign} {stock.text(node.value)}")


def _made(view: View, text: str) -> Iterator[Fragment]:
    node = None if _is_there(view, text) else _parsed(text)
    if node is not None:
        size, needs = measure(node)
        yield Fragment(text, 0, size, needs, node)


FAMILY = Template(
    "companion",
    2.8,
    "A statement that goes with another one: the second of a pair, what is left over behind a loop.",
    (left_over, second, variants, steps, begun),
)
