"""Names that a function binds and never reads, or reads and never fills: what does may be missing. Pure."""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from untilgreen.solvers.offline.site import Function, parse


def unused(node: Function | ast.Module) -> frozenset[str]:
    """Parameters and variables; not those whose name says that nobody wants them."""
    if isinstance(node, ast.Module):
        return frozenset()
    bound: set[str] = set()
    read: Counter[str] = Counter()
    # What the language hands over has to be taken, wanted or not: `__exit__(self, kind, error, trace)`.
    is_asked = not (node.name.startswith("__") and node.name.endswith("__")) or node.name == "__init__"
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            bound |= {part.arg} if is_asked else set()
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            bound.add(part.id)
        elif isinstance(part, ast.Name):
            read[part.id] += 1
        elif isinstance(part, ast.Global | ast.Nonlocal):
            read.update(part.names)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "locals":
            return frozenset()
    # What a function only hands on to itself is read by nobody.
    read -= Counter(_handed_on(node))
    # A name that is both is written on: `n += 1` alone does not read it for anybody.
    return frozenset(
        name for name in bound - read.keys() if not name.startswith("_") and name not in ("self", "cls")
    )


def _handed_on(node: Function) -> Iterator[str]:
    """Parameters that are arguments of a call of the function itself, each as often as it is one."""
    own = {one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            called = part.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            given = (*part.args, *(keyword.value for keyword in part.keywords)) if name == node.name else ()
            yield from (one.id for one in given if isinstance(one, ast.Name) and one.id in own)


def overwritten(node: ast.AST) -> int:
    """How many values are replaced by the very next statement, before anybody could read them."""
    found = 0
    for part in ast.walk(node):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(part, field, ())
            for one, other in itertools.pairwise(block) if isinstance(block, list) else ():
                if isinstance(one, ast.Assign) and isinstance(other, ast.Assign):
                    found += ast.dump(one.targets[0]) == ast.dump(other.targets[0]) and not _reads(
                        other.value, one.targets[0]
                    )
    return found


def _reads(value: ast.expr, target: ast.expr) -> bool:
    text = ast.unparse(target)
    return any(isinstance(one, type(target)) and ast.unparse(one) == text for one in ast.walk(value))


@lru_cache(maxsize=64)
def unfilled(node: Function | ast.Module) -> frozenset[str]:
    """Containers that are made empty and looked at, and that nothing ever puts anything into."""
    if isinstance(node, ast.Module):
        return frozenset()
    empty: set[str] = set()
    other: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Assign | ast.AnnAssign) and part.value is not None:
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            (empty if _is_empty(part.value) else other).update(names)
            # Another name for it may be the one that is filled.
            other |= _named(part.value)
        elif isinstance(part, ast.AugAssign | ast.Subscript) and not isinstance(
            getattr(part, "ctx", None), ast.Load
        ):
            other |= _named(part.target if isinstance(part, ast.AugAssign) else part.value)
        elif isinstance(part, ast.Call):
            if isinstance(part.func, ast.Attribute) and part.func.attr not in _TAKING:
                other |= _named(part.func.value)
            if not (isinstance(part.func, ast.Name) and part.func.id in _LOOKING):
                for argument in (*part.args, *(keyword.value for keyword in part.keywords)):
                    other |= _named(argument)
    return frozenset(empty - other)


_TAKING = frozenset(
    {"pop", "popleft", "remove", "discard", "clear", "get", "keys", "values", "items", "index"}
)
_LOOKING = frozenset(
    {"len", "sorted", "any", "all", "sum", "min", "max", "list", "tuple", "set", "enumerate"}
)


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    makers = ("list", "set", "dict", "deque", "defaultdict", "Counter", "OrderedDict")
    named = value.func if isinstance(value, ast.Call) else None
    name = named.id if isinstance(named, ast.Name) else getattr(named, "attr", "")
    return name in makers and isinstance(value, ast.Call) and (not value.args or name == "defaultdict")


def _named(node: ast.expr) -> set[str]:
    return {node.id} if isinstance(node, ast.Name) else set()


@lru_cache(maxsize=64)
def made_idle(before: Function | ast.Module, source: str) -> int:
    """How many names and values of a function nobody reads once its text is this, and somebody did before."""
    after = _function(source)
    if after is None:
        return 0
    more = overwritten(after) - overwritten(before) if isinstance(before, Function) else 0
    return len(unused(after) - unused(before)) + max(0, more)


_NAME = re.compile(r"[A-Za-z_]\w{2,}")


def orphaned(text: str, start: int, end: int, new: str) -> int:
    """How many names of the file, made once and read once, nobody reads when this text stands there."""
    gone = set(_NAME.findall(text, start, end)) - set(_NAME.findall(new))
    return sum(_is_read_once(text, name) for name in gone)


@lru_cache(maxsize=1024)
def _is_read_once(text: str, name: str) -> bool:
    made = re.search(
        rf"^(?:(?:async )?def {name}\b|class {name}\b|{name}(?:: [^\n=]+)? = )", text, re.MULTILINE
    )
    return made is not None and len(re.findall(rf"\b{name}\b", text)) == 2


def _function(source: str) -> Function | None:
    """Of its text, however it is indented; None when it cannot be parsed."""
    indented = source[:1] in (" ", "\t")
    tree = parse(f"if True:\n{source}" if indented else source)
    if tree is None or not tree.body:
        return None
    found = tree.body[0].body[0] if indented and isinstance(tree.body[0], ast.If) else tree.body[0]
    return found if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) else None


def mentions(names: frozenset[str]) -> re.Pattern[str] | None:
    """Finds any of these names in a text; None when there are none."""
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names)))})\b") if names else None
