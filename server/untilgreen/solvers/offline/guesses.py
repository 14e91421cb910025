"""What kind of value a name has, guessed from how it is written. Never used to rule anything out."""

from __future__ import annotations

import ast
import itertools

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.site import Function

_ANNOTATED = {
    "int": kinds.NUMBER,
    "float": kinds.NUMBER,
    "str": kinds.TEXT,
    "bool": kinds.BOOLEAN,
    "list": "list",
    "List": "list",
    "Sequence": "list",
    "dict": "dict",
    "Dict": "dict",
    "Mapping": "dict",
    "set": "set",
    "Set": "set",
    "tuple": "tuple",
    "Tuple": "tuple",
}
_BY_METHOD = {
    **dict.fromkeys(("append", "extend", "insert", "sort", "reverse"), "list"),
    **dict.fromkeys(("add", "discard"), "set"),
    **dict.fromkeys(("items", "keys", "values", "setdefault"), "dict"),
    **dict.fromkeys(
        ("strip", "lower", "upper", "split", "startswith", "endswith", "isdigit", "join"), kinds.TEXT
    ),
}


def guess(node: Function | ast.Module) -> dict[str, str]:
    """Each name of a function with its likeliest kind."""
    votes: dict[str, dict[str, int]] = {}

    def vote(name: str, kind: str | None, weight: int = 1) -> None:
        if kind is not None:
            counted = votes.setdefault(name, {})
            counted[kind] = counted.get(kind, 0) + weight

    for part in ast.walk(node):
        if isinstance(part, ast.arg) and part.annotation is not None:
            vote(part.arg, _annotated(part.annotation), 5)
        elif isinstance(part, ast.Assign):
            kind = kinds.of_node(part.value, {})
            for target in part.targets:
                if isinstance(target, ast.Name):
                    vote(target.id, kind, 3)
        elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            vote(part.target.id, kinds.of_node(part.value, {}))
        elif isinstance(part, ast.For | ast.comprehension):
            _loop(part, vote)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if isinstance(part.func.value, ast.Name):
                vote(part.func.value.id, _BY_METHOD.get(part.func.attr), 2)
        elif isinstance(part, ast.BinOp | ast.Compare):
            _operands(part, vote)
        elif isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Name):
            vote(part.slice.id, kinds.NUMBER)
        elif isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name):
            vote(part.value.id, "list" if not isinstance(part.slice, ast.Constant) else _by_key(part.slice))
    return {name: max(counted, key=lambda kind: counted[kind]) for name, counted in votes.items()}


def _loop(part: ast.For | ast.comprehension, vote: object) -> None:
    assert callable(vote)
    called = part.iter.func if isinstance(part.iter, ast.Call) else None
    name = called.id if isinstance(called, ast.Name) else ""
    if name == "range" and isinstance(part.target, ast.Name):
        vote(part.target.id, kinds.NUMBER, 3)
    elif (
        name == "enumerate"
        and isinstance(part.target, ast.Tuple)
        and isinstance(part.target.elts[0], ast.Name)
    ):
        vote(part.target.elts[0].id, kinds.NUMBER, 3)
    elif isinstance(part.iter, ast.Name):
        vote(part.iter.id, "list")


def _operands(part: ast.BinOp | ast.Compare, vote: object) -> None:
    assert callable(vote)
    if isinstance(part, ast.BinOp):
        pairs = [(part.left, part.right), (part.right, part.left)]
        if isinstance(part.op, ast.Sub | ast.FloorDiv | ast.Div | ast.Pow | ast.Mult):
            for operand, _ in pairs:
                if isinstance(operand, ast.Name):
                    vote(operand.id, kinds.NUMBER)
    else:
        operands = [part.left, *part.comparators]
        pairs = [*itertools.pairwise(operands), *zip(operands[1:], operands, strict=False)]
    for operand, other in pairs:
        kind = kinds.of_node(other, {})
        if isinstance(operand, ast.Name) and kind in (kinds.NUMBER, kinds.TEXT):
            vote(operand.id, kind)


def _annotated(annotation: ast.expr) -> str | None:
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    if isinstance(annotation, ast.BinOp):
        return _annotated(annotation.left)
    return _ANNOTATED.get(annotation.id) if isinstance(annotation, ast.Name) else None


def _by_key(key: ast.Constant) -> str | None:
    return "dict" if isinstance(key.value, str) else None
