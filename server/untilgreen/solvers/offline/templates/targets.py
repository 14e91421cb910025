"""Targets: the right value, kept in the wrong place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.pools import Pools
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View, shown


@on_statements(2, ast.Assign, ast.AugAssign)
def elsewhere(view: View, statement: Statement) -> Iterator[Edit]:
    """`table[a] = x` for `other[b] = x`, where the function speaks of `other[b]` as well."""
    node = statement.node
    assert isinstance(node, ast.Assign | ast.AugAssign)
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if isinstance(target, ast.Tuple | ast.List) or (isinstance(node, ast.Assign) and len(node.targets) > 1):
        return
    own, start, end = view.text(target), *view.span(target)
    pools, known = Pools.of(view), {*view.names_at(statement), "self", "cls"}
    # What the value is made of is most often what it is kept in.
    parts = [part for part in ast.walk(node.value) if isinstance(part, ast.Subscript | ast.Attribute)]
    beside = {view.text(part) for part in parts}
    for fragment in pools.expressions:
        place = fragment.node
        if not isinstance(place, ast.Subscript | ast.Attribute) or fragment.text == own:
            continue
        if isinstance(place, ast.Subscript) and view.kind(place.value) in (kinds.TEXT, "tuple"):
            continue
        if (fragment.needs & pools.locals) - known:
            continue
        cost = 3.2 if fragment.text in beside else 4.4
        sentence = f"Keep it in `{shown(fragment.text)}`, not in `{shown(own)}`."
        yield view.splice(
            start, end, fragment.text, "target/elsewhere", cost, sentence, node.lineno, tier=2, risk=0.5
        )


FAMILY = Template("target", 3.2, "A value that is kept in the wrong place.", (elsewhere,))
