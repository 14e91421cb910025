"""Calls beside those of tests are made, and only answers that say something are a reason to look."""

from __future__ import annotations

import pytest

from untilgreen.solve.blind.nearby import Nearby, brings_constants, knows_only_tests, make_nearby, told_in
from untilgreen.solve.blind.replay import Replay
from untilgreen_sandbox.report import CaseResult, Failure, Report


def nearby(*calls: str) -> Nearby:
    given = tuple(("from calc import add", call) for call in calls)
    made = make_nearby(Replay("t/test_0.py::test_it", "t/test_0.py", b"", calls, given), 1)
    assert made is not None
    return made


def answers(made: Nearby, how: dict[str, str], otherwise: str) -> list[str]:
    """In short, as they are told: those that are named, and one for all others, by its text if it is `*`."""
    return [how.get(call.text, f"v{call.text}" if otherwise == "*" else otherwise) for call in made.calls]


def test_what_stands_beside_a_call() -> None:
    made = nearby("add(1, 'ab')", "len(add([3], 2.5))")
    texts = [call.text for call in made.calls]
    assert texts[:2] == ["add(1, 'ab')", "len(add([3], 2.5))"]
    assert {"add(2, 'ab')", "add(0, 'ab')", "add(1, 'ac')", "add(1, 'abx')"} <= set(texts)
    assert {"len(add([3, 4], 2.5))", "len(add([3], 3.5))"} <= set(texts)
    assert len(set(texts)) == len(texts)
    assert "add(1, b=3)" in [call.text for call in nearby("add(1, b=2)").calls]


def test_what_no_literal_is_given_to_has_nothing_beside_it() -> None:
    for call in ("add(calc.X)", "add(**{})", "add(True)", "add()"):
        given = (("from calc import add", call),)
        assert make_nearby(Replay("t.py::t", "t.py", b"", (call,), given), 1) is None


TESTED = ("add(31, 2)", "add(20, 30)")
NOW = {"add(31, 2)": "v33", "add(20, 30)": "v50"}


def test_only_what_is_tested_is_another() -> None:
    made = nearby(*TESTED)
    before = answers(made, {}, "*")
    assert "has another answer than before" in knows_only_tests(made, answers(made, NOW, "*"), before)
    generally = [f"{one}!" for one in answers(made, NOW, "*")]
    assert knows_only_tests(made, generally, before) == ""
    some = answers(made, {**NOW, "add(32, 2)": "v34"}, "*")
    assert knows_only_tests(made, some, before) == ""


def test_one_answer_for_all_others() -> None:
    made = nearby(*TESTED)
    before = answers(made, {}, "rNotImplemented")
    for other in ("p0", "rKeyError"):
        assert "one answer for all" in knows_only_tests(made, answers(made, NOW, other), before)
    assert knows_only_tests(made, answers(made, NOW, "*"), before) == ""


def test_an_argument_that_matters_no_more() -> None:
    made = nearby(*TESTED)
    before = answers(made, {}, "*")
    first = {call.text: f"v{call.values[0]}" for call in made.calls}
    assert "argument 2" in knows_only_tests(made, answers(made, first, ""), before)
    # It never mattered, or yes and no are all that is said.
    assert knows_only_tests(made, answers(made, first, ""), answers(made, first, "")) == ""
    said = {text: f"p{answer}" for text, answer in first.items()}
    assert knows_only_tests(made, answers(made, said, ""), before) == ""


def test_facts_have_no_neighbours() -> None:
    made = nearby("add(404)", "add(499)")
    before = answers(made, {}, "*")
    assert knows_only_tests(made, answers(made, {"add(404)": "ta", "add(499)": "tb"}, "*"), before) == ""
    words = nearby("add('mouse')", "add('child')")
    changed = {"add('mouse')": "vmice", "add('child')": "vchildren"}
    assert knows_only_tests(words, answers(words, changed, "*"), answers(words, {}, "*")) == ""


def test_one_text_is_enough_and_one_number_is_not() -> None:
    text, number = nearby("add('Hello World')"), nearby("add(31)")
    assert knows_only_tests(text, answers(text, {"add('Hello World')": "vx"}, "*"), answers(text, {}, "*"))
    told = knows_only_tests(number, answers(number, {"add(31)": "vx"}, "*"), answers(number, {}, "*"))
    assert told == ""


@pytest.mark.parametrize(
    ("message", "told"), [("AssertionError: ['v1', 'r2']", 0), ("AssertionError: no", 0), ("", 0)]
)
def test_what_is_told_otherwise_says_nothing(message: str, told: int) -> None:
    made = nearby("add(31)")
    case = CaseResult(made.id, "failed", failure=Failure("AssertionError", message))
    assert len(told_in(Report("finished", (case,)), made)) == told
    assert told_in(Report("finished", ()), made) == ()


def test_what_is_told() -> None:
    made = nearby("add(31)")
    every = [f"v{n}" for n in range(len(made.calls))]
    case = CaseResult(made.id, "failed", failure=Failure("AssertionError", f"AssertionError: {every}"))
    assert told_in(Report("finished", (case,)), made) == tuple(every)


@pytest.mark.parametrize(
    ("old", "new", "path", "brings"),
    [
        ("def f(a):\n    return a - 1\n", "def f(a):\n    return a + 1\n", "calc.py", False),
        ("def f(a):\n    return a\n", "def f(a):\n    return a + 37\n", "calc.py", True),
        ("X = 37\n", "X = 37\nY = X + 37\n", "calc.py", False),
        ("", 'def f(a):\n    """Some words."""\n    return a\n', "calc.py", False),
        ("", 'def f(a):\n    """Some words."""\n    return f.__doc__\n', "calc.py", True),
        ("a", "b", "data.json", True),
    ],
)
def test_whether_a_change_brings_constants(old: str, new: str, path: str, brings: bool) -> None:
    assert brings_constants(old.encode(), new.encode(), path) == brings


def test_what_is_deleted_brings_nothing() -> None:
    assert not brings_constants(b"X = 37\n", None, "calc.py")


def test_one_of_many_may_be_another_by_chance() -> None:
    made = nearby("add(31, 2)", "add(20, 30)", "add(17, 44)", "add(52, 8)")
    now = {"add(31, 2)": "v33", "add(20, 30)": "v50", "add(17, 44)": "v61", "add(52, 8)": "v60"}
    before = answers(made, {}, "*")
    assert knows_only_tests(made, answers(made, {**now, "add(32, 2)": "v34"}, "*"), before)
    three = {**now, "add(32, 2)": "v34", "add(21, 30)": "v51", "add(18, 44)": "v62"}
    assert knows_only_tests(made, answers(made, three, "*"), before) == ""
