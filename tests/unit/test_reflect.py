"""What attempts show, and what follows: patterns, trends, warnings and the end of patience."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.failure_key import failure_key, normalised
from untilgreen.model import Attempt, Finding, Reflection
from untilgreen.solve.reflect import STOP_AFTER, WARN_AFTER, Standing, reflect, trend_of, without_progress
from untilgreen_sandbox.report import Failure, Frame

TESTS = ("a", "b", "c")


def standing(red: str, error: str = "E") -> Standing:
    return Standing(frozenset(red), frozenset((test, error) for test in red))


def attempt(n: int, red: str, error: str = "E", repeats: int | None = None, state: str = "") -> Attempt:
    return Attempt(
        n,
        "s",
        "",
        still_failing=tuple(red),
        errors=tuple((test, error) for test in red),
        state=state or f"state {n}",
        repeats=repeats,
    )


def reflected(*reds: str, start: str = "ab") -> Reflection:
    return reflect(standing(start), [attempt(n, red) for n, red in enumerate(reds, 1)])


@pytest.mark.parametrize(
    ("reds", "pattern", "trend"),
    [
        (["a"], "improving", "improving"),
        (["abc"], "regressing", "regressing"),
        (["ac"], "mixed", "mixed"),
        (["ab"], "same_error", "stable"),
        (["a", "b"], "mixed", "mixed"),
        (["a", "b", "a"], "back_and_forth", "mixed"),
        (["ab", "a", "ab"], "back_and_forth", "regressing"),
        (["a", "a"], "same_error", "stable"),
        (["a", "ab", "abc"], "regressing", "regressing"),
    ],
)
def test_patterns(reds: list[str], pattern: str, trend: str) -> None:
    found = reflected(*reds)
    assert (found.pattern, found.trend) == (pattern, trend)
    assert found.text.endswith(".") and "\n" not in found.text


def test_another_error_of_the_same_tests() -> None:
    found = reflect(standing("ab"), [attempt(1, "ab", "TypeError")])
    assert (found.pattern, found.trend) == ("same_failures", "stable")
    assert "TypeError" in found.text


def test_a_known_state_is_warned_of_once_per_solver() -> None:
    tried = [attempt(1, "ab", state="x"), attempt(2, "ab", state="x", repeats=1)]
    first = reflect(standing("ab"), tried)
    assert (first.pattern, first.advice) == ("known_state", "warning")
    assert "attempt 1" in first.text
    second = reflect(standing("ab"), [*tried, attempt(3, "ab", state="x", repeats=1)])
    assert (second.pattern, second.advice) == ("known_state", "move_on")
    assert reflect(standing("ab"), [attempt(1, "ab", repeats=0)]).text.startswith(
        "This is the code as it was"
    )


def test_the_way_back_to_a_known_state() -> None:
    tried = [attempt(1, "a", state="x"), attempt(2, "b", state="y"), attempt(3, "a", state="x", repeats=1)]
    found = reflect(standing("ab"), tried)
    assert (found.pattern, found.advice) == ("back_and_forth", "warning")


def test_a_refusal_is_no_progress() -> None:
    refused = Attempt(1, "s", "", findings=(Finding("t.py", 1, "test", "tests are never changed"),))
    found = reflect(standing("ab"), [refused])
    assert (found.pattern, found.trend) == ("refused", "stable")
    assert "t.py" in found.text
    assert without_progress(standing("ab"), [refused]) == 1


def test_patience_ends() -> None:
    advice = [reflected(*["ab"] * n).advice for n in range(1, STOP_AFTER + 1)]
    expected = ["go_on"] * STOP_AFTER
    expected[WARN_AFTER - 1], expected[STOP_AFTER - 1] = "warning", "move_on"
    assert advice == expected
    assert reflected("ab", "ab", "a").advice == "go_on", "progress makes patient again"
    assert reflected("a", "b", "a", "b").advice == "warning", "another one instead is no progress"


sets = st.sets(st.sampled_from(TESTS)).map("".join)


@given(st.lists(sets, min_size=1, max_size=12), sets)
def test_every_attempt_can_be_reflected_upon(reds: list[str], start: str) -> None:
    found = reflected(*reds, start=start)
    assert found.attempt == len(reds)
    quiet = without_progress(standing(start), [attempt(n, red) for n, red in enumerate(reds, 1)])
    assert (found.advice == "move_on") == (quiet >= STOP_AFTER)
    if len(set(reds[-1])) < min(len(set(red)) for red in [start, *reds[:-1]]):
        assert quiet == 0


@given(sets, sets)
def test_trends_are_mirrored(one: str, other: str) -> None:
    mirror = {"improving": "regressing", "regressing": "improving"}
    trend = trend_of(standing(one), standing(other))
    assert trend_of(standing(other), standing(one)) == mirror.get(trend, trend)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assert -1 == 3", "assert 14.5 == 3e9"),
        ("[Errno 2] No such file: '/tmp/a1/b.txt'", "[Errno 2] No such file: '/home/x/c.txt'"),
        ("<Thing object at 0x7f00aa>", "<Thing object at 0x7fffff>"),
        ("list index 4 out of range", "list index 5  out of range"),
    ],
)
def test_what_changes_from_run_to_run_does_not_count(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


def test_what_went_wrong_does_count() -> None:
    assert normalised("no attribute 'size'") != normalised("no attribute 'length'")
    assert normalised("utf8 and v2") == "utf8 and v2", "a digit in a name is the name's"


def test_the_key_of_a_failure() -> None:
    frames = (
        Frame("test_a.py", 3, "test_a", ""),
        Frame("src/a.py", 9, "parse", ""),
        Frame(None, 1, "loads", ""),
    )
    failure = Failure("ValueError", "bad value 17\nin line 3", frames=frames)
    assert failure_key(failure) == "ValueError | bad value # | src/a.py:parse"
    assert failure_key(Failure("E", "")) == "E |  | "
    assert failure_key(None) == ""
