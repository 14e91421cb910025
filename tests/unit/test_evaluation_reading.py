"""What a process that tries candidates claims about them; it may say anything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox import evaluating
from untilgreen_sandbox.evaluating import EvaluationReading, told_candidates
from untilgreen_sandbox.evaluation import Candidate, Evaluation, EvaluationRequest, Tried
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.runners.pytest import Reading

ONE = Candidate("m.py", "f", 3, "def f():\n    return 1\n")
WANTED = EvaluationRequest((ONE, ONE, ONE), ("t.py::a", "t.py::b"), ("t.py::c",))
TRIED: dict[str, Any] = {"ev": "tried", "results": [[1, "failed", 1, 2, "AssertionError", "", 0]]}
END: dict[str, Any] = {"ev": "evaluated", "cpu": 0.5, "differing": "", "problems": ["t.py::b: no"]}


def read(*events: object, ended: str = "finished") -> Evaluation:
    reading = Reading(EvaluationReading(WANTED))
    for event in events:
        reading.feed(event if isinstance(event, bytes) else json.dumps(event).encode() + b"\n")
    reading.report({"how": "exited", "status": 0}, list_only=False)
    assert reading.evaluating is not None
    return reading.evaluating.evaluation(Report(ended=ended))  # type: ignore[arg-type]


def test_a_whole_evaluation() -> None:
    told = read(TRIED, {**TRIED, "results": [[0, "plausible", 2, None, "", "key", 0]]}, END)
    untried = Tried("untried")
    assert told.tried == (
        Tried("plausible", passed=2, answers="key"),
        Tried("failed", 1, "t.py::c", "AssertionError"),
        untried,
    )
    assert (told.cpu_seconds, told.problems) == (0.5, ("t.py::b: no",))


def test_an_early_end_leaves_the_rest_untried() -> None:
    for told in (read(TRIED), read(TRIED, END, ended="killed")):
        assert [one.how for one in told.tried] == ["untried", "failed", "untried"]
        assert any("ended early" in problem for problem in told.problems)


def test_what_is_said_last_counts() -> None:
    told = read({**TRIED, "results": [[1, "plausible", 2, None, "", "", 0]]}, TRIED, END)
    assert told.tried[1].how == "failed"


BROKEN: dict[str, Any] = {
    "another candidate": {**TRIED, "results": [[3, "failed", 0, None, "", "", 0]]},
    "a negative one": {**TRIED, "results": [[-1, "failed", 0, None, "", "", 0]]},
    "truth as a number": {**TRIED, "results": [[True, "failed", 0, None, "", "", 0]]},
    "no such end": {**TRIED, "results": [[0, "green", 0, None, "", "", 0]]},
    "an end that is no text": {**TRIED, "results": [[0, ["failed"], 0, None, "", "", 0]]},
    "more passed than there are": {**TRIED, "results": [[0, "failed", 3, None, "", "", 0]]},
    "another test": {**TRIED, "results": [[0, "failed", 0, 3, "", "", 0]]},
    "a test by name": {**TRIED, "results": [[0, "failed", 0, "t.py::a", "", "", 0]]},
    "too few words": {**TRIED, "results": [[0, "failed"]]},
    "no list": {**TRIED, "results": 7},
    "no results": {"ev": "tried"},
    "endless": {**END, "cpu": float("inf")},
    "less than nothing": {**END, "cpu": -1},
    "problems in one text": {**END, "problems": "all"},
    "a problem that is no text": {**END, "problems": [1]},
}


@pytest.mark.parametrize("event", BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_read_ends_the_belief(event: Any) -> None:
    told = read(event, TRIED, END)
    assert [one.how for one in told.tried] == ["untried"] * 3
    assert told.problems


def test_sizes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    long = [[0, "failed", 0, None, "x" * 10**5, "y" * 10**5, 0]]
    told = read({**TRIED, "results": long}, {**END, "problems": ["z" * 1000] * 600, "differing": "d" * 10**5})
    assert max(len(told.tried[0].detail), len(told.tried[0].answers)) == evaluating.MAX_TEXT
    assert len(told.problems) == evaluating.MAX_PROBLEMS
    assert len(told.differing) == evaluating.MAX_DIFFERING
    assert (
        "\x1b"
        not in read({**TRIED, "results": [[0, "failed", 0, None, "\x1b[31m", "", 0]]}, END).tried[0].detail
    )
    monkeypatch.setattr(evaluating, "MAX_TOLD", 50)
    assert len(json.loads(told_candidates(WANTED))["versions"]) == 2


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=8))
def test_nothing_that_is_said_can_raise(said: Any) -> None:
    for event in ({**TRIED, "results": said}, {**TRIED, "results": [said]}, {**END, "problems": said}):
        assert len(read(event).tried) == 3


def test_events_of_an_evaluation_are_none_of_a_run() -> None:
    reading = Reading()
    reading.feed(json.dumps(TRIED).encode() + b"\n")
    assert "unreadable" in reading.report({"how": "exited", "status": 0}, list_only=False).detail
