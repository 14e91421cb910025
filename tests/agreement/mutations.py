"""Small mistakes, made in the syntax tree of a module and chosen by a seed."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator

from agreement.candidate import Candidate
from agreement.project import Project

Edit = Callable[[ast.AST], bool]
"""Makes its mistake in a node, or returns False and leaves it as it is."""
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Div: ast.Mult,
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def mutated(project: Project, n: int, seed: int) -> list[Candidate]:
    """`n` candidates, each with one mistake in one of the modules."""
    chance = random.Random(f"{seed} {project.name}")
    candidates: list[Candidate] = []
    seen: set[str] = set()
    while len(candidates) < n:
        path = chance.choice(project.code)
        source = project.source(path)
        kind = chance.choice([*EDITS, "raise at import", "syntax error"])
        if kind == "raise at import":
            text = f"{source}\nraise RuntimeError({chance.randrange(10_000)})\n"
        elif kind == "syntax error":
            lines = source.splitlines()
            lines.insert(chance.randrange(len(lines)), "def (:")
            text = "\n".join(lines)
        else:
            text = _edited(source, EDITS[kind], chance)
        if text and text not in seen:
            seen.add(text)
            candidates.append(
                Candidate(project, f"{kind} in {path} ({len(candidates)})", {path: text.encode()})
            )
    return candidates


def _edited(source: str, edit: Edit, chance: random.Random) -> str:
    tree = ast.parse(source)
    nodes = list(_nodes(tree))
    chance.shuffle(nodes)
    if not any(edit(node) for node in nodes):
        return ""
    return ast.unparse(ast.fix_missing_locations(tree))


def _nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """Of what functions do; a mistake elsewhere would mostly be one at import."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from ast.walk(function)


def _operator(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS:
        node.op = OPERATORS[type(node.op)]()
        return True
    return False


def _comparison(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        node.ops[0] = COMPARISONS[type(node.ops[0])]()
        return True
    return False


def _off_by_one(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        node.value += 1
        return True
    return False


def _constant(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bool):
        node.value = (not node.value) if isinstance(node.value, bool) else node.value + "x"
        return True
    return False


def _removed(node: ast.AST) -> bool:
    body = getattr(node, "body", None)
    if not isinstance(body, list) or isinstance(body[0], ast.Pass):
        return False
    # The last one: what came before it was needed only for it.
    body[-1] = ast.Pass()
    return True


def _swapped(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and len(node.args) > 1:
        node.args[0], node.args[1] = node.args[1], node.args[0]
        return True
    return False


def _returned(node: ast.AST) -> bool:
    if isinstance(node, ast.Return) and node.value is not None:
        node.value = ast.Constant(None)
        return True
    return False


def _condition(node: ast.AST) -> bool:
    if isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return True
    return False


EDITS: dict[str, Edit] = {
    "another operator": _operator,
    "another comparison": _comparison,
    "off by one": _off_by_one,
    "another constant": _constant,
    "a removed statement": _removed,
    "swapped arguments": _swapped,
    "a wrong return": _returned,
    "a condition turned around": _condition,
}
