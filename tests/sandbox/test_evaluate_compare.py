"""Candidates that pass the same tests are told apart by what they answer to other inputs."""

from __future__ import annotations

import pytest

from boxes import Files, Rig
from sandbox.candidates import version
from untilgreen_sandbox.box import RunRequest
from untilgreen_sandbox.evaluation import Evaluation, EvaluationRequest

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt, pytest.mark.timeout(120)]

CODE = """\
import asyncio
import os


class Box:
    def __init__(self, items):
        self.items = items

    def largest(self):
        return min(self.items)


def clamp(n, low, high):
    return max(low, n)


def uses(n):
    return clamp(n, 0, 5) + 1


def countdown(n):
    while n > 1:
        yield n
        n -= 1


async def later(n):
    await asyncio.sleep(0)
    return n - 1


def drop(items):
    items.pop()
"""
TESTS = """\
import asyncio
import code_too

def test_clamp():
    assert code_too.clamp(9, 0, 5) == 5
    assert code_too.clamp(-1, 0, 5) == 0

def test_uses():
    assert code_too.uses(9) == 6

def test_largest():
    assert code_too.Box([1, 3, 2]).largest() == 3

def test_countdown():
    assert list(code_too.countdown(3)) == [3, 2, 1]

def test_later():
    assert asyncio.run(code_too.later(1)) == 2

def test_drop():
    items = [1, 2, 3]
    code_too.drop(items)
    assert items == [2, 3]
"""
FILES: Files = {"code_too.py": CODE, "test_it.py": TESTS}


async def compared(rig: Rig, function: str, old: str, *new: str, test: str) -> Evaluation:
    candidates = tuple(version(function, old, one, source=CODE, path="code_too.py") for one in new)
    wanted = EvaluationRequest(candidates, (f"test_it.py::{test}",), compare=True, seconds=20)
    async with rig.box(FILES) as box:
        told = await box.evaluate(RunRequest(("test_it.py",)), wanted)
    assert len(told.tried) == len(new)
    assert told.problems == ()
    return told


def groups(told: Evaluation) -> list[int]:
    """Equal numbers for equal answers."""
    answers = [one.answers for one in told.tried]
    return [answers.index(one) for one in answers]


async def test_those_that_answer_alike_are_alike(rig: Rig) -> None:
    told = await compared(
        *(rig, "clamp", "max(low, n)", "min(high, max(low, n))", "max(low, min(n, high))"),
        *("low if n < low else high if n > high else n", "5 if n > 5 else max(n, 0)", "max(low, n"),
        test="test_clamp",
    )
    assert [one.how for one in told.tried] == [*["plausible"] * 4, "invalid"]
    one, other, third, overfitted, _ = groups(told)
    assert overfitted not in (one, other, third)
    assert told.tried[0].answers
    name, _, answers = told.differing.partition("(")
    assert name == "clamp"
    assert ", or " in answers


async def test_methods_generators_and_coroutines(rig: Rig) -> None:
    told = await compared(
        rig,
        "Box.largest",
        "min(self.items)",
        *("max(self.items)", "sorted(self.items)[-1]", "3", "sorted(self.items)[2]"),
        test="test_largest",
    )
    assert groups(told)[2] == 2
    assert told.tried[3].stumbles > told.tried[0].stumbles == 0, "it takes three items, and others do not"
    assert "Box.largest(<Box items=[" in told.differing
    told = await compared(rig, "countdown", "n > 1", "n > 0", "n >= 1", "0 < n < 4", test="test_countdown")
    assert groups(told) == [0, 0, 2]
    told = await compared(rig, "later", "n - 1", "n + 1", "1 + n", "2", test="test_later")
    assert groups(told) == [0, 0, 2]


async def test_what_is_done_to_arguments_is_an_answer(rig: Rig) -> None:
    told = await compared(
        rig, "drop", "items.pop()", "items.pop(0)", "del items[0]", "items.remove(1)", test="test_drop"
    )
    assert groups(told) == [0, 0, 2]
    assert "drop([" in told.differing


async def test_whatever_happens_the_others_are_compared(rig: Rig) -> None:
    told = await compared(
        *(rig, "uses", "clamp(n, 0, 5) + 1", "6", "os._exit(0)", "os.kill(0, 9)", "uses(n)"),
        *("[n for n in iter(int, 1)]", "os.fork() or 6", "3 + 3"),
        test="test_uses",
    )
    assert [one.how for one in told.tried] == [
        *("plausible", "crashed", "crashed", "plausible", "timeout", "plausible", "plausible")
    ]
    assert groups(told)[-1] == 0
    assert len({one.answers for one in told.tried}) >= 4
