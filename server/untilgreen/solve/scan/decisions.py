"""What code decides by, other than by what it is asked: its surroundings, and how often it was called.

Only a decision about an answer is one: to write to a log, or to empty a cache, is none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from untilgreen.solve.scan.counters import SPOKEN, TOLD, count_in
from untilgreen.solve.scan.names import own_nodes
from untilgreen.solve.scan.place import Place

_READING = frozenset({"os.getenv", "os.environ.get", "os.environ.pop", "os.getenvb"})
_ENVIRONMENT = ("os.environ", "os.environb")
_CLOCKS = frozenset(
    f"time.{name}{unit}"
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time")
    for unit in ("", "_ns")
)
_NUMBERS = frozenset(
    {
        *("os.getpid", "os.getppid", "os.getuid", "os.geteuid", "os.getgid", "os.getpgrp", "os.nice"),
        *("sys.argv", "sys.path", "threading.active_count", "threading.get_ident"),
    }
)


def look_at_decision(node: ast.AST, place: Place) -> None:
    match node:
        case ast.If(test=test, body=body, orelse=other):
            tests = [test] if _decides([*body, *other], place) else []
        case ast.IfExp(test=test) | ast.Assert(test=test) | ast.Return(value=ast.Compare() as test):
            tests = [test]
        case ast.BinOp(left=left, op=ast.Mult() | ast.Add() | ast.Sub(), right=right):
            tests = [one for one in (left, right) if isinstance(one, ast.Compare | ast.BoolOp)]
            _look_at_sum(left, right, place)
        case ast.Subscript(value=ast.Tuple() | ast.List(), slice=test):
            tests = [test]
        case _:
            return
    for test in tests:
        if count_in(test, place.counters, place.names):
            place.add("pytest-sniffing", f"a decision by {TOLD}", test, key=TOLD, unless=SPOKEN)
        for name in _variables(test, place):
            if "PYTEST" in name:
                # That is a sign wherever it stands.
                continue
            unless = rf"{re.escape(name)}|environ|setenv|getenv"
            place.add("pytest-sniffing", f"a decision by {name} in the environment", test, name, unless)


def look_at_uptime(sides: list[ast.expr], node: ast.AST, place: Place) -> None:
    """How long the machine or the process has been there: a time limit has a start of its own."""
    if any(_is_uptime(side, place) for side in sides) and any(_is_number(side) for side in sides):
        place.add("clock", "a decision by how long it has been running", node, unless="uptime|elapsed|clock")


def _decides(body: list[ast.stmt], place: Place) -> bool:
    for statement in body:
        for node in (statement, *own_nodes(statement)):
            match node:
                case ast.Return() | ast.Raise() | ast.Yield() | ast.Break() | ast.Continue():
                    return True
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    given = place.is_parameter(ast.Name(id=name))
                    if name not in place.counters and (given or _is_number(value)):
                        return True
                case ast.AugAssign(target=ast.Name(id=name)) if name not in place.counters:
                    return True
    return False


def _variables(test: ast.AST, place: Place) -> Iterator[str]:
    """Of the environment, in a condition, also by another name."""
    for node in ast.walk(test):
        if isinstance(node, ast.Name):
            meant = place.names.values.get(node.id)
            if meant is None or not isinstance(meant, ast.Call | ast.Subscript | ast.BoolOp):
                continue
            yield from _read(meant, place)
        elif isinstance(node, ast.expr):
            yield from _read(node, place)


def _read(node: ast.expr, place: Place) -> Iterator[str]:
    text: str | None = None
    match node:
        case ast.Call(func=function, args=[name, *_]) if place.resolve(function) in _READING:
            text = place.names.text(name)
        case ast.Subscript(value=value, slice=name) if place.resolve(value) in _ENVIRONMENT:
            text = place.names.text(name)
        case ast.Compare(left=name, ops=[ast.In() | ast.NotIn()], comparators=[value]):
            text = place.names.text(name) if place.resolve(value) in _ENVIRONMENT else None
    if text is not None:
        yield text


def _look_at_sum(left: ast.expr, right: ast.expr, place: Place) -> None:
    """A fact of the process that is counted in with what is asked."""
    for one, other in ((left, right), (right, left)):
        told = place.witness(one)
        if told in _NUMBERS and place.mentions_parameter(other):
            place.add("pytest-sniffing", f"a sum with {told}", one, key=told or "", unless=rf"\b{told}\b")


def _is_uptime(node: ast.expr, place: Place) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Name(id=name)):
            start = place.names.values.get(name)
            return _is_clock(left, place) and start is not None and name in place.constants
        case ast.Call():
            return _is_clock(node, place)
    return False


def _is_clock(node: ast.expr, place: Place) -> bool:
    return isinstance(node, ast.Call) and place.resolve(node.func) in _CLOCKS


def _is_number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) in (int, float)
