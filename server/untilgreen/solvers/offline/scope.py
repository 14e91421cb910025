"""Which names exist where."""

from __future__ import annotations

import ast

Position = tuple[int, int]
FROM_THE_START: Position = (0, 0)


class Scope:
    """A function, lambda, comprehension, class body or module, with the names it binds."""

    __slots__ = ("first", "kind", "node", "outer", "parameters")

    def __init__(self, kind: str, node: ast.AST, outer: Scope | None) -> None:
        self.kind = kind
        """`function`, `lambda`, `comprehension`, `class` or `module`."""
        self.node = node
        self.outer = outer
        self.first: dict[str, Position] = {}
        """Each name, with the place of the statement that binds it first."""
        self.parameters: list[str] = []

    def bind(self, name: str, position: Position) -> None:
        known = self.first.get(name)
        if known is None or position < known:
            self.first[name] = position

    def bind_parameters(self, arguments: ast.arguments) -> None:
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self.parameters.append(one.arg)
        self.parameters += [one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None]
        for name in self.parameters:
            self.first[name] = FROM_THE_START

    def binding(self) -> Scope:
        """Where an assignment expression in here binds its name."""
        scope = self
        while scope.kind == "comprehension" and scope.outer is not None:
            scope = scope.outer
        return scope

    def visible(self, position: Position, in_loop: bool) -> tuple[str, ...]:
        """Names that can have a value at a position, the nearest scope first."""
        found: dict[str, None] = {}
        scope: Scope | None = self
        own = True
        while scope is not None:
            if scope.kind != "class" or own:
                # What encloses a function has mostly run to its end when the function is called.
                late = not own or in_loop
                for name, first in scope.first.items():
                    if late or first < position:
                        found[name] = None
            if scope.kind in ("function", "lambda"):
                own = False
            scope = scope.outer
            if scope is not None and scope.kind == "module" and found:
                break
        return tuple(found)


def with_defaults(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that need not be given, and what they are then."""
    named = [*arguments.posonlyargs, *arguments.args]
    found = [*zip(named[len(named) - len(arguments.defaults) :], arguments.defaults, strict=True)]
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found + [(one, value) for one, value in by_name if value is not None]
