"""Every event has one shape outside the process, and file contents stay inside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from untilgreen import events
from untilgreen.events import (
    FOLLOWS,
    Applied,
    BaselineDone,
    Event,
    Finished,
    JobStarted,
    State,
    to_json,
)
from untilgreen.model import Attempt, FileChange, Patch, Verdict
from untilgreen.solve.budget import Budget
from untilgreen_sandbox.report import CaseResult, Failure, Frame, Report


def test_the_union_holds_every_event_of_the_module() -> None:
    classes = {
        value for value in vars(events).values() if getattr(value, "__module__", "") == events.__name__
    }
    assert {value for value in classes if isinstance(value, type)} == set(get_args(Event))


def test_the_shape() -> None:
    line = to_json(JobStarted("solve", Path("/p"), ("a", "b"), "a test"), job="1", seq=4, t=1.23456)
    head = {"v": 1, "job": "1", "seq": 4, "t": 1.235, "type": "job_started"}
    assert line == {**head, "kind": "solve", "root": "/p", "tests": ["a", "b"], "cause": "a test"}


def test_reports_are_whole() -> None:
    failure = Failure("E", "m", "1", "2", (Frame("a.py", 3, "f", "x"),))
    report = Report("finished", (CaseResult("a", "failed", failure=failure),), ("a",))
    line = json.loads(json.dumps(to_json(BaselineDone(report), job="", seq=0, t=0)))
    frame = line["report"]["cases"][0]["failure"]["frames"][0]
    assert frame == {"path": "a.py", "line": 3, "function": "f", "source": "x"}


def test_a_failure_has_its_key_and_an_attempt_is_short() -> None:
    case = CaseResult("a", "failed", failure=Failure("KeyError", "17", frames=(Frame("a.py", 3, "f", "x"),)))
    line = to_json(BaselineDone(Report("finished", (case,), ("a",))), job="", seq=0, t=0)
    assert line["report"]["cases"][0]["failure"]["key"] == "KeyError | # | a.py:f"
    many = Attempt(1, "s", "", errors=tuple((str(n), "key") for n in range(999)))
    assert len(to_json(events.Tested(many), job="", seq=0, t=0)["attempt"]["errors"]) == 50


def test_every_state_can_be_reached_and_left() -> None:
    states = set(get_args(State))
    assert FOLLOWS.keys() == states
    assert {"done", *FOLLOWS["preparing"]} | set().union(*FOLLOWS.values()) == states - {"preparing"}
    assert all(state == "done" or after for state, after in FOLLOWS.items())


def test_a_patch_is_told_by_its_paths() -> None:
    patch = Patch({"b.py": FileChange(b"SECRET"), "a.py": FileChange(None)})
    line = json.dumps(to_json(Finished(Verdict("green", "", patch)), job="", seq=0, t=0))
    assert '"patch": ["a.py", "b.py"]' in line
    assert "SECRET" not in line
    assert to_json(Applied(("a.py",), "disk"), job="", seq=0, t=0)["where"] == "disk"


@pytest.mark.parametrize(
    ("attempts", "seconds", "said"), [(2, 0.0, "2 attempts"), (0, 9.0, "9 seconds"), (1, 8.9, "")]
)
def test_a_budget_says_which_limit_is_reached(attempts: int, seconds: float, said: str) -> None:
    now = [100.0]
    budget = Budget(2, 9.0, clock=lambda: now[0])
    now[0] = 200.0
    budget.start()
    for _ in range(attempts):
        budget.take_attempt()
    now[0] += seconds
    assert said in budget.exhausted
    assert bool(budget.exhausted) == bool(said)
