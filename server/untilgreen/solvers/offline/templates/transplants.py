"""Statements from elsewhere in the file that speak of another variable: renamed, they fit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from untilgreen.solvers.offline.blocks import insert, takes_insertion
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.ingredients import BUILTINS, Fragment
from untilgreen.solvers.offline.places import Statement
from untilgreen.solvers.offline.pools import Pools
from untilgreen.solvers.offline.site import parse
from untilgreen.solvers.offline.templates.surgery import bound_by, may_stand
from untilgreen.solvers.offline.templates.template import Template, on_statements
from untilgreen.solvers.offline.view import View, once, shown

_MOST_NAMES = 6
_MOST_FRAGMENTS = 150


@on_statements(3, ast.stmt)
def renamed(view: View, statement: Statement) -> Iterator[Edit]:
    """One name of it means nothing here; another takes its place."""
    if not takes_insertion(view, statement, False):
        return
    visible = view.names_at(statement)
    for fragment, stranger in _strangers(view, frozenset(visible)):
        if not may_stand(fragment.node, statement):
            continue
        for name in visible[:_MOST_NAMES]:
            if name in ("self", "cls"):
                continue
            text = _rename(view, fragment.text, stranger, name)
            if text is None:
                continue
            lines = text.split("\n")
            cost = 5.0 + 0.05 * fragment.size - (1.2 if bound_by(fragment.node) & unbound(view) else 0.0)
            code = [lines[0], *(f"\t{line}" for line in lines[1:])]
            made = insert(
                view, statement, code, "transplant/renamed", cost, f"Add `{shown(text)}`.", tier=3, risk=1.8
            )
            if made is not None:
                yield made


@on_statements(2, ast.stmt)
def first_value(view: View, statement: Statement) -> Iterator[Edit]:
    """A variable that is read and never set, or set only in the block that reads it."""
    if not takes_insertion(view, statement, False):
        return
    names = frozenset(view.names_at(statement))
    later: frozenset[str] = frozenset()
    if isinstance(statement.node, ast.For | ast.While | ast.If | ast.With | ast.Try):
        later = bound_by(statement.node) - names
    helps = 1.0 if view.facts.has_raised("UnboundLocalError", "NameError") else 0.0
    for name in sorted(unbound(view) | later):
        for piece in Pools.of(view).values:
            if piece.needs <= names and piece.text != name and (name not in later or piece.cost < 1.1):
                code = f"{name} = {piece.text}"
                cost = 3.4 + piece.cost - helps
                made = insert(
                    view, statement, [code], "transplant/first", cost, f"Add `{shown(code)}`.", risk=0.5
                )
                if made is not None:
                    yield made


@once
def unbound(view: View) -> frozenset[str]:
    """Names that are read and that nothing binds."""
    known = view.ingredients.of(view.site).globals
    own = Pools.of(view).locals
    return frozenset(
        place.node.id
        for place in view.places.expressions
        if isinstance(place.node, ast.Name)
        and place.node.id not in own
        and place.node.id not in known
        and place.node.id not in BUILTINS
        and not place.node.id.startswith("__")
    )


@once
def _strangers(view: View, visible: frozenset[str]) -> list[tuple[Fragment, str]]:
    """Statements with exactly one name that is not known here."""
    stock, own = view.ingredients.of(view.site), Pools.of(view).locals
    found = []
    for fragment in stock.statements:
        unknown = [
            name
            for name in fragment.needs
            if name not in visible and (name in own or (name not in stock.globals and name not in BUILTINS))
        ]
        if len(unknown) == 1:
            found.append((fragment, unknown[0]))
    return found[:_MOST_FRAGMENTS]


@once
def _rename(view: View, text: str, old: str, new: str) -> str | None:
    # Not behind a dot, and not the name of a keyword argument.
    changed = re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)(?!=[^=])", new, text)
    whole = changed.replace("\n", " ") if changed.startswith("if ") else changed
    return changed if changed != text and parse(f"def f():\n    {whole}") else None


FAMILY = Template(
    "transplant",
    2.4,
    "A statement from elsewhere with another variable in it; a first value for a variable that has none.",
    (renamed, first_value),
)
