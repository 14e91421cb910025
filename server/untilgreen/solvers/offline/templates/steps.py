"""Small steps that a block may lack: counting, collecting, keeping, starting anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.pools import Pools
from untilgreen.solvers.offline.templates.returns import holds_yield
from untilgreen.solvers.offline.view import View, once

MOST_NAMES = 10


def steps(view: View, statement: Statement, names: list[str]) -> Iterator[tuple[str, float]]:
    """Each with the bits that it costs."""
    pools = Pools.of(view)
    inside = 0.0 if statement.in_loop else 0.8
    names = names[:MOST_NAMES]
    for name in names:
        kind = pools.kind_of(name)
        if kind in (kinds.NUMBER, None):
            more = inside + (0.0 if kind else 1.2)
            yield f"{name} += 1", 3.0 + more
            yield f"{name} -= 1", 3.2 + more
            yield f"{name} = 0", 4.0 + more
            if kind:
                yield f"{name} = -{name}", 4.2 + more
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
    for name in sorted(_unchanged_factors(statement).intersection(names)):
        yield f"{name} = {name} * {name}", 3.6
        yield f"{name} *= {name}", 3.6
    function = statement.function
    if statement.in_loop:
        yield "break", 3.4
        yield "continue", 3.8
    if function is not None and holds_yield(function):
        for name in names:
            yield f"yield {name}", 3.4


def _unchanged_factors(statement: Statement) -> set[str]:
    """Names that a loop multiplies with again and again, and never makes greater."""
    loop = statement.outer.node if statement.outer is not None else None
    if not isinstance(loop, ast.While):
        return set()
    found, bound = set[str](), set[str]()
    for node in ast.walk(loop):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Mult):
            factors = [node.value] if isinstance(node, ast.AugAssign) else [node.left, node.right]
            found |= {one.id for one in factors if isinstance(one, ast.Name)}
    return found - bound


def held(text: str, kind: str, names: Sequence[str]) -> Iterator[tuple[str, float]]:
    """What one does with a container that an object keeps, and with what a method was given."""
    if kind in ("list", "set", "deque", *kinds.MAPPINGS):
        yield f"{text}.clear()", 3.6
    for name in names[:MOST_NAMES]:
        if kind in ("list", "deque"):
            yield f"{text}.append({name})", 3.8
        elif kind == "set":
            yield f"{text}.add({name})", 3.8
            yield f"{text}.discard({name})", 3.8
        elif kind in kinds.MAPPINGS:
            yield f"{text}.pop({name}, None)", 3.8


@once
def attribute_kinds(view: View) -> dict[str, str]:
    """Of the attributes of the object, as they were seen, else as its class first sets them."""
    found: dict[str, str] = {}
    for node in ast.walk(view.owner) if view.owner is not None else ():
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                kind = view.kind(target) or kinds.of_node(node.value, {})
                if kind is not None and kind != kinds.NONE:
                    found.setdefault(target.attr, kind)
    return found
