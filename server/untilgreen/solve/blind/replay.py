"""Calls that tests make, made again where nothing of a test runner is loaded: do they end alike? Pure.

What a test calls with nothing but literals can be called anywhere. One more test of a blind run does so, has
a plain process do the same, and tells all of it. Whoever answers tests otherwise than its users tells two
things. Whoever depends on chance, on what fixtures prepare or on what was called before does so on the user's
own code as well, or from one call to the next, and is left out.
"""

from __future__ import annotations

import ast
import functools
import inspect
import posixpath
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from untilgreen.solve.blind import calling
from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.outline import Outline, parse_id
from untilgreen.solve.blind.sites import Function
from untilgreen.solve.parsing import parsed
from untilgreen.trees import tree_of
from untilgreen_sandbox.report import Report

MOST_CALLS = 12
LONGEST = 200
_RUNNERS = frozenset(
    (
        *("pytest", "_pytest", "unittest", "doctest", "hypothesis", "mock", "nose", "conftest", "threading"),
        *("multiprocessing", "subprocess", "asyncio", "random", "time", "socket", "tempfile", "sys", "os"),
    )
)
"""What comes from there is no answer of the code, or never the same twice."""
_PLAIN_BUILTINS = frozenset(
    (
        *("len", "sorted", "list", "dict", "set", "tuple", "str", "int", "float", "repr", "sum", "min"),
        *("max", "abs", "round", "bool", "any", "all", "zip", "range", "enumerate", "frozenset", "bytes"),
    )
)
_PLAIN_END = """\
import sys
given, sys.path[:] = eval(sys.argv.pop()), eval(sys.argv.pop())
told = [ended(imports, call) for imports, call in given]
sys.stdout.write("\\n%r\\n" % told)
"""
_NOT_ALONE = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Starred, ast.JoinedStr)
_INNER = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, *_NOT_ALONE)


@dataclass(frozen=True, slots=True)
class Replay:
    """One more test of a blind run."""

    id: str
    path: str
    content: bytes
    calls: tuple[str, ...]
    given: tuple[tuple[str, str], ...] = ()
    """Each call with the imports that it needs."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How one call ended, in a test process and in a plain one; empty when it does not end twice alike."""

    here: str
    there: str

    @property
    def differs(self) -> bool:
        return bool(self.here and self.there) and self.here != self.there

    @property
    def fails_there(self) -> bool:
        return self.there.startswith("raises") and not self.here.startswith("raises")


def make_replay(ids: Iterable[str], sources: Mapping[str, bytes], seed: int) -> Replay | None:
    """Of tests of one folder, whose texts these are; None when they call nothing that could be repeated."""
    asked: dict[str, list[str]] = {}
    place = ""
    trees = {path: tree for path, source in sources.items() if (tree := parsed(source)) is not None}
    outlines = {path: Outline(tree) for path, tree in trees.items() if path.endswith(".py")}
    for test_id in ids:
        test = parse_id(test_id)
        outline = outlines.get(test.path)
        if outline is None or (place and posixpath.dirname(test.path) != place):
            continue
        found = outline.find(test)
        calls = list(_calls(found[0], outline.tree)) if found is not None else []
        for imports, call in calls:
            place = posixpath.dirname(test.path)
            if call not in asked.setdefault(imports, []):
                asked[imports].append(call)
    some = [(imports, call) for imports, calls in asked.items() for call in calls][:MOST_CALLS]
    if not some:
        return None
    names = Names(random.Random(f"{seed} replay"))
    path, name = posixpath.join(place, f"test_0{names.word()}.py"), names.test("test_replay", 0)
    content = text_of(tuple(some), name)
    return Replay(f"{path}::{name}", path, content.encode(), tuple(call for _, call in some), tuple(some))


def text_of(given: tuple[tuple[str, str], ...], name: str, *, near: bool = False) -> str:
    """Without descriptions, annotations and what is there for the host; of the two tests one is kept."""
    tree = _plain_tree()
    functions = [node for node in tree.body if isinstance(node, Function)]
    program = "\n".join((*map(ast.unparse, functions[:2]), _PLAIN_END))
    lines = []
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id="GIVEN")):
                lines.append(f"GIVEN = {list(given)!r}")
            case ast.Assign(targets=[ast.Name(id="PROGRAM")]):
                lines.append(f"PROGRAM = {program!r}")
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                lines.append(f"{ast.unparse(target)} = {ast.unparse(value)}")
            case ast.ImportFrom() | ast.Expr():
                pass
            case ast.FunctionDef(name="test_name" | "test_near_name" as kept) if near == (
                kept == "test_name"
            ):
                pass
            case _:
                lines.append(ast.unparse(node))
    return "\n".join(lines).replace("test_near_name" if near else "test_name", name)


@functools.cache
def _plain_tree() -> ast.Module:
    tree = tree_of(inspect.getsource(calling))
    for node in ast.walk(tree):
        if isinstance(node, Function):
            node.body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            node.returns = None
            for argument in node.args.args:
                argument.annotation = None
    return tree


def answers_in(report: Report, replay: Replay) -> tuple[Answer, ...]:
    """What was told; nothing when it was not told as it should be."""
    case = report.case(replay.id)
    if case is None or case.failure is None:
        return ()
    try:
        told = ast.literal_eval(case.failure.message[case.failure.message.index("[") :])
        answers = tuple(Answer(str(here)[:LONGEST], str(there)[:LONGEST]) for here, there in told)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()
    return answers if len(answers) == len(replay.calls) else ()


def tells_two_things(replay: Replay, now: tuple[Answer, ...], before: tuple[Answer, ...]) -> str:
    """The first call that ends otherwise in a test than elsewhere, in words; before is of the user's code."""
    for n, (call, answer) in enumerate(zip(replay.calls, now, strict=False)):
        own = before[n] if before else Answer("", "")
        # What fails elsewhere may need what tests prepare, unless it worked there before, or fails as before.
        known = bool(own.here) and (not own.there.startswith("raises") or own.there == answer.there)
        if answer.differs and not own.differs and (known or not answer.fails_there):
            return f"{call} is {answer.here} in a test and {answer.there} in a plain process"
    return ""


def _calls(function: Function, tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The imports that each needs, and the call."""
    imported = dict(_imported(tree))
    given = {argument.arg for argument in (*function.args.posonlyargs, *function.args.args)} - {"self"}
    rows = [dict(row) for row in _rows(function)]
    known = set(rows[0]) if rows else set()
    if given - known or function.args.kwonlyargs:
        return
    for call in _outermost(function, imported.keys() | known):
        used = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
        lines = "\n".join(sorted({imported[name] for name in used & imported.keys()}))
        for row in rows if used & known else [{}]:
            text = ast.unparse(_Filled(row).visit(tree_of(ast.unparse(call), "eval")))
            if lines and len(text) <= LONGEST:
                yield lines, text


def _outermost(function: Function, known: set[str]) -> Iterator[ast.Call]:
    """Calls that need nothing but what is known, without those inside of them."""
    own = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    free = (known - own) | _PLAIN_BUILTINS
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.Call) and _is_alone(node, free):
            yield node
        elif not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)


def _is_alone(call: ast.Call, free: set[str]) -> bool:
    nodes = list(ast.walk(call))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names <= free and not any(isinstance(node, _INNER) for node in nodes)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Name → the line that imports it, without what belongs to runners."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "") == "__future__"):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
                if module.split(".")[0] not in _RUNNERS and alias.name != "*":
                    line = (
                        ast.Import([alias])
                        if isinstance(node, ast.Import)
                        else ast.ImportFrom(module, [alias], 0)
                    )
                    yield (alias.asname or alias.name).split(".")[0], ast.unparse(line)


def _rows(function: Function) -> Iterator[list[tuple[str, ast.expr]]]:
    """What the only `parametrize` of a test gives it, where that is written down."""
    marks = [one for one in function.decorator_list if "parametrize" in ast.unparse(one)]
    match marks:
        case [ast.Call(args=[ast.Constant(value=str(names)), ast.List(elts=rows) | ast.Tuple(elts=rows)])]:
            words = [word.strip() for word in names.split(",")]
            for row in rows:
                values = row.elts if len(words) > 1 and isinstance(row, ast.Tuple | ast.List) else [row]
                if len(values) == len(words):
                    yield list(zip(words, values, strict=True))


class _Filled(ast.NodeTransformer):
    """Puts what a name stands for in its place."""

    def __init__(self, row: Mapping[str, ast.expr]) -> None:
        self._row = row

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._row.get(node.id, node)
