"""Calls that can be made anywhere are found in tests, and only answers that say something are compared."""

from __future__ import annotations

import ast

import pytest

from untilgreen.solve.blind.replay import Answer, Replay, answers_in, make_replay, tells_two_things
from untilgreen_sandbox.report import CaseResult, Failure, Report

HEAD = "import pytest\nimport random, calc\nfrom calc import add, Stack as Pile\nfrom .rest import other\n"


def calls(body: str, head: str = "def test_it():") -> tuple[str, ...]:
    source = f"{HEAD}\n\n{head}\n    {body}\n"
    replay = make_replay(["t/test_it.py::test_it"], {"t/test_it.py": source.encode()}, 1)
    return () if replay is None else replay.calls


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("assert add(1, 2) == 3", ("add(1, 2)",)),
        ("assert len(add([1], calc.sub(2))) == add(1, b=2)", ("len(add([1], calc.sub(2)))", "add(1, b=2)")),
        ("self.assertEqual(Pile([1, 2]).pop(), 2)", ("Pile([1, 2]).pop()",)),
        ("with pytest.raises(ValueError):\n        add('x', 1)", ("add('x', 1)",)),
        ("x = 1\n    assert add(x, 2) == 3", ()),
        ("assert add(random.random(), 2)", ()),
        ("assert other(1)", ()),
        ("assert add(1, [n for n in 'ab'])", ()),
        ("assert open('x') and print(add(1, 1))", ("add(1, 1)",)),
        ("add = 1\n    assert add(1, 2)", ()),
        ("assert add(1, 2) + add(1, 2)", ("add(1, 2)",)),
        ("pass", ()),
    ],
)
def test_which_calls_can_be_made_anywhere(body: str, found: tuple[str, ...]) -> None:
    assert calls(body) == found


def test_what_is_given_by_parameters_is_filled_in() -> None:
    head = "@pytest.mark.parametrize('a, b', [(1, 2), ([3], 'x')])\ndef test_it(a, b):"
    assert calls("assert add(a, b) == add(0, 0)", head) == ("add(1, 2)", "add([3], 'x')", "add(0, 0)")
    one = "@pytest.mark.parametrize('a', [1, (2, 3)])\ndef test_it(a):"
    assert calls("assert add(a)", one) == ("add(1)", "add((2, 3))")


@pytest.mark.parametrize(
    "head", ["def test_it(tmp_path):", "def test_it(monkeypatch, a):", "def test_it(*, x):"]
)
def test_what_fixtures_prepare_is_left_out(head: str) -> None:
    assert calls("assert add(1, 2) == 3", head) == ()


def test_an_older_python_understands_it() -> None:
    source = f"{HEAD}def test_it():\n    assert add(1, 2) == 3\n".encode()
    replay = make_replay(["test_it.py::test_it"], {"test_it.py": source}, 1)
    assert replay is not None
    text = replay.content.decode()
    ast.parse(text, feature_version=(3, 9))
    # Nothing in it says whose it is, and what is quoted in braces needs a newer one.
    assert "untilgreen" not in text
    inner = [
        one
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FormattedValue)
        for one in ast.walk(node)
    ]
    assert not any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in inner)


REPLAY = Replay("t.py::r", "t.py", b"", ("add(1, 2)",))


def told(message: str) -> tuple[Answer, ...]:
    case = CaseResult("t.py::r", "failed", failure=Failure("AssertionError", message))
    return answers_in(Report("finished", (case,)), REPLAY)


def test_what_is_told_is_taken_or_left() -> None:
    assert told(repr([["3", "-1"]])) == (Answer("3", "-1"),)
    assert told("AssertionError: " + repr([["3", "3"]])) == (Answer("3", "3"),)
    for nonsense in ("", "[", "[[1]]", "[]", repr([["1", "2"]] * 2), "[" * 100_000):
        assert told(nonsense) == ()
    assert answers_in(Report("lost"), REPLAY) == ()


@pytest.mark.parametrize(
    ("now", "before", "named"),
    [
        (Answer("3", "-1"), Answer("-1", "-1"), True),
        (Answer("3", "3"), Answer("-1", "-1"), False),
        # It was so before.
        (Answer("3", "-1"), Answer("5", "-1"), False),
        # It does not end alike from one call to the next.
        (Answer("", "-1"), Answer("-1", "-1"), False),
        (Answer("3", ""), Answer("-1", "-1"), False),
        # What fails elsewhere may need what tests prepare, unless it worked there.
        (Answer("3", "raises KeyError"), Answer("raises TodoError", "raises TodoError"), False),
        (Answer("3", "raises KeyError"), Answer("-1", "-1"), True),
        (Answer("3", "raises TodoError"), Answer("raises TodoError", "raises TodoError"), True),
        (Answer("raises ValueError", "0"), Answer("0", "0"), True),
        (Answer("3", "-1"), Answer("raises TodoError", "raises TodoError"), True),
    ],
)
def test_who_tells_two_things(now: Answer, before: Answer, named: bool) -> None:
    assert bool(tells_two_things(REPLAY, (now,), (before,))) is named
