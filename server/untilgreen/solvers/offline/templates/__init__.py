"""All families of edits. Text in, edits out: nothing is run, nothing is read."""

from __future__ import annotations

import ast
import dataclasses
import logging
import re
from collections.abc import Callable, Iterable, Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.facts import Facts
from untilgreen.solvers.offline.ingredients import Ingredients
from untilgreen.solvers.offline.site import Site, parse
from untilgreen.solvers.offline.templates import (
    absences,
    aftermath,
    alternatives,
    arguments,
    arithmetic,
    attributes,
    bindings,
    booleans,
    branches,
    calls,
    companions,
    comparison,
    conditions,
    constants,
    decorators,
    defaults,
    exceptions,
    fields,
    functions,
    grouping,
    guards,
    imports,
    leftovers,
    loops,
    methods,
    names,
    nesting,
    off_by_one,
    returns,
    rounding,
    slices,
    sorting,
    statements,
    strings,
    surgery,
    targets,
    totals,
    transplants,
    twins,
    typos,
    updates,
)
from untilgreen.solvers.offline.templates.template import Template
from untilgreen.solvers.offline.unused import mentions, unused
from untilgreen.solvers.offline.view import View

__all__ = ["FAMILIES", "TIERS", "Template", "edits"]

TIERS = (1, 2, 3)
FAMILIES: tuple[Template, ...] = (
    comparison.FAMILY,
    off_by_one.FAMILY,
    arithmetic.FAMILY,
    booleans.FAMILY,
    constants.FAMILY,
    names.FAMILY,
    arguments.FAMILY,
    slices.FAMILY,
    functions.FAMILY,
    calls.FAMILY,
    attributes.FAMILY,
    methods.FAMILY,
    strings.FAMILY,
    fields.FAMILY,
    grouping.FAMILY,
    loops.FAMILY,
    returns.FAMILY,
    statements.FAMILY,
    nesting.FAMILY,
    branches.FAMILY,
    conditions.FAMILY,
    guards.FAMILY,
    surgery.FAMILY,
    transplants.FAMILY,
    companions.FAMILY,
    updates.FAMILY,
    exceptions.FAMILY,
    typos.FAMILY,
    imports.FAMILY,
    defaults.FAMILY,
    bindings.FAMILY,
    twins.FAMILY,
    alternatives.FAMILY,
    leftovers.FAMILY,
    targets.FAMILY,
    absences.FAMILY,
    aftermath.FAMILY,
    totals.FAMILY,
    sorting.FAMILY,
    decorators.FAMILY,
    rounding.FAMILY,
)

log = logging.getLogger(__name__)

_Key = tuple[int, int, str]
_NOT_IN_TEXT = re.compile(r"""['"\\#{}\n\r:]|\blambda\b|\byield\b""")
"""Before Python 3.12 a field of a formatted string cannot hold these, or would not hold them together."""
UNUSED_BITS = 2.0
"""In favour of what reads a name that nothing read before."""
EQUALITY_BITS = 2.0
"""Against changes of what tests compare with: they please a test most easily, and mend the least."""
PROVOKED_BITS = 2.0
"""Against another value that makes the code refuse it for a reason that is not the one a test waited for."""
RECURSION_BITS = 1.6
"""Against leaving out that a function calls itself: who wrote that has thought about it."""
_OTHER_VALUES = frozenset(
    {"call/wrapped", "slice/added", "arithmetic/extended", "arithmetic/sign", "alternative/either"}
)


def edits(site: Site, facts: Facts, ingredients: Ingredients, tier: int) -> Iterator[Edit]:
    """Every edit of one tier; of those that give the same text the likeliest."""
    view = _view(site, facts, ingredients)
    told: dict[_Key, int] = view.told
    now: dict[_Key, Edit] = {}
    idle = {text.rpartition(".")[2] for text in leftovers.idle_values(view)}
    missed = mentions(unused(site.node) | idle)
    itself = re.compile(rf"\b{re.escape(site.name.rpartition('.')[2])}\(")
    decides_equality = site.name.rpartition(".")[2] in ("__eq__", "__ne__")
    for edit in _all(view, tier):
        key = _smallest(site.text, edit)
        if told.get(key, tier) < tier or (key[0] == key[1] and not key[2]):
            continue
        if key not in now or edit.cost + edit.risk < now[key].cost + now[key].risk:
            now[key] = edit
            told[key] = tier
    for key, edit in now.items():
        # What was made for something and is not used: here it is.
        uses = missed is not None and missed.search(edit.text) and not missed.search(view.source, *key[:2])
        against = EQUALITY_BITS if decides_equality else 0.0
        against += PROVOKED_BITS if facts.misses_refusal and edit.template in _OTHER_VALUES else 0.0
        if site.name and itself.search(view.source, edit.start, edit.end) and not itself.search(edit.text):
            against += RECURSION_BITS
        if against:
            edit = dataclasses.replace(edit, risk=edit.risk + against)
        yield dataclasses.replace(edit, cost=edit.cost - UNUSED_BITS) if uses else edit


def _all(view: View, tier: int) -> Iterator[Edit]:
    expression_rules, statement_rules, site_rules = _RULES[tier]
    # Code may be stranger than a rule foresaw; that costs no more than what the rule would have found.
    for site_rule in site_rules:
        try:
            yield from site_rule(view)
        except Exception as error:
            _log_failed(view, error)
    for place in view.places.expressions:
        for rule in expression_rules.get(type(place.node), ()):
            try:
                for edit in rule(view, place):
                    if place.in_text and _NOT_IN_TEXT.search(edit.text):
                        continue
                    if not _is_same(view.source[edit.start : edit.end], edit.text):
                        yield edit
            except Exception as error:
                _log_failed(view, error)
    for statement in view.places.statements:
        for statement_rule in statement_rules.get(type(statement.node), ()):
            try:
                yield from statement_rule(view, statement)
            except Exception as error:
                _log_failed(view, error)


def _log_failed(view: View, error: Exception) -> None:
    log.info("a rule failed on %s in %s", view.site.name, view.site.path, exc_info=error)


def _view(site: Site, facts: Facts, ingredients: Ingredients) -> View:
    view = site.view
    if view is None or view.facts is not facts or view.ingredients is not ingredients:
        view = site.view = View(site, facts, ingredients)
    return view


def _smallest(text: str, edit: Edit) -> _Key:
    """The same for edits that give the same text."""
    start, end, new = edit.start, edit.end, edit.text
    first, last = 0, len(new)
    while start < end and first < last and text[start] == new[first]:
        start += 1
        first += 1
    while start < end and first < last and text[end - 1] == new[last - 1]:
        end -= 1
        last -= 1
    new = new[first:last]
    # What is only put in or only taken out could as well be so farther left.
    if start == end:
        while new and start and text[start - 1] == new[-1]:
            start -= 1
            new = new[-1] + new[:-1]
        end = start
    elif not new:
        while start and text[start - 1] == text[end - 1]:
            start -= 1
            end -= 1
    return start, end, new


def _is_same(old: str, new: str) -> bool:
    """Written in another way, and nothing else."""
    if old == new:
        return True
    if "\n" in old:
        one, other = parse(f"({old})"), parse(f"({new})")
        return one is not None and other is not None and ast.dump(one) == ast.dump(other)
    if abs(len(old) - len(new)) > 8 or "'" in old or '"' in old:
        return False
    return "".join(old.split()) == "".join(new.split())


_Rules = tuple[
    dict[type[ast.AST], list[Callable[..., Iterable[Edit]]]],
    dict[type[ast.AST], list[Callable[..., Iterable[Edit]]]],
    list[Callable[[View], Iterable[Edit]]],
]


def _by_node(tier: int) -> _Rules:
    expressions: dict[type[ast.AST], list[Callable[..., Iterable[Edit]]]] = {}
    statements: dict[type[ast.AST], list[Callable[..., Iterable[Edit]]]] = {}
    whole: list[Callable[[View], Iterable[Edit]]] = []
    for rule in (rule for family in FAMILIES for rule in family.rules if rule.tier == tier):
        if rule.on_site is not None:
            whole.append(rule.on_site)
        for base in rule.nodes:
            for node in _concrete(base):
                if rule.on_expression is not None:
                    expressions.setdefault(node, []).append(rule.on_expression)
                if rule.on_statement is not None:
                    statements.setdefault(node, []).append(rule.on_statement)
    return expressions, statements, whole


def _concrete(base: type[ast.AST]) -> list[type[ast.AST]]:
    return [base, *(one for one in base.__subclasses__() if not one.__module__.startswith("_pytest"))]


_RULES: dict[int, _Rules] = {tier: _by_node(tier) for tier in TIERS}
