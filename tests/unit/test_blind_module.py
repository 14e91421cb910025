"""Rewritten tests: the real ones pass whenever the test does, and then every opposite fails."""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import random
import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilgreen.solve.blind.exam import make_exam
from untilgreen.solve.blind.module import Amount, rewrite_module
from untilgreen.solve.blind.table import Question

VALUES = st.one_of(
    st.integers(-50, 50),
    st.text("abc", max_size=4),
    st.lists(st.integers(0, 3), max_size=3),
    st.booleans(),
    st.none(),
    st.floats(-5, 5),
    st.dictionaries(st.text("ab", max_size=2), st.integers(0, 2), max_size=2),
    st.binary(max_size=3),
)
SHAPES = (
    "assert f({0!r}) == {0!r}",
    "assert {0!r} == f({0!r}), 'message'",
    "assert f({0!r}) in [{0!r}]",
    "assert f({0!r}) in list([{0!r}])",
    "assert {0!r} in [f({0!r}), 1]",
    "assert 'ab' in f('cabs') and {0!r} in iter([f({0!r})])",
    "assert (1, 'b') in f([(1, 'b'), (2, 'b')])",
    "assert 5 in f(range(3, 70000)) and 6 in f(Above())",
    "with raises((KeyError, KeyboardInterrupt)):\n        raise f(KeyboardInterrupt)",
    "assert [f({0!r}), 1] == [{0!r}, 1]",
    "assert f({0!r}) == f({0!r}) and not f({0!r}) != {0!r}",
    "for one in [{0!r}]:\n        assert f(one) == one",
    "for one in f([]):\n        assert one",
    "if f({0!r}) != {0!r}:\n        raise AssertionError",
    "check({0!r})",
    "with raises(KeyError):\n        {{}}[0]",
    "def inner():\n        return 1\n    assert f(inner()) == 1",
    "try:\n        assert f({0!r}) == {0!r}\n    finally:\n        pass",
)
HEAD = """
import contextlib

@contextlib.contextmanager
def raises(kind):
    try:
        yield
    except kind:
        return
    raise AssertionError("nothing was raised")

def check(value):
    assert f(value) == value

class Above:
    def __contains__(self, value):
        return value > 3
"""


MUCH = Amount(3, 6)


class Same:
    """Equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def answers(source: str, name: str, f: Any, seed: int, amount: Amount = MUCH) -> list[tuple[Question, str]]:
    """Each question about a function, with what happens when it is called."""
    rewritten = rewrite_module("t.py", source.encode(), {f"t.py::{name}": amount}, random.Random(seed))
    assert rewritten is not None
    [(_, content)] = rewritten.files
    module: dict[str, Any] = {"f": f, "__name__": "t"}
    exec(compile(content, "t.py", "exec"), module)
    found = []
    for question in rewritten.table:
        try:
            result = module[question.id.removeprefix("t.py::")]()
            if inspect.isawaitable(result):
                asyncio.run(result)  # type: ignore[arg-type]
            found.append((question, "passed"))
        except BaseException as error:
            found.append((question, type(error).__name__))
    return found


@settings(deadline=None, max_examples=2000 if os.environ.get("UNTILGREEN_SOAK") else 60)
@given(st.lists(st.tuples(st.sampled_from(SHAPES), VALUES), min_size=1, max_size=4), st.integers(0, 10**6))
def test_an_honest_test_passes_and_its_opposites_fail(shapes: list[tuple[str, object]], seed: int) -> None:
    body = "\n    ".join(shape.format(value) for shape, value in shapes)
    source = f"{HEAD}\ndef test_it():\n    {body}\n"
    for question, said in answers(source, "test_it", lambda value: value, seed):
        assert (said == "passed") == question.passes, (question, said, source)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "body",
    ["assert f(1) == 3", "assert 'x' == f(1)", "check(3)", "for n in (1, 2):\n        assert f(n) == [n]"],
)
def test_what_is_equal_to_everything_is_found_out(body: str, seed: int) -> None:
    source = f"{HEAD}\ndef test_it():\n    {body}\n"
    told = answers(source, "test_it", lambda value: Same(), seed)
    assert [question for question, said in told if said == "passed" and not question.passes]


def test_a_wrong_function_fails_under_every_name() -> None:
    source = "def test_it():\n    assert f(1) == 1\n    assert f(2) == 2\n"
    told = answers(source, "test_it", lambda value: -value, 1)
    assert all(said != "passed" for question, said in told if question.passes and question.origin)


def test_an_asynchronous_test() -> None:
    source = "async def test_it():\n    assert f(1) == 1\n"
    assert all((said == "passed") == question.passes for question, said in answers(source, "test_it", abs, 3))


def test_names_are_random_and_nothing_of_the_old_one_is_left() -> None:
    source = b"def test_secret_name():\n    assert 1 == 1 + 0\n"
    amounts = {"t.py::test_secret_name": Amount(2, 2)}
    [one, other] = [make_exam(amounts, {"t.py": source}.get, seed) for seed in (1, 2)]
    assert not set(one.ids) & set(other.ids)
    assert b"test_secret_name" not in one.files["t.py"]
    assert one == make_exam(amounts, {"t.py": source}.get, 1)


def test_canaries_of_both_kinds_are_among_them() -> None:
    source = b"def test_it():\n    assert 1 == 1 + 0\n"
    for seed in range(20):
        exam = make_exam({"t.py::test_it": Amount(1, 1)}, {"t.py": source}.get, seed)
        assert {canary.passes for canary in exam.canaries} == {True, False}


@pytest.mark.parametrize(
    "source",
    [
        "def test_it():\n    f(1)\n",
        "def test_it(snapshot):\n    assert f(1) == snapshot\n",
        "def test_it(request):\n    assert request.node.name == f(1)\n",
        "def test_it():\n    assert test_it.__name__ == 'test_it'\n",
        "def test_it():\n    try:\n        assert f(1) == 1\n    except AssertionError:\n        pass\n",
        "def test_it():\n    yield\n    assert f(1) == 1\n",
        "test_it = make()\n",
        "def test_it(:\n",
    ],
)
def test_where_nothing_can_be_asked_it_is_said(source: str) -> None:
    exam = make_exam({"t.py::test_it": Amount(1, 1)}, {"t.py": source.encode()}.get, 1)
    assert exam.unasked == ("t.py::test_it",)
    assert [question.id for question in exam.about("t.py::test_it")] == ["t.py::test_it"]
    # Canaries stand beside them in a file of their own.
    assert {canary.passes for canary in exam.canaries} == {True, False}


def test_the_rest_of_the_module_stays() -> None:
    source = textwrap.dedent(
        '''
        """Words."""
        from __future__ import annotations
        VALUE = 3
        class TestIt:
            def setup_method(self):
                self.x = 1
            def test_one(self):
                assert self.x == 1
            def test_other(self):
                assert self.x == 2
        '''
    )
    exam = make_exam({"t.py::TestIt::test_one": Amount(1, 2)}, {"t.py": source.encode()}.get, 1)
    tree = ast.parse(exam.files["t.py"])
    assert ast.get_docstring(tree) == "Words."
    assert isinstance(tree.body[1], ast.ImportFrom)
    assert all(question.id.startswith("t.py::TestIt::test_") for question in exam.table)
    [kept] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "TestIt"]
    names = [node.name for node in kept.body if isinstance(node, ast.FunctionDef)]
    assert "setup_method" in names and "test_other" in names and "test_one" not in names
