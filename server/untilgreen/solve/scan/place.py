"""Where one stands in a tree while looking at it: in which function, and what names mean there."""

from __future__ import annotations

import ast

from untilgreen.rules import Rule
from untilgreen.solve.scan.counters import counter_names
from untilgreen.solve.scan.given import (
    given_names,
    is_own_folder,
    is_temporary,
    mentions,
    own_folder_names,
    path_names,
    reaches,
    temporary_names,
    witness_in,
    witness_names,
)
from untilgreen.solve.scan.names import Function, Names, Shadows, own_nodes, parameters
from untilgreen.solve.scan.sign import Sign

_ENTRIES = frozenset({"main", "cli", "run_cli", "entry_point"})


class Place:
    """Moves with the visitor, and takes note of signs."""

    def __init__(self, tree: ast.Module, names: Names) -> None:
        self.names = names
        self.found: list[Sign] = []
        self._path: list[str] = []
        self._shadows: Shadows = {}
        self._temporary = temporary_names(tree, self.names, frozenset())
        self._given = self._temporary
        self._witnesses = witness_names(tree, self.names, {})
        self._own_folder = own_folder_names(tree, self.names, frozenset())
        self._paths = path_names(tree, self.names, frozenset())
        self.counters = counter_names(tree, names)
        self.constants = frozenset(
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        )
        """Names that are given a value when the module is imported."""
        self.may_exit = False
        """In what runs as a program, to exit is how to end."""
        self.in_class = False
        self.retries = False
        """Something is tried again here, or waited for, turn by turn."""
        self.own_warnings = False
        """What is done to warnings here is undone afterwards."""

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

    def is_parameter(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self._shadows

    def mentions_parameter(self, node: ast.AST) -> bool:
        return mentions(node, frozenset(self._shadows))

    def is_path(self, node: ast.AST) -> bool:
        """A pathlib.Path, as far as one can see."""
        return mentions(node, self._paths) or reaches(node, self.names, "pathlib.")

    def is_own_folder(self, node: ast.AST) -> bool:
        """Where the code itself lies, or where it is run: its tests are there, too."""
        return is_own_folder(node, self.names, self._own_folder)

    def witness(self, node: ast.AST) -> str | None:
        """By what of its surroundings something is decided here."""
        return witness_in(node, self.names, self._witnesses)

    def enter_class(self, name: str) -> Place:
        inner = self._copy()
        inner._path, inner.in_class = [*self._path, name], True
        return inner

    def enter_function(self, node: Function) -> Place:
        inner = self._copy()
        name = "" if isinstance(node, ast.Lambda) else node.name
        inner._path = [*self._path, name] if name else self._path
        inner.in_class = inner.retries = inner.own_warnings = False
        inner._shadows = {**self._shadows, **self._parameters(node)}
        inner._given = given_names(node, self.names, self._given)
        inner._temporary = temporary_names(node, self.names, self._temporary)
        inner._witnesses = witness_names(node, self.names, self._witnesses)
        inner._own_folder = own_folder_names(node, self.names, self._own_folder)
        inner._paths = path_names(node, self.names, self._paths)
        inner.may_exit = self.may_exit or name.strip("_") in _ENTRIES
        return inner

    def _parameters(self, node: Function) -> Shadows:
        """What a caller gives is unknown; a default that nobody overrides is not."""
        plain = [*node.args.posonlyargs, *node.args.args]
        named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        defaults = [*zip(reversed(plain), reversed(node.args.defaults), strict=False), *named]
        known = {one.arg: self.resolve(value) for one, value in defaults if value is not None}
        return {**dict.fromkeys(parameters(node)), **known}

    def enter_block(self, node: ast.For | ast.While | ast.AsyncFor | ast.With) -> Place:
        inner = self._copy()
        if isinstance(node, ast.With):
            inner.own_warnings |= reaches(node.items[0].context_expr, self.names, "warnings.catch_warnings")
        else:
            inner.retries |= isinstance(node, ast.While) or any(
                isinstance(one, ast.Try) for one in own_nodes(node)
            )
        return inner

    def enter_main(self) -> Place:
        inner = self._copy()
        inner.may_exit = True
        return inner

    def add(self, rule: Rule, what: str, node: ast.AST, key: str = "", unless: str = "") -> None:
        self.found.append(self.sign(rule, what, node, key, unless))

    def sign(self, rule: Rule, what: str, node: ast.AST, key: str = "", unless: str = "") -> Sign:
        # A part of a comprehension has no line of its own.
        line: int = getattr(node, "lineno", 0) or getattr(getattr(node, "iter", None), "lineno", 1)
        end: int = getattr(node, "end_lineno", 0) or line
        return Sign(rule, what, line, end, self.where, key, unless)

    def _copy(self) -> Place:
        # All places of a tree share what was found and what names mean.
        inner = object.__new__(Place)
        inner.names, inner.found, inner._path = self.names, self.found, self._path
        inner._shadows, inner._given, inner._temporary = self._shadows, self._given, self._temporary
        inner._witnesses, inner._own_folder = self._witnesses, self._own_folder
        inner._paths, inner.may_exit, inner.in_class = self._paths, self.may_exit, self.in_class
        inner.retries, inner.own_warnings = self.retries, self.own_warnings
        inner.counters, inner.constants = self.counters, self.constants
        return inner
