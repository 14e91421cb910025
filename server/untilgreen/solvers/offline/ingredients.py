"""What a repair may be made of: code that stands elsewhere in the file and in the project."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from untilgreen.solvers.offline import precedence
from untilgreen.solvers.offline.offsets import Offsets
from untilgreen.solvers.offline.precedence import ATOM, AWAIT, TUPLE
from untilgreen.solvers.offline.site import Function, Site, parse

BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_LARGEST_EXPRESSION = 16
_LARGEST_STATEMENT = 40
_SIMPLE = ast.Assign | ast.AugAssign | ast.Expr | ast.Return | ast.Raise | ast.Delete | ast.Assert
_LEAVING = ast.Return | ast.Raise | ast.Continue | ast.Break | ast.Assign


@dataclass(frozen=True, slots=True)
class Fragment:
    """An expression or statement that exists somewhere."""

    text: str
    """On one line, but for an `if` with its one statement, which is on two."""
    level: int
    """How tightly an expression binds."""
    size: int
    """How many nodes it has."""
    needs: frozenset[str]
    """The names it reads."""
    node: ast.expr | ast.stmt
    times: int = 1
    """How often it was seen."""


class Stock:
    """All that one file offers."""

    def __init__(self, path: str, text: str, tree: ast.Module, offsets: Offsets | None = None) -> None:
        self.path = path
        self._text = text
        self.tree = tree
        self._offsets = offsets or Offsets(text)

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def read(self) -> frozenset[str]:
        """What anything in the file looks at: names, and attributes with a dot before them."""
        looks = [one for one in self._nodes if isinstance(one, ast.Name | ast.Attribute)]
        looks = [one for one in looks if isinstance(one.ctx, ast.Load)]
        return frozenset("." * isinstance(one, ast.Attribute) + last_name(one) for one in looks)

    @cached_property
    def globals(self) -> dict[str, ast.stmt]:
        """Names of the module, each with the statement that binds it."""
        found: dict[str, ast.stmt] = {}
        waiting: list[ast.stmt] = list(self.tree.body)
        for node in waiting:
            if isinstance(node, Function | ast.ClassDef):
                found.setdefault(node.name, node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    found.setdefault((alias.asname or alias.name).partition(".")[0], node)
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                for part in ast.walk(node):
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                        found.setdefault(part.id, node)
            else:
                for field in ("body", "orelse", "finalbody"):
                    waiting += [one for one in getattr(node, field, ()) if isinstance(one, ast.stmt)]
                for handler in getattr(node, "handlers", ()):
                    waiting += handler.body
        found.pop("*", None)
        return found

    @cached_property
    def functions(self) -> dict[str, list[Function]]:
        """Functions and methods by their last name."""
        found: dict[str, list[Function]] = {}
        for node in self._nodes:
            if isinstance(node, Function):
                found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def attributes(self) -> Counter[str]:
        """Names behind a dot, and names of methods."""
        found = Counter(node.attr for node in self._nodes if isinstance(node, ast.Attribute))
        for node in self._nodes:
            if isinstance(node, ast.ClassDef):
                found.update(one.name for one in node.body if isinstance(one, Function))
        return found

    @cached_property
    def attributes_behind(self) -> dict[str, Counter[str]]:
        """What stands behind a dot, by the text before it."""
        found: dict[str, Counter[str]] = {}
        for node in self._nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                found.setdefault(self.text(node.value), Counter())[node.attr] += 1
        return found

    def members(self, name: str) -> dict[str, bool]:
        """Attributes of a class by its qualified name, each with whether it is a method."""
        return self._members.get(name.rpartition(".")[2], {})

    @cached_property
    def _members(self) -> dict[str, dict[str, bool]]:
        found: dict[str, dict[str, bool]] = {}
        for node in self._nodes:
            if isinstance(node, ast.ClassDef):
                members = found.setdefault(node.name, {})
                for part in ast.walk(node):
                    if (
                        isinstance(part, ast.Attribute)
                        and isinstance(part.value, ast.Name)
                        and part.value.id == "self"
                    ):
                        members.setdefault(part.attr, False)
                    elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                        members.setdefault(part.target.id, False)
                for one in node.body:
                    if isinstance(one, Function):
                        members[one.name] = not one.decorator_list
                    elif isinstance(one, ast.Assign):
                        members.update({one.id: False for one in one.targets if isinstance(one, ast.Name)})
        return found

    @cached_property
    def strings(self) -> Counter[str]:
        return Counter(
            node.value
            for node in self._nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= 60
        )

    @cached_property
    def numbers(self) -> Counter[int | float]:
        return Counter(
            node.value
            for node in self._nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, int | float)
            and not isinstance(node.value, bool)
        )

    @cached_property
    def updated(self) -> frozenset[str]:
        """Last names of what `+=` and its like change somewhere."""
        return frozenset(last_name(node.target) for node in self._nodes if isinstance(node, ast.AugAssign))

    @cached_property
    def keywords(self) -> dict[str, dict[str, dict[str, ast.expr]]]:
        """What calls of a function say by keyword: its last name, the keyword, the value's text."""
        found: dict[str, dict[str, dict[str, ast.expr]]] = {}
        for node in self._nodes:
            if isinstance(node, ast.Call):
                for keyword in node.keywords:
                    if keyword.arg is not None:
                        values = found.setdefault(last_name(node.func), {}).setdefault(keyword.arg, {})
                        values.setdefault(ast.unparse(keyword.value), keyword.value)
        return found

    @cached_property
    def expressions(self) -> list[Fragment]:
        """Small expressions that are more than a name or a constant, the most frequent first."""
        found: dict[str, Fragment] = {}
        times: Counter[str] = Counter()
        for node in _expressions(self.tree):
            fragment = self.fragment(node)
            if fragment is not None:
                found.setdefault(fragment.text, fragment)
                times[fragment.text] += 1
        return [found[text] for text, _ in times.most_common()]

    @cached_property
    def statements(self) -> list[Fragment]:
        """Small statements, and `if`s that hold one."""
        found: dict[str, Fragment] = {}
        for node in self._nodes:
            if isinstance(node, ast.stmt):
                fragment = self.statement(node)
                if fragment is not None:
                    found.setdefault(fragment.text, fragment)
        return list(found.values())

    def fragment(self, node: ast.expr, largest: int = _LARGEST_EXPRESSION) -> Fragment | None:
        size, needs = measure(node)
        if size > largest:
            return None
        text, level = self.text(node), precedence.own(node)
        if isinstance(node, ast.Tuple) and not text.startswith("("):
            level = TUPLE
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex):
            level = AWAIT if text[0].isdigit() else ATOM
        return Fragment(text, level, size, needs, node)

    def statement(self, node: ast.stmt) -> Fragment | None:
        is_guard = isinstance(node, ast.If) and not node.orelse and len(node.body) == 1
        if isinstance(node, ast.If) and is_guard and isinstance(node.body[0], _LEAVING):
            size, needs = measure(node)
            if size > _LARGEST_STATEMENT:
                return None
            text = f"if {self.text(node.test)}:\n{self.text(node.body[0])}"
            return Fragment(text, TUPLE, size, needs, node)
        if not isinstance(node, _SIMPLE):
            return None
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return None
        size, needs = measure(node)
        return Fragment(self.text(node), TUPLE, size, needs, node) if size <= _LARGEST_STATEMENT else None

    def text(self, node: ast.expr | ast.stmt) -> str:
        """As it is written when that is one line, else as one line."""
        start, end = self._offsets.span(node)
        text = self._text[start:end]
        return ast.unparse(node) if "\n" in text or "\r" in text else text


class Ingredients:
    """Of all files of a project; each is read when it is first asked for."""

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self._files = dict(files or {})
        self._stocks: dict[str, Stock | None] = {}

    def of(self, site: Site) -> Stock:
        """What the site's own file offers."""
        stock = self._stocks.get(site.path)
        if stock is None or stock.tree is not site.tree:
            stock = self._stocks[site.path] = Stock(site.path, site.text, site.tree, site.offsets)
        return stock

    def says(self, word: str, path: str) -> bool:
        """Whether another file has this text in it; none is parsed for it."""
        return any(word in text for other, text in self._files.items() if other != path)

    def elsewhere(self, path: str, word: str = "") -> Iterator[Stock]:
        """What other files offer, or those of them that have this text in them."""
        for other, text in ((one, text) for one, text in self._files.items() if one != path and word in text):
            if other not in self._stocks:
                tree = parse(text)
                self._stocks[other] = None if tree is None else Stock(other, text, tree)
            stock = self._stocks[other]
            if stock is not None:
                yield stock


NO_INGREDIENTS = Ingredients()


def measure(node: ast.AST) -> tuple[int, frozenset[str]]:
    """How many nodes, and which names must have a value for it."""
    size = 0
    reads: set[str] = set()
    binds: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            (reads if isinstance(part.ctx, ast.Load) else binds).add(part.id)
        elif isinstance(part, ast.arg):
            binds.add(part.arg)
        elif isinstance(part, ast.expr_context | ast.operator | ast.cmpop | ast.boolop | ast.unaryop):
            continue
        size += 1
    if isinstance(node, ast.stmt):
        return size, frozenset(reads)
    return size, frozenset(reads - binds)


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _expressions(tree: ast.AST) -> Iterator[ast.expr]:
    """In order; nothing of what is inside formatted strings, annotations and targets."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr | ast.pattern | ast.arg):
            continue
        if isinstance(node, ast.expr) and not isinstance(
            node,
            ast.Constant
            | ast.Name
            | ast.Starred
            | ast.Slice
            | ast.Yield
            | ast.YieldFrom
            | ast.Await
            | ast.NamedExpr,
        ):
            if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
                continue
            if not (isinstance(node, ast.Tuple) and any(isinstance(one, ast.Slice) for one in node.elts)):
                yield node
        waiting += reversed(
            [child for field, child in _children(node) if field not in ("annotation", "returns")]
        )


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield field, value
        elif isinstance(value, list):
            for one in value:
                if isinstance(one, ast.AST):
                    yield field, one
