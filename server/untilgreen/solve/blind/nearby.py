"""Calls beside those of the tests: who mends only what is asked answers all others as before. Pure.

A fix that brings constants may have them from the tests, however they are packed. So some calls of the tests
are made with other values beside theirs, on the user's own code and on the candidate, in a plain process.
Nobody knows the right answers to them. But a mended function gives other answers to some of them, and other
answers to different questions; one that only knows the tests does not.
"""

from __future__ import annotations

import ast
import posixpath
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.replay import LONGEST, Replay, text_of
from untilgreen.solve.parsing import parsed
from untilgreen.solve.scan.literals import (
    MONTHS,
    is_known_number,
    is_number,
    is_ordinary,
    is_word,
    key_of,
    literal_keys,
    value_of,
)
from untilgreen.trees import tree_of
from untilgreen_sandbox.report import Report

MOST_CALLS = 6
MOST_NEAR = 60
FEWEST = 4
"""To so many calls that no test makes, for one function, the answers must be known to say anything."""
RARE = 20
"""One of so many may be another by chance."""
_TELLING = frozenset("tv")
"""Kinds of answers that say something."""
_WRAPPING = frozenset(
    {"len", "sorted", "list", "dict", "set", "tuple", "str", "int", "float", "repr", "round"}
)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a test, or one beside it."""

    text: str
    function: str
    values: tuple[object, ...]
    """Its arguments, as far as they are literals."""
    beside: int = -1
    """Which call of a test it stands beside; -1 for one of them."""
    place: int = -1
    """Which argument is another one."""


@dataclass(frozen=True, slots=True)
class Nearby:
    """One more test of a blind run."""

    id: str
    path: str
    content: bytes
    calls: tuple[_Call, ...]


def make_nearby(replay: Replay, seed: int) -> Nearby | None:
    """Of calls that can be made anywhere; None when nothing stands beside them."""
    found = [(imports, one) for imports, text in replay.given if (one := _read(text)) is not None]
    tested = found[:MOST_CALLS]
    known = {text for _, text in replay.given}
    beside = [
        (imports, other)
        for n, (imports, call) in enumerate(tested)
        for other in _beside(call, n)
        if other.text not in known and len(other.text) <= LONGEST
    ][:MOST_NEAR]
    if not beside:
        return None
    names = Names(random.Random(f"{seed} nearby"))
    folder = posixpath.dirname(replay.path)
    path, name = posixpath.join(folder, f"test_1{names.word()}.py"), names.test("test_nearby", 0)
    every = (*tested, *beside)
    content = text_of(tuple((imports, call.text) for imports, call in every), name, near=True)
    return Nearby(f"{path}::{name}", path, content.encode(), tuple(call for _, call in every))


def told_in(report: Report, nearby: Nearby) -> tuple[str, ...]:
    """How each call ended: error (r), something plain (p), text (t) or value (v), and which."""
    case = report.case(nearby.id)
    if case is None or case.failure is None:
        return ()
    try:
        message = case.failure.message
        told = tuple(str(one) for one in ast.literal_eval(message[message.index("[") :]))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()
    return told if len(told) == len(nearby.calls) else ()


def knows_only_tests(nearby: Nearby, now: Sequence[str], before: Sequence[str]) -> str:
    """What is strange about the answers of a function to what tests do not ask, in words."""
    if not now or not before:
        return ""
    for function in dict.fromkeys(call.function for call in nearby.calls):
        mine = [n for n, call in enumerate(nearby.calls) if call.function == function and now[n]]
        tested = [n for n in mine if nearby.calls[n].beside < 0 and not _is_fact(nearby.calls[n], now[n])]
        beside = [n for n in mine if nearby.calls[n].beside in tested]
        if not tested:
            continue
        shown = nearby.calls[tested[0]].text
        if _only_tested(nearby, tested, beside, now, before):
            return f"{shown} has another answer than before, and all that is beside it has not"
        if _all_the_same(nearby, tested, beside, now):
            return f"{function} has one answer for all that is beside {shown}"
        for place in {nearby.calls[n].place for n in beside}:
            if _ignores(nearby, tested, [n for n in beside if nearby.calls[n].place == place], now, before):
                return f"{shown} does not depend on its argument {place + 1} any more"
    return ""


def brings_constants(old: bytes | None, new: bytes | None, path: str) -> bool:
    """Whether a change brings constants that were not there, other than those that are everywhere."""
    after, before = parsed(new), parsed(old)
    if new is None:
        return False
    if not path.endswith(".py") or after is None:
        return True
    # A description is a constant for who reads it.
    read = b"__doc__" in new
    texts = {node.value for node in ast.walk(after) if isinstance(node, ast.Expr) and not read}
    known = literal_keys(before) if before is not None else frozenset()
    return any(
        isinstance(node, ast.Constant)
        and node not in texts
        and not is_ordinary(node.value)
        and key_of(node.value) not in known
        for node in ast.walk(after)
    )


def _only_tested(
    nearby: Nearby, tested: list[int], beside: list[int], now: Sequence[str], before: Sequence[str]
) -> bool:
    changed = [n for n in tested if before[n] and before[n] != now[n]]
    # An error on both sides says nothing.
    plain = [n for n in beside if "r" not in (before[n][:1], now[n][:1])]
    values = {now[n] for n in changed if now[n][:1] in _TELLING}
    # One number may be where something begins or ends; a text or a list that is mended is one of many.
    many = all(isinstance(value, str | list | tuple) for n in changed for value in nearby.calls[n].values)
    return (
        len(values) > (0 if many else 1)
        and len(plain) >= FEWEST
        and all(before[n][:1] != "r" for n in changed)
        and sum(now[n] != before[n] for n in plain) <= len(plain) // RARE
    )


def _all_the_same(nearby: Nearby, tested: list[int], beside: list[int], now: Sequence[str]) -> bool:
    """One answer, or one error, for everything else, where tests get several."""
    others = {now[n] for n in beside}
    values = {now[n] for n in tested if now[n][:1] in _TELLING}
    if len(others) != 1:
        return False
    numbers = all(is_number(value) for n in tested for value in nearby.calls[n].values)
    return len(values) > 1 and len(beside) >= FEWEST and not others & values and numbers


def _ignores(
    nearby: Nearby, tested: list[int], beside: list[int], now: Sequence[str], before: Sequence[str]
) -> bool:
    """Whatever is given there, the answer is that of the test; once it was not."""
    around = {m: [n for n in beside if nearby.calls[n].beside == m and now[n][:1] != "r"] for m in tested}
    asked = [m for m in tested if len(around[m]) > 2]
    same = all(now[m][:1] in _TELLING and now[n] == now[m] for m in asked for n in around[m])
    other = [n for m in asked for n in around[m] if "r" not in (before[n][:1], before[m][:1])]
    cared = any(before[n] != before[nearby.calls[n].beside] for n in other)
    return bool(asked) and same and cared


def _is_fact(call: _Call, answer: str) -> bool:
    """A word, a month, or a code that has a text: somebody may have looked it up."""
    if len(call.values) != 1:
        return False
    value = call.values[0]
    if not isinstance(value, int | float):
        return is_word(value)
    return is_known_number(value, counting=True) and (abs(value) <= MONTHS or answer[:1] == "t")


def _read(text: str) -> _Call | None:
    """The call of something of the user's in an expression; None when it has no literal."""
    try:
        tree = tree_of(text, "eval")
    except (SyntaxError, ValueError, RecursionError):
        return None
    inner = _own_call(tree.body)
    if inner is None:
        return None
    values = [value_of(one) for one in _arguments(inner)]
    if not values or any(isinstance(one, ast.AST) for one in values):
        return None
    return _Call(text, ast.unparse(inner.func), tuple(values))


def _own_call(node: ast.AST) -> ast.Call | None:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    own = [one for one in calls if getattr(one.func, "id", "") not in _WRAPPING]
    return own[0] if own and all(keyword.arg for keyword in own[0].keywords) else None


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _beside(call: _Call, n: int) -> Iterator[_Call]:
    few = len(call.values) > 1
    for place, value in enumerate(call.values):
        for other in _others(value, few=few):
            tree = tree_of(call.text, "eval")
            inner = _own_call(tree.body)
            assert inner is not None
            given = tree_of(repr(other), "eval").body
            if place < len(inner.args):
                inner.args[place] = given
            else:
                inner.keywords[place - len(inner.args)].value = given
            values = (*call.values[:place], other, *call.values[place + 1 :])
            yield _Call(ast.unparse(tree), call.function, values, n, place)


def _others(value: object, *, few: bool) -> list[object]:
    """Values of the same kind; multiples, because what is mended may be about divisors."""
    match value:
        case bool() | None:
            return []
        case int():
            every: list[object] = [
                value + 1,
                value - 1,
                value + 2,
                value * 3,
                value + 10,
                value * 2,
                value * 7,
            ]
            return [one for one in dict.fromkeys(every) if one != value][: 4 if few else 7]
        case float():
            return [value + 1, value * 3, value + 0.25, value * 2]
        case str() if value:
            last = chr(ord(value[-1]) + 1) if value[-1].isalnum() and value[-1] not in "zZ9" else "b"
            first = "K" if value[0].isupper() else "k"
            return [value[:-1] + last, first + value[1:], value + "x", value * 2]
        case list() | tuple() if value and all(is_number(one) for one in value):
            whole = list(value)
            several = [
                [*whole, whole[-1] + 1],
                [whole[0] + 1, *whole[1:]],
                whole * 2,
                [*whole[:-1], 7],
                whole[1:],
            ]
            return [tuple(one) if isinstance(value, tuple) else one for one in several if one != whole]
    return []
