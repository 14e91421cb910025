"""All expressions and statements of a site, each with what is around it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from untilgreen.solvers.offline import precedence
from untilgreen.solvers.offline.scope import Position, Scope
from untilgreen.solvers.offline.site import Function

Loop = ast.For | ast.AsyncFor | ast.While
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Statement:
    """One statement in its block."""

    __slots__ = (
        "block",
        "field",
        "function",
        "in_loop",
        "index",
        "node",
        "outer",
        "position",
        "scope",
        "visible",
    )

    def __init__(
        self,
        node: ast.stmt,
        outer: Statement | None,
        block: Sequence[ast.stmt],
        field: str,
        index: int,
        scope: Scope,
        in_loop: bool,
        function: Function | None,
    ) -> None:
        self.node = node
        self.outer = outer
        """The statement whose block this is in."""
        self.block = block
        self.field = field
        self.index = index
        self.scope = scope
        self.in_loop = in_loop
        """`break` and `continue` may stand here."""
        self.function = function
        """The innermost function, if this is in one."""
        self.position: Position = (node.lineno, node.col_offset)
        self.visible: tuple[str, ...] | None = None


class Place:
    """One expression, and what it is to the node that holds it."""

    __slots__ = (
        "asked",
        "field",
        "in_text",
        "index",
        "is_target",
        "line",
        "node",
        "parent",
        "scope",
        "statement",
    )

    def __init__(
        self,
        node: ast.expr,
        parent: ast.AST,
        field: str,
        index: int | None,
        scope: Scope,
        statement: Statement,
        asked: int,
    ) -> None:
        self.node = node
        self.parent = parent
        self.field = field
        self.index = index
        self.scope = scope
        self.statement = statement
        self.asked = asked
        """How tightly an expression must bind to stand here without parentheses."""
        self.line = node.lineno
        self.in_text = False
        """Whether it is a part of a formatted string, where not everything may be written."""
        self.is_target = not isinstance(getattr(node, "ctx", None), ast.Load | None)


class Places:
    """Walks a site once."""

    def __init__(
        self, node: Function | ast.Module, stands: Callable[[ast.expr], bool] = lambda _: False
    ) -> None:
        self._stands = stands
        """Whether a part of a formatted string is where the parser says."""
        self.expressions: list[Place] = []
        self.statements: list[Statement] = []
        self.comprehensions: list[tuple[ast.comprehension, Place]] = []
        self.scopes: list[Scope] = []
        self._is_module = isinstance(node, ast.Module)
        self.module = self._scope("module", node, None)
        if isinstance(node, ast.Module):
            self._block(node.body, "body", None, self.module, False, None)
        else:
            scope = self._scope("function", node, self.module)
            scope.bind_parameters(node.args)
            self._block(node.body, "body", None, scope, False, node)
        self.top = self.statements[0].scope if self.statements else self.module

    def _scope(self, kind: str, node: ast.AST, outer: Scope | None) -> Scope:
        scope = Scope(kind, node, outer)
        self.scopes.append(scope)
        return scope

    def _block(
        self,
        body: list[ast.stmt],
        field: str,
        outer: Statement | None,
        scope: Scope,
        in_loop: bool,
        function: Function | None,
    ) -> None:
        for index, node in enumerate(body):
            statement = Statement(node, outer, body, field, index, scope, in_loop, function)
            self.statements.append(statement)
            if not (index == 0 and is_text(node)):
                self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        node, scope = statement.node, statement.scope
        if isinstance(node, Function):
            scope.bind(node.name, statement.position)
            self._function(node, statement)
        elif isinstance(node, ast.ClassDef):
            scope.bind(node.name, statement.position)
            for field in ("decorator_list", "bases"):
                self._list(getattr(node, field), node, field, scope, statement)
            for keyword in node.keywords:
                self._expression(keyword.value, keyword, "value", None, scope, statement)
            inner = self._scope("class", node, scope)
            self._block(node.body, "body", statement, inner, False, statement.function)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    continue
                scope.bind((alias.asname or alias.name).partition(".")[0], statement.position)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                scope.bind(name, statement.position)
        else:
            self._fields(node, statement)

    def _fields(self, node: ast.stmt, statement: Statement) -> None:
        scope = statement.scope
        for field in node._fields:
            value = getattr(node, field)
            if isinstance(value, ast.expr):
                if field != "annotation":
                    self._expression(value, node, field, None, scope, statement)
            elif not isinstance(value, list) or not value:
                continue
            elif isinstance(value[0], ast.stmt):
                loops = statement.in_loop or (isinstance(node, Loop) and field == "body")
                self._block(value, field, statement, scope, loops, statement.function)
            elif isinstance(value[0], ast.expr):
                self._list(value, node, field, scope, statement)
            else:
                for part in value:
                    self._part(part, statement)

    def _part(self, part: ast.AST, statement: Statement) -> None:
        """What belongs to a statement and is none: `except` clauses, `with` items, cases."""
        scope = statement.scope
        if isinstance(part, ast.ExceptHandler):
            if part.name:
                scope.bind(part.name, statement.position)
            if part.type is not None:
                self._expression(part.type, part, "type", None, scope, statement)
            self._block(part.body, "handler", statement, scope, statement.in_loop, statement.function)
        elif isinstance(part, ast.withitem):
            self._expression(part.context_expr, part, "context_expr", None, scope, statement)
            if part.optional_vars is not None:
                self._expression(part.optional_vars, part, "optional_vars", None, scope, statement)
        elif isinstance(part, ast.match_case):
            for node in ast.walk(part.pattern):
                name = getattr(node, "name", None) or getattr(node, "rest", None)
                if isinstance(name, str):
                    scope.bind(name, statement.position)
            if part.guard is not None:
                self._expression(part.guard, part, "guard", None, scope, statement)
            self._block(part.body, "case", statement, scope, statement.in_loop, statement.function)

    def _function(self, node: Function, statement: Statement) -> None:
        scope = statement.scope
        self._list(node.decorator_list, node, "decorator_list", scope, statement)
        self._defaults(node.args, scope, statement)
        if self._is_module:
            return  # Its body is another site.
        inner = self._scope("function", node, scope)
        inner.bind_parameters(node.args)
        self._block(node.body, "body", statement, inner, False, node)

    def _defaults(self, arguments: ast.arguments, scope: Scope, statement: Statement) -> None:
        self._list(arguments.defaults, arguments, "defaults", scope, statement)
        self._list(arguments.kw_defaults, arguments, "kw_defaults", scope, statement)

    def _list(
        self,
        nodes: Sequence[ast.expr | None],
        parent: ast.AST,
        field: str,
        scope: Scope,
        statement: Statement,
    ) -> None:
        for index, node in enumerate(nodes):
            if node is not None:
                self._expression(node, parent, field, index, scope, statement)

    def _expression(
        self,
        node: ast.expr,
        parent: ast.AST,
        field: str,
        index: int | None,
        scope: Scope,
        statement: Statement,
    ) -> None:
        if field == "slice" and isinstance(node, ast.Tuple) and not _is_expression(node):
            self._children(node, scope, statement)
            return
        place = Place(node, parent, field, index, scope, statement, precedence.asked(parent, field))
        self.expressions.append(place)
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                scope.bind(node.id, statement.position)
        elif isinstance(node, ast.JoinedStr):
            for part in node.values:
                # Before Python 3.12 the parser only guesses where the parts of a formatted string are.
                if isinstance(part, ast.FormattedValue) and self._stands(part.value):
                    first = len(self.expressions)
                    self._expression(part.value, part, "value", None, scope, statement)
                    for field_place in self.expressions[first:]:
                        field_place.in_text = True
        elif isinstance(node, Comprehension):
            self._comprehension(node, place)
        elif isinstance(node, ast.Lambda):
            self._defaults(node.args, scope, statement)
            inner = self._scope("lambda", node, scope)
            inner.bind_parameters(node.args)
            self._expression(node.body, node, "body", None, inner, statement)
        elif isinstance(node, ast.NamedExpr):
            scope.binding().bind(node.target.id, statement.position)
            self._expression(node.value, node, "value", None, scope, statement)
        elif isinstance(node, ast.Dict):
            for number, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
                if key is not None:
                    self._expression(key, node, "keys", number, scope, statement)
                self._expression(value, node, "values" if key else "unpacked", number, scope, statement)
        else:
            self._children(node, scope, statement)

    def _children(self, node: ast.expr, scope: Scope, statement: Statement) -> None:
        for field in node._fields:
            value = getattr(node, field)
            if isinstance(value, ast.expr):
                self._expression(value, node, field, None, scope, statement)
            elif isinstance(value, list):
                for index, one in enumerate(value):
                    if isinstance(one, ast.expr):
                        self._expression(one, node, field, index, scope, statement)
                    elif isinstance(one, ast.keyword):
                        self._expression(one.value, one, "value", None, scope, statement)

    def _comprehension(self, node: Comprehension, place: Place) -> None:
        statement = place.statement
        inner = self._scope("comprehension", node, place.scope)
        for number, clause in enumerate(node.generators):
            self._expression(clause.iter, clause, "iter", None, inner if number else place.scope, statement)
            for target in ast.walk(clause.target):
                if isinstance(target, ast.Name):
                    inner.bind(target.id, (0, 0))
            self._expression(clause.target, clause, "target", None, inner, statement)
            self._list(clause.ifs, clause, "ifs", inner, statement)
            self.comprehensions.append((clause, place))
        for field in ("key", "value", "elt"):
            value = getattr(node, field, None)
            if value is not None:
                self._expression(value, node, field, None, inner, statement)


def _is_expression(node: ast.Tuple) -> bool:
    """`1:2, 3` stands in brackets only."""
    return not any(isinstance(one, ast.Slice | ast.Starred) for one in node.elts)


def is_text(node: ast.stmt) -> bool:
    """A statement that is nothing but a string, as docstrings are."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
