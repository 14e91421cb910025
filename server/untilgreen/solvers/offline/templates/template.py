"""A family of edits, and the rules it is made of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place, Statement
from untilgreen.solvers.offline.view import View

OnExpression = Callable[[View, Place], Iterable[Edit]]
OnStatement = Callable[[View, Statement], Iterable[Edit]]
OnSite = Callable[[View], Iterable[Edit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """What to do about some kinds of nodes."""

    tier: int
    nodes: tuple[type[ast.AST], ...]
    """Expressions or statements; a base class means all of them."""
    on_expression: OnExpression | None = None
    on_statement: OnStatement | None = None
    on_site: OnSite | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """One family."""

    name: str
    prior: float
    """Bits that its likeliest edit costs."""
    explain: str
    """What these edits are for, in one sentence."""
    rules: tuple[Rule, ...]

    @property
    def tiers(self) -> tuple[int, ...]:
        return tuple(sorted({rule.tier for rule in self.rules}))


def on(tier: int, *nodes: type[ast.AST]) -> Callable[[OnExpression], Rule]:
    """A rule for expressions."""
    return lambda function: Rule(tier, nodes, on_expression=function)


def on_statements(tier: int, *nodes: type[ast.AST]) -> Callable[[OnStatement], Rule]:
    """A rule for statements."""
    return lambda function: Rule(tier, nodes, on_statement=function)


def on_site(tier: int) -> Callable[[OnSite], Rule]:
    """A rule for a whole function or module."""
    return lambda function: Rule(tier, (), on_site=function)
