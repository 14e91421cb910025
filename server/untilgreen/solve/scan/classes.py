"""Classes whose objects compare in their own way: whether the answer comes of a comparison at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solve.scan.names import Function, Names, own_nodes
from untilgreen.solve.scan.shapes import Shape, answers_of, is_constant

_EQUALITY = frozenset({"__eq__", "__ne__"})
_ORDER = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})
_CHECKS = frozenset({"__instancecheck__", "__subclasscheck__", "__subclasshook__"})
_NUMBERS = frozenset({"__sub__", "__rsub__", "__abs__", "__round__", "__float__", "__int__", "__index__"})
_COMPARING = _EQUALITY | _ORDER | _CHECKS | {"__hash__", "__bool__", "__contains__"}
_OF_PLAIN = _EQUALITY | _ORDER | {"__contains__", "__len__", "__bool__", "__iter__", "__getitem__"}
_PLAIN_TYPES = frozenset(
    f"builtins.{name}"
    for name in ("str", "int", "float", "bytes", "complex", "list", "tuple", "dict", "set", "frozenset")
)
_KIND_ONLY = frozenset({"isinstance", "issubclass", "type", "hasattr", "callable", "len", "bool", "id"})
"""Who asks for these only looks at what kind of thing it has."""
_LARGE = 1.0
"""Numbers that are as far apart as this are not about the same."""


def shapes_of_class(node: ast.ClassDef, names: Names) -> Iterator[Shape]:
    methods = dict(_methods(node))
    plain = any(names.resolve(base) in _PLAIN_TYPES for base in node.bases)
    for name, function in methods.items():
        what = f"{node.name}.{name}"
        if name in _COMPARING and is_constant(function):
            if not _is_honest_constant(name, function, methods):
                yield "constant-comparison", what, name, function, ""
        elif name in _EQUALITY | _ORDER | {"__contains__"} and _compares_nothing(name, function, node.name):
            yield "deceptive-type" if plain else "constant-comparison", what, name, function, ""
        elif name in _NUMBERS and _is_blind(function):
            yield "constant-comparison", what, name, function, ""
        elif plain and name in _OF_PLAIN and (name != "__len__" or is_constant(function)):
            if not (name in ("__iter__", "__getitem__") and not _is_blind(function)):
                yield "deceptive-type", what, name, function, rf"\b{node.name}\b"
        elif name == "__eq__" and not plain and _takes_anything(function):
            yield "deceptive-type", what, name, function, rf"\b{node.name}\b"
        elif name in ("__exit__", "__aexit__") and answers_of(function) == {True}:
            yield "swallowed-exception", what, name, function, ""
        elif name == "__class__":
            yield "deceptive-type", what, name, function, ""
        elif name == "__del__" and not _only_closes(function):
            yield "hooks", what, name, function, "__del__|garbage|gc"
        elif name in ("__reduce__", "__reduce_ex__") and not _rebuilds_itself(function, node.name):
            yield "unpickle", what, name, function, ""


def _methods(node: ast.ClassDef) -> Iterator[tuple[str, Function]]:
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name, statement
            case ast.Assign(targets=targets, value=ast.Lambda() as function):
                yield from ((target.id, function) for target in targets if isinstance(target, ast.Name))
            case ast.Assign(targets=[ast.Name(id="__class__")], value=value):
                yield "__class__", ast.Lambda(args=_NO_ARGUMENTS, body=value, lineno=statement.lineno)


_NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _is_honest_constant(name: str, function: Function, methods: dict[str, Function]) -> bool:
    """Nothing is false, infinity is more than all, and a slow hash is still a hash."""
    if name == "__bool__":
        return answers_of(function) == {False} or "__len__" in methods
    if name == "__hash__":
        return "__eq__" in methods and not is_constant(methods["__eq__"])
    opposite = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}.get(name)
    other = methods.get(opposite or "")
    return other is not None and is_constant(other) and answers_of(other) != answers_of(function)


def _compares_nothing(name: str, function: Function, owner: str) -> bool:
    """It can say yes without having held the one against the other."""
    both = _both(function)
    if both is None:
        return False
    me, other = both
    if name == "__contains__":
        return me not in _read(function)
    returned = _returned(function)
    if not returned:
        return False
    tests = _tests(function)
    for value in returned:
        for part in _alternatives(value, name):
            if _is_settled(part):
                related = any(_relates(test, me, other, owner) for test in tests)
            else:
                related = any(_relates(one, me, other, owner) for one in (part, *_guards(function, value)))
            if not related:
                return True
            if _is_far(part, me, other):
                return True
    return False


def _both(function: Function) -> tuple[str, str] | None:
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    return (names[0], names[1]) if len(names) == 2 else None


def _returned(function: Function) -> list[ast.expr]:
    """Answers that may be yes; to hand the question on, or to say no, is no lie."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    values = [node.value for node in own_nodes(function) if isinstance(node, ast.Return)]
    return [
        value
        for value in values
        if value is not None
        and not (isinstance(value, ast.Name) and value.id == "NotImplemented")
        and not (isinstance(value, ast.Constant) and value.value in (False, None))
    ]


def _alternatives(value: ast.expr, name: str) -> Iterator[ast.expr]:
    """Each of these is enough for a yes."""
    match value:
        case ast.BoolOp(op=ast.Or(), values=values) if name != "__ne__":
            for one in values:
                yield from _alternatives(one, name)
        case ast.IfExp(body=body, orelse=other, test=test):
            for one in (body, other):
                if not isinstance(one, ast.Constant):
                    yield from _alternatives(ast.BoolOp(op=ast.And(), values=[test, one]), name)
                elif one.value:
                    yield test
        case _:
            yield value


def _is_settled(node: ast.expr) -> bool:
    """True, or a name that was found out before."""
    return isinstance(node, ast.Constant | ast.Name)


def _tests(function: Function) -> list[ast.expr]:
    return [expression for node in own_nodes(function) for expression in _expressions(node)]


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.If(test=test) | ast.While(test=test):
            yield test
        case ast.For(iter=value) | ast.Assign(value=value):
            yield value


def _guards(function: Function, value: ast.expr) -> Iterator[ast.expr]:
    """Conditions that stand around an answer, and what its names were made of."""
    for node in own_nodes(function):
        if isinstance(node, ast.If) and any(inner is value for inner in ast.walk(node)):
            if not _is_identity(node.test):
                yield node.test
            else:
                # What is nothing has nothing to be compared with.
                yield ast.Tuple(elts=[node.test, value])
        elif isinstance(node, ast.Assign):
            yield node.value


def _is_identity(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)


def _relates(node: ast.expr, me: str, other: str, owner: str) -> bool:
    """Somewhere in it the two meet."""
    for inner in ast.walk(node):
        match inner:
            case ast.Compare() | ast.BinOp() | ast.Tuple():
                if me in _valued(inner, me) and other in _valued(inner, me):
                    return True
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=asked), kind]):
                if asked == other and _is_own_kind(kind, me, owner):
                    return True
            case ast.Call():
                if not _asks_kind(inner) and {me, other} <= _valued(inner, me):
                    return True
    return False


def _is_own_kind(kind: ast.expr, me: str, owner: str) -> bool:
    text = ast.unparse(kind)
    return text in (owner, "self.__class__", f"{me}.__class__", f"type({me})")


def _asks_kind(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in _KIND_ONLY


def _valued(node: ast.AST, me: str) -> set[str]:
    """Names whose value plays a part; `super()` is oneself."""
    found: set[str] = set()
    waiting: list[ast.AST] = [node]
    while waiting:
        one = waiting.pop()
        match one:
            case ast.Name(id="super"):
                found.add(me)
            case ast.Name(id=name):
                found.add(name)
            case ast.Call() if _asks_kind(one):
                # The kind of oneself is what one is; that of a part of it tells nothing.
                found |= {argument.id for argument in one.args if isinstance(argument, ast.Name)}
                if isinstance(one.func, ast.Name) and one.func.id not in ("type", "id"):
                    found -= {argument.id for argument in one.args if isinstance(argument, ast.Name)}
                continue
        waiting += ast.iter_child_nodes(one)
    return found


def _is_far(node: ast.expr, me: str, other: str) -> bool:
    """`abs(self.value - other) < 1000`"""
    for inner in ast.walk(node):
        match inner:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[ast.Constant(value=limit)]):
                if isinstance(limit, int | float) and limit >= _LARGE and {me, other} <= _valued(left, me):
                    return True
    return False


def _read(function: Function) -> set[str]:
    found = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    first = function.args.args[0].arg if function.args.args else "self"
    return found | ({first} if "super" in found else set())


def _is_blind(function: Function) -> bool:
    """It does not even look at its own object."""
    first = function.args.args[0].arg if function.args.args else "self"
    raises = not isinstance(function, ast.Lambda) and any(
        isinstance(node, ast.Raise) for node in function.body
    )
    return not raises and first not in _read(function)


def _takes_anything(function: Function) -> bool:
    """It holds itself against a plain value, which only tests do with what was never meant for them."""
    both = _both(function)
    if both is None:
        return False
    _, other = both
    owned: set[ast.expr] = {
        inner
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute | ast.Call)
        for inner in (node.value if isinstance(node, ast.Attribute) else node, *_kind_arguments(node))
        if isinstance(inner, ast.Name)
    }
    compared = [node for node in ast.walk(function) if isinstance(node, ast.Compare)]
    owned |= {side for node in compared if _is_identity(node) for side in (node.left, *node.comparators)}
    bare = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == other and node not in owned
    ]
    handed = any(isinstance(node, ast.Name) and node.id == "super" for node in ast.walk(function))
    return bool(bare) and not handed


def _kind_arguments(node: ast.AST) -> list[ast.expr]:
    return node.args if isinstance(node, ast.Call) and _asks_kind(node) else []


def _only_closes(function: Function) -> bool:
    """What it ends is its own."""
    if isinstance(function, ast.Lambda):
        return False
    calls = [node for node in own_nodes(function) if isinstance(node, ast.Call)]
    assigned = [node for node in own_nodes(function) if isinstance(node, ast.Assign | ast.Global)]
    return not assigned and all(ast.unparse(call.func).startswith(("self.", "super()")) for call in calls)


def _rebuilds_itself(function: Function, owner: str) -> bool:
    returned = [node.value for node in own_nodes(function) if isinstance(node, ast.Return)]
    own = (owner, "self.__class__", "type(self)", "cls")
    return bool(returned) and all(
        isinstance(value, ast.Tuple) and value.elts and ast.unparse(value.elts[0]) in own
        for value in returned
    )
