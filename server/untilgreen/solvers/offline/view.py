"""One site as templates see it: what stands where, what is known about it, and the pen that writes edits."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterable
from typing import Concatenate, ParamSpec, TypeVar, cast

from untilgreen.solvers.offline import kinds, precedence
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.facts import Facts
from untilgreen.solvers.offline.ingredients import Ingredients
from untilgreen.solvers.offline.places import Place, Places, Statement
from untilgreen.solvers.offline.precedence import ATOM, FACTOR, NAMED, TUPLE
from untilgreen.solvers.offline.site import Site

_GAP = re.compile(r"#[^\r\n]*|[\s()\\]+|(is\s+not\b|not\s+in\b|\w+|[^\s\w()#\\]+)")
_SHOWN = 60


P = ParamSpec("P")
T = TypeVar("T")


class View:
    """Made once for a site and what is known about it."""

    def __init__(self, site: Site, facts: Facts, ingredients: Ingredients) -> None:
        self.site = site
        self.facts = facts
        self.ingredients = ingredients
        self.source = site.text
        self.layout = site.layout
        self.places = Places(site.node, site.stands)
        self._spans: dict[int, tuple[int, int]] = {}
        self._texts: dict[int, str] = {}
        self._levels: dict[int, int] = {}
        self._kinds: dict[int, str | None] = {}
        self._outer: dict[int, tuple[int, int] | None] = {}
        self.told: dict[tuple[int, int, str], int] = {}
        """Edits that were made, each with its tier."""
        self.memory: dict[object, object] = {}
        """What was found out `once`."""

    # What stands where

    def span(self, node: ast.expr) -> tuple[int, int]:
        found = self._spans.get(id(node))
        if found is None:
            found = self._spans[id(node)] = self.site.offsets.span(node)
        return found

    def text(self, node: ast.expr) -> str:
        """The node as it is written, without parentheses around it."""
        found = self._texts.get(id(node))
        if found is None:
            start, end = self.span(node)
            found = self._texts[id(node)] = self.source[start:end]
        return found

    def level(self, node: ast.expr) -> int:
        """How tightly the node's text binds."""
        found = self._levels.get(id(node))
        if found is None:
            found = precedence.own(node)
            if isinstance(node, ast.Tuple) and not self._is_enclosed(node):
                found = TUPLE
            elif isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex):
                found = ATOM if isinstance(node.value, bool) else FACTOR + 2
            self._levels[id(node)] = found
        return found

    def part(self, node: ast.expr, asked: int) -> str:
        """The node's text, in parentheses where it would not hold together."""
        text = self.text(node)
        if self.level(node) < asked or ("\n" in text and not holds_together(text)):
            return f"({text})"
        return text

    def operator(self, left: ast.expr, right: ast.expr) -> tuple[int, int]:
        """Where the operator between two expressions stands."""
        end = self.span(right)[0]
        for found in _GAP.finditer(self.source, self.span(left)[1], end):
            if found.group(1):
                return found.span(1)
        raise AssertionError("there is an operator between two operands")

    def names(self, place: Place) -> tuple[str, ...]:
        """Local names that can have a value here."""
        statement = place.statement
        if place.scope is statement.scope:
            return self.names_at(statement)
        return place.scope.visible(statement.position, statement.in_loop)

    def names_at(self, statement: Statement) -> tuple[str, ...]:
        if statement.visible is None:
            statement.visible = statement.scope.visible(statement.position, statement.in_loop)
        return statement.visible

    @functools.cached_property
    def owner(self) -> ast.ClassDef | None:
        """The class that the site is a method of."""
        name = self.site.name.rpartition(".")[0].rpartition(".")[2]
        found = (
            one for one in ast.walk(self.site.tree) if isinstance(one, ast.ClassDef) and one.name == name
        )
        return next(found, None)

    def kind(self, node: ast.expr) -> str | None:
        key = id(node)
        if key not in self._kinds:
            self._kinds[key] = kinds.of_node(node, self.facts.types)
        return self._kinds[key]

    def kind_of(self, name: str) -> str | None:
        return kinds.of_types(self.facts.types.get(name))

    # The pen

    def replace(
        self,
        place: Place,
        text: str,
        level: int,
        template: str,
        cost: float,
        sentence: str = "",
        *,
        tier: int = 1,
        risk: float = 0.0,
    ) -> Edit:
        """Another expression in this place, in parentheses only when it needs them."""
        node = place.node
        outer = self.wrapping(place)
        if "\n" in text and not holds_together(text):
            level = NAMED
        start, end = self.span(node)
        if is_bare_generator(place):
            text = f"({text})"
        elif outer is not None and level >= place.asked:
            start, end = outer
        elif outer is None and level < place.asked:
            text = f"({text})"
        if not sentence:
            sentence = f"Use `{shown(text)}` instead of `{shown(self.text(node))}`."
        return self.splice(start, end, text, template, cost, sentence, place.line, tier=tier, risk=risk)

    def splice(
        self,
        start: int,
        end: int,
        text: str,
        template: str,
        cost: float,
        sentence: str,
        line: int,
        *,
        tier: int = 1,
        risk: float = 0.0,
    ) -> Edit:
        """Any other change; words do not grow together."""
        source = self.source
        if text:
            if start and is_word(source[start - 1]) and (is_word(text[0]) or text[0] in "\"'"):
                text = " " + text
            if end < len(source) and is_word(source[end]) and is_word(text[-1]):
                text += " "
        elif start > 0 and end < len(source) and is_word(source[start - 1]) and is_word(source[end]):
            text = " "
        return Edit(self.site.path, start, end, text, template, tier, cost, risk, sentence, line)

    def wrapping(self, place: Place) -> tuple[int, int] | None:
        """The span of parentheses that stand around an expression for its own sake."""
        key = id(place)
        if key not in self._outer:
            self._outer[key] = self._find_wrapping(place)
        return self._outer[key]

    def wrapping_of(self, node: ast.expr) -> tuple[int, int] | None:
        """The same for a node that no syntax of its parent puts into parentheses."""
        return self.around(*self.span(node))

    def _find_wrapping(self, place: Place) -> tuple[int, int] | None:
        start, end = self.span(place.node)
        parent = place.parent
        owned = isinstance(parent, ast.Call | ast.ClassDef) and place.field in ("args", "bases")
        if is_bare_generator(place):
            return None
        around = self.around(start, end)
        if around is not None and owned and self.around(*around) is None:
            return None
        return around

    def around(self, start: int, end: int) -> tuple[int, int] | None:
        source = self.source
        before = start - 1
        while before >= 0 and source[before] in " \t\r\n\f":
            before -= 1
        if before < 0 or source[before] != "(":
            return None
        after = end
        while after < len(source) and source[after] in " \t\r\n\f":
            after += 1
        return (before, after + 1) if source.startswith(")", after) else None

    def _is_enclosed(self, node: ast.Tuple) -> bool:
        """Whether the tuple's parentheses are its own: `(a), b` has none."""
        text = self.text(node)
        if not text.startswith("("):
            return False
        if not node.elts:
            return True
        start = self.span(node)[0]
        first, end = self.span(node.elts[0])
        opened = self.source.count("(", start, first)
        closed = 0
        while end < len(self.source) and self.source[end] in ") \t\r\n\f":
            closed += self.source[end] == ")"
            end += 1
        return opened > closed


def once(make: Callable[Concatenate[View, P], T]) -> Callable[Concatenate[View, P], T]:
    """For a question about a view whose answer it keeps; what is asked besides has to be hashable."""

    @functools.wraps(make)
    def ask(view: View, /, *given: P.args, **named: P.kwargs) -> T:
        key = (make, given)
        if key not in view.memory:
            view.memory[key] = make(view, *given, **named)
        return cast(T, view.memory[key])

    return ask


def is_bare_generator(place: Place) -> bool:
    """`f(x for x in y)`: the call's parentheses are the generator's."""
    parent = place.parent
    if (
        not isinstance(place.node, ast.GeneratorExp)
        or not isinstance(parent, ast.Call)
        or place.field != "args"
    ):
        return False
    return place.node.end_lineno == parent.end_lineno and place.node.end_col_offset == parent.end_col_offset


def is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def shown(text: str) -> str:
    """For a sentence: one line, and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def holds_together(text: str) -> bool:
    """Whether all line ends of an expression are inside of its brackets or strings."""
    depth = 0
    position = 0
    while position < len(text):
        char = text[position]
        if char in "\"'":
            position = _end_of_string(text, position)
            continue
        if char == "#":
            while position < len(text) and text[position] not in "\r\n":
                position += 1
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char in "\r\n" and depth <= 0 and not text[:position].endswith("\\"):
            return False
        position += 1
    return True


def _end_of_string(text: str, start: int) -> int:
    quote = text[start]
    mark = quote * 3 if text.startswith(quote * 3, start) else quote
    position = start + len(mark)
    while position < len(text) and not text.startswith(mark, position):
        position += 2 if text[position] == "\\" else 1
    return position + len(mark)


def clean(names: Iterable[str]) -> list[str]:
    """Names that a person would put somewhere."""
    return [name for name in names if name not in ("self", "cls", "_") and not name.startswith("__")]
