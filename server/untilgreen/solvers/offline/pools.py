"""Small conditions, values and statements that can be made of what is at hand in a function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.guesses import guess
from untilgreen.solvers.offline.ingredients import BUILTINS, Fragment, Stock
from untilgreen.solvers.offline.places import Places
from untilgreen.solvers.offline.precedence import ATOM, AWAIT, COMPARE, FACTOR, NOT
from untilgreen.solvers.offline.questions import can_be_none, flags, flags_of_others, questions, wishes
from untilgreen.solvers.offline.site import Site
from untilgreen.solvers.offline.unused import unused
from untilgreen.solvers.offline.view import View

_CONDITIONS = ast.Compare | ast.BoolOp
_MOST_NAMES = 14
_MOST_PARTS, _LARGEST_PART = 10, 6
_MOST_QUESTIONS = 8
_MOST_EDITS, _LEAST_CONDITIONS = 40_000, 24
_LENGTH_BITS = 1.5
"""Against asking how long a text is: that tells inputs of tests apart, and is seldom meant."""
_UNREAD_BITS = 0.4
"""In favour of conditions about what nothing reads yet."""
_PART_BITS = 1.7
"""Of conditions that are made of more than names: so many in a function that they come late."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that could be put somewhere, and what it asks for."""

    text: str
    level: int
    cost: float
    needs: frozenset[str]
    """Local names that must have a value."""
    kind: str | None = None


class Pools:
    """Of one function, as a view shows it."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._stock: Stock = view.ingredients.of(view.site)
        self._site: Site = view.site
        self._places: Places = view.places

    @classmethod
    def of(cls, view: View) -> Pools:
        found = view.memory.get("pools")
        if found is None:
            found = view.memory["pools"] = cls(view)
        assert isinstance(found, Pools)
        return found

    @cached_property
    def locals(self) -> frozenset[str]:
        """Every name that any scope of the function binds."""
        return frozenset(name for scope in self._places.scopes for name in scope.first)

    @cached_property
    def unread(self) -> frozenset[str]:
        """Names that nothing reads: whatever is missing is about them."""
        return unused(self._site.node)

    @cached_property
    def guessed(self) -> dict[str, str]:
        return guess(self._site.node)

    def kind_of(self, name: str) -> str | None:
        """As it was observed, else as it looks."""
        return self._view.kind_of(name) or self.guessed.get(name)

    @cached_property
    def names(self) -> list[str]:
        """Those that a person would ask about; parameters first."""
        top = self._places.top.first
        others = [name for name in self.locals if name not in top]
        found = [name for name in (*top, *sorted(others)) if name not in ("self", "cls", "_")]
        return [name for name in found if not name.startswith("__")]

    @cached_property
    def expressions(self) -> list[Fragment]:
        """Expressions of the function that are more than a name or a constant, each once."""
        found: dict[str, Fragment] = {}
        for place in self._places.expressions:
            node = place.node
            # What is only written to could be read as well: `self.head = Node(value, self.head)`.
            written = place.is_target and not isinstance(node, ast.Attribute)
            if written or isinstance(node, _NO_INGREDIENT):
                continue
            # What binds a name may not stand everywhere.
            if any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
                continue
            fragment = self._stock.fragment(node, 20)
            if fragment is not None:
                found.setdefault(fragment.text, fragment)
        return list(found.values())

    @cached_property
    def conditions(self) -> list[Piece]:
        """What one could ask, the likeliest first."""
        found: dict[str, Piece] = {}
        for text, level, cost, needs in self._conditions():
            if not self.unread.isdisjoint(needs):
                cost -= _UNREAD_BITS
            if text not in found or found[text].cost > cost:
                found[text] = Piece(text, level, cost, frozenset(needs) & self.locals, kinds.BOOLEAN)
        return sorted(found.values(), key=lambda piece: piece.cost)

    def likeliest(self, ways: int) -> list[Piece]:
        """Conditions to ask before every statement, each in so many ways; in a long function fewer of them.

        All of them would take longer to write down than there is time to try the first of them.
        """
        most = _MOST_EDITS // max(1, ways * len(self._places.statements))
        return self.conditions[: max(most, _LEAST_CONDITIONS)]

    @cached_property
    def values(self) -> list[Piece]:
        """What one could return, assign or pass."""
        found: dict[str, Piece] = {}

        def add(text: str, level: int, cost: float, needs: Iterable[str], kind: str | None) -> None:
            if text not in found:
                found[text] = Piece(text, level, cost, frozenset(needs) & self.locals, kind)

        for name in self.names:
            add(name, ATOM, 0.5, (name,), self.kind_of(name))
        for text, cost, kind in _PLAIN:
            add(text, FACTOR if text[0] == "-" else AWAIT, cost, (), kind)
        for fragment in self.expressions:
            assert isinstance(fragment.node, ast.expr)
            if fragment.size <= 12:
                add(
                    fragment.text,
                    fragment.level,
                    0.9 + 0.05 * fragment.size,
                    fragment.needs,
                    self._view.kind(fragment.node),
                )
        return sorted(found.values(), key=lambda piece: piece.cost)

    def _conditions(self) -> Iterator[tuple[str, int, float, Iterable[str]]]:
        for fragment in self.expressions:
            if isinstance(fragment.node, _CONDITIONS):
                yield fragment.text, fragment.level, 0.6, fragment.needs
                yield f"not ({fragment.text})", NOT, 1.2, fragment.needs
            elif isinstance(fragment.node, ast.UnaryOp) and isinstance(fragment.node.op, ast.Not):
                yield fragment.text, fragment.level, 0.6, fragment.needs
            elif isinstance(fragment.node, ast.Call | ast.Attribute) and fragment.size <= 8:
                yield fragment.text, ATOM, 1.4, fragment.needs
                yield f"not {fragment.text}", NOT, 1.3, fragment.needs
            if isinstance(fragment.node, ast.Attribute | ast.Subscript) and fragment.size <= 6:
                yield f"{fragment.text} is None", COMPARE, 1.4, fragment.needs
                yield f"{fragment.text} is not None", COMPARE, 1.4, fragment.needs
                if self._view.kind(fragment.node) in (kinds.NUMBER, None):
                    for text in ("> 0", "== 0", "< 0", "!= 0"):
                        yield f"{fragment.text} {text}", COMPARE, 1.6, fragment.needs
        yield from self._about_parts()
        yield from wishes(self._view, self.names[:_MOST_NAMES], self._places.top.parameters, self.unread)
        yield from flags(self._view)
        yield from flags_of_others(self._view, self.names[:_MOST_NAMES])
        for text, needs in islice(questions(self._stock, self.locals, self._site.name), _MOST_QUESTIONS):
            yield text, ATOM, 0.9, needs
            yield f"not {text}", NOT, 1.1, needs
        for name in self.names[:_MOST_NAMES]:
            yield from self._about(name)
        for one in self.names[:_MOST_NAMES]:
            for other in self.names[:_MOST_NAMES]:
                if one != other:
                    yield from self._about_both(one, other)

    def _about_parts(self) -> Iterator[tuple[str, int, float, Iterable[str]]]:
        """Names beside what the function reads elsewhere: `new < best[key]`, `n < len(self.items)`."""
        parts = [one for one in self.expressions if one.size <= _LARGEST_PART and _is_part(one.node)]
        for fragment in parts[:_MOST_PARTS]:
            kind = self._view.kind(fragment.node) if isinstance(fragment.node, ast.expr) else None
            for name in self.names[:_MOST_NAMES]:
                own, needs = self.kind_of(name), (name, *fragment.needs)
                if own in kinds.COLLECTIONS and kind in (own, None) and name not in fragment.needs:
                    more = _LENGTH_BITS if own == kinds.TEXT else 0.0
                    yield (
                        f"len({name}) != len({fragment.text})",
                        COMPARE,
                        (1.2 if kind else 1.5) + more,
                        needs,
                    )
                if own in kinds.COLLECTIONS and own != kinds.TEXT:
                    if not {name} & fragment.needs:
                        yield f"{fragment.text} in {name}", COMPARE, _PART_BITS, needs
                        yield f"{fragment.text} not in {name}", COMPARE, _PART_BITS, needs
                    continue
                if {name} & fragment.needs or not kinds.agree(own, kind):
                    continue
                for sign in ("<", "<=", ">", ">=", "==", "!="):
                    more = 0.0 if own == kind is not None else 0.3
                    yield f"{name} {sign} {fragment.text}", COMPARE, _PART_BITS + more, needs

    def _about(self, name: str) -> Iterator[tuple[str, int, float, Iterable[str]]]:
        kind, needs = self.kind_of(name), (name,)
        yield f"not {name}", NOT, 0.4, needs
        yield name, ATOM, 0.7, needs
        if self._view.kind_of(name) not in (kinds.NUMBER, kinds.TEXT, kinds.BOOLEAN) or can_be_none(
            self._view, name
        ):
            yield f"{name} is None", COMPARE, 0.4, needs
            yield f"{name} is not None", COMPARE, 0.6, needs
        if kind in (kinds.NUMBER, None):
            more = 0.0 if kind else 0.8
            for sign, number, cost in _ABOUT_NUMBERS:
                yield f"{name} {sign} {number}", COMPARE, cost + more, needs
        if kind in kinds.COLLECTIONS or kind is None:
            more = _LENGTH_BITS if kind == kinds.TEXT else 0.0 if kind else 0.8
            for text, cost in (
                ("== 0", 0.9),
                ("== 1", 1.0),
                ("< 2", 1.2),
                ("<= 1", 1.1),
                ("> 1", 1.2),
                ("> 0", 1.3),
            ):
                yield f"len({name}) {text}", COMPARE, cost + more, needs
        if kind in (kinds.TEXT, None):
            for method in ("isdigit", "isalpha", "isalnum", "isspace", "isupper"):
                yield f"{name}.{method}()", ATOM, 1.4 if kind else 2.0, needs
        for typed, cost in (("str", 1.6), ("int", 1.6), ("list", 1.8), ("dict", 1.8), ("bool", 1.8)):
            yield f"isinstance({name}, {typed})", ATOM, cost, needs
            yield f"not isinstance({name}, {typed})", NOT, cost, needs

    def _about_both(self, one: str, other: str) -> Iterator[tuple[str, int, float, Iterable[str]]]:
        first, second, needs = self.kind_of(one), self.kind_of(other), (one, other)
        if kinds.agree(self._view.kind_of(one), self._view.kind_of(other)):
            known = first == second and first is not None
            if one < other:
                yield f"{one} == {other}", COMPARE, 1.0 if known else 1.5, needs
                yield f"{one} != {other}", COMPARE, 1.2 if known else 1.7, needs
            if first == kinds.NUMBER == second or first is None or second is None:
                more = 0.0 if first == second == kinds.NUMBER else 1.0
                for sign in ("<", "<="):
                    yield f"{one} {sign} {other}", COMPARE, 1.0 + more, needs
        if one < other and first == second and first in kinds.COLLECTIONS:
            more = _LENGTH_BITS if first == kinds.TEXT else 0.0
            for sign in ("==", "!="):
                yield f"len({one}) {sign} len({other})", COMPARE, 1.4 + more, needs
        if second in kinds.COLLECTIONS and (second != kinds.TEXT or first in (kinds.TEXT, None)):
            # That a text is part of another one is asked less often than whether it is the same.
            cost = 1.3 if second == kinds.TEXT else 0.9
            yield f"{one} in {other}", COMPARE, cost, needs
            yield f"{one} not in {other}", COMPARE, cost, needs
            if first == kinds.NUMBER:
                for sign in ("<", ">=", "=="):
                    yield f"{one} {sign} len({other})", COMPARE, 1.3, needs


def in_scope(needs: Iterable[str], names: Iterable[str], stock: Stock, own: frozenset[str]) -> bool:
    """Whether all names of code from elsewhere mean something here."""
    visible = frozenset(names)
    return all(
        name in visible or (name not in own and (name in stock.globals or name in BUILTINS)) for name in needs
    )


def names_in(view: View, node: ast.AST) -> frozenset[str]:
    """Names that a piece of code is about; not that of the object it belongs to."""
    key = ("names in", id(node))
    found = view.memory.get(key)
    if found is None:
        found = view.memory[key] = frozenset(
            one.id for one in ast.walk(node) if isinstance(one, ast.Name) and one.id not in ("self", "cls")
        )
    assert isinstance(found, frozenset)
    return found


def _is_part(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    if isinstance(node, ast.Subscript):
        return not isinstance(node.slice, ast.Slice)
    return isinstance(node, ast.Attribute)


_NO_INGREDIENT = (
    ast.Constant
    | ast.Name
    | ast.Starred
    | ast.Slice
    | ast.Yield
    | ast.YieldFrom
    | ast.Await
    | ast.NamedExpr
    | ast.JoinedStr
)
_PLAIN = (
    ("None", 0.5, kinds.NONE), ("0", 0.5, kinds.NUMBER), ("False", 0.5, kinds.BOOLEAN),
    ("True", 0.5, kinds.BOOLEAN),
    ("[]", 0.5, "list"), ('""', 0.6, kinds.TEXT), ("1", 0.6, kinds.NUMBER), ("{}", 0.8, "dict"),
    ("-1", 0.8, kinds.NUMBER),
    ("()", 1.0, "tuple"), ("set()", 1.0, "set"), ("0.0", 1.0, kinds.NUMBER), ("[[]]", 1.1, "list"),
)  # fmt: skip
_ABOUT_NUMBERS = (
    ("==", "0", 0.7), ("<", "0", 0.7), ("<=", "0", 0.8), (">", "0", 0.8), ("==", "1", 0.9), ("<=",
    "1", 0.9), ("<", "1", 1.1),
    ("!=", "0", 1.1), (">=", "0", 1.1), ("<", "2", 1.1), (">", "1", 1.2), ("==", "2", 1.6), ("==",
    "-1", 1.4),
)  # fmt: skip
