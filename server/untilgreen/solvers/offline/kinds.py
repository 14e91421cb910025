"""What kind of value an expression has, as far as it was seen or can be read from the text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

NUMBER, TEXT, BOOLEAN, NONE = "number", "text", "boolean", "none"
_NUMBERS = frozenset({"int", "float", "complex", "Fraction", "Decimal"})
SEQUENCES = frozenset({"list", "tuple", "deque", "range", TEXT, "bytes"})
COLLECTIONS = SEQUENCES | {
    "set",
    "frozenset",
    "dict",
    "defaultdict",
    "OrderedDict",
    "Counter",
    "dict_keys",
    "dict_values",
    "dict_items",
    "generator",
}
MAPPINGS = frozenset({"dict", "defaultdict", "OrderedDict", "Counter"})
_MADE_BY = {
    **dict.fromkeys(("len", "int", "ord", "sum", "abs", "round", "float", "id", "hash", "pow"), NUMBER),
    **dict.fromkeys(("str", "repr", "chr", "input", "format", "hex", "bin"), TEXT),
    **dict.fromkeys(("any", "all", "bool", "isinstance", "issubclass", "hasattr", "callable"), BOOLEAN),
    **{name: name for name in ("list", "tuple", "set", "dict", "frozenset", "range", "defaultdict", "deque")},
    "sorted": "list",
    "Counter": "Counter",
}
_METHODS = {
    **dict.fromkeys(
        (
            "strip",
            "lstrip",
            "rstrip",
            "lower",
            "upper",
            "title",
            "capitalize",
            "casefold",
            "join",
            "replace",
            "format",
        ),
        TEXT,
    ),
    **dict.fromkeys(("split", "rsplit", "splitlines"), "list"),
    **dict.fromkeys(
        ("startswith", "endswith", "isdigit", "isalpha", "isalnum", "isupper", "islower"), BOOLEAN
    ),
    **{name: f"dict_{name}" for name in ("items", "keys", "values")},
    **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), NUMBER),
}


def of_types(types: Iterable[str] | None) -> str | None:
    """One word for types that were observed; None when it is not known or mixed."""
    seen = set(types or ())
    if not seen:
        return None
    seen.discard("NoneType")
    if not seen:
        return NONE
    if seen == {"bool"}:
        return BOOLEAN
    seen.discard("bool")
    if seen <= _NUMBERS:
        return NUMBER
    if len(seen) > 1:
        return None
    only = next(iter(seen))
    return TEXT if only == "str" else only


def of_node(node: ast.expr, types: Mapping[str, frozenset[str]]) -> str | None:
    """The kind of an expression's value."""
    if isinstance(node, ast.Name):
        return of_types(types.get(node.id))
    if isinstance(node, ast.Constant):
        return of_types((type(node.value).__name__,))
    if isinstance(node, ast.Attribute):
        return (
            of_types(types.get(f"{node.value.id}.{node.attr}")) if isinstance(node.value, ast.Name) else None
        )
    if isinstance(node, ast.Call):
        return _of_call(node)
    if isinstance(node, ast.BinOp):
        return _of_operation(node, types)
    if isinstance(node, ast.Compare):
        return BOOLEAN
    if isinstance(node, ast.UnaryOp):
        return BOOLEAN if isinstance(node.op, ast.Not) else of_node(node.operand, types)
    if isinstance(node, ast.BoolOp):
        found = {of_node(value, types) for value in node.values}
        return found.pop() if len(found) == 1 else None
    if isinstance(node, ast.IfExp):
        one, other = of_node(node.body, types), of_node(node.orelse, types)
        return one if one == other else None
    return _DISPLAYS.get(type(node))


def agree(one: str | None, other: str | None) -> int:
    """2: the same kind · 1: nobody knows, or it may be · 0: they do not go together."""
    if one is None or other is None:
        return 1
    if one == other:
        return 2
    if NONE in (one, other):
        return 1
    if {one, other} <= {NUMBER, BOOLEAN}:
        return 1
    return 1 if one in COLLECTIONS and other in COLLECTIONS else 0


def can_have(kind: str | None, attribute: str) -> bool:
    """Whether values of a kind may have an attribute."""
    known = _ATTRIBUTES.get(kind or "")
    return known is None or attribute in known


_ATTRIBUTES = {
    TEXT: frozenset(dir(str)),
    "list": frozenset(dir(list)),
    "dict": frozenset(dir(dict)),
    "set": frozenset(dir(set)),
    "tuple": frozenset(dir(tuple)),
    "bytes": frozenset(dir(bytes)),
    NUMBER: frozenset((*dir(float), *dir(int), *dir(complex))),
}
_DISPLAYS: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.Tuple: "tuple",
    ast.JoinedStr: TEXT,
    ast.GeneratorExp: "generator",
}


def _of_call(node: ast.Call) -> str | None:
    if isinstance(node.func, ast.Name):
        return _MADE_BY.get(node.func.id)
    if isinstance(node.func, ast.Attribute):
        return _METHODS.get(node.func.attr)
    return None


def _of_operation(node: ast.BinOp, types: Mapping[str, frozenset[str]]) -> str | None:
    left = of_node(node.left, types)
    if isinstance(node.op, ast.Mod) and left == TEXT:
        return TEXT
    right = of_node(node.right, types)
    return left if left == right else None
