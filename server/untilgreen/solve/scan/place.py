"""Where one stands in a tree while looking at it: in which function, and what names mean there."""

from __future__ import annotations

import ast

from untilgreen.rules import Rule
from untilgreen.solve.scan.given import given_names, is_temporary, mentions, temporary_names
from untilgreen.solve.scan.names import Function, Names, parameters
from untilgreen.solve.scan.sign import Sign


class Place:
    """Moves with the visitor, and takes note of signs."""

    def __init__(self, tree: ast.Module) -> None:
        self.names = Names(tree)
        self.found: list[Sign] = []
        self._path: list[str] = []
        self._shadows: frozenset[str] = frozenset()
        self._temporary = temporary_names(tree, self.names, frozenset())
        self._given = self._temporary
        self.may_exit = False
        """In what runs as a program, to exit is how to end."""

    @property
    def where(self) -> str:
        return ".".join(self._path)

    def resolve(self, node: ast.AST) -> str | None:
        return self.names.resolve(node, self._shadows)

    def is_temporary(self, node: ast.AST) -> bool:
        return mentions(node, self._temporary) or is_temporary(node, self.names)

    def is_given(self, node: ast.AST) -> bool:
        """The caller chose it, or it is temporary."""
        return mentions(node, self._given) or is_temporary(node, self.names)

    def enter_class(self, name: str) -> Place:
        inner = self._copy()
        inner._path = [*self._path, name]
        return inner

    def enter_function(self, node: Function) -> Place:
        inner = self._copy()
        name = "" if isinstance(node, ast.Lambda) else node.name
        inner._path = [*self._path, name] if name else self._path
        inner._shadows = self._shadows | parameters(node)
        inner._given = given_names(node, self.names, self._given)
        inner._temporary = temporary_names(node, self.names, self._temporary)
        inner.may_exit = self.may_exit or name.strip("_") == "main"
        return inner

    def enter_main(self) -> Place:
        inner = self._copy()
        inner.may_exit = True
        return inner

    def add(self, rule: Rule, what: str, node: ast.AST, key: str = "") -> None:
        self.found.append(self.sign(rule, what, node, key))

    def sign(self, rule: Rule, what: str, node: ast.AST, key: str = "") -> Sign:
        line = getattr(node, "lineno", 1)
        return Sign(rule, what, line, getattr(node, "end_lineno", None) or line, self.where, key)

    def _copy(self) -> Place:
        # All places of a tree share what was found and what names mean.
        inner = object.__new__(Place)
        inner.names, inner.found, inner._path = self.names, self.found, self._path
        inner._shadows, inner._given, inner._temporary = self._shadows, self._given, self._temporary
        inner.may_exit = self.may_exit
        return inner
