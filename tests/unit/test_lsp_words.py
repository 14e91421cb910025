"""A job in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from untilgreen import events
from untilgreen.lsp.words import (
    Narrator,
    age,
    asking_of,
    duration,
    ending_of,
    left_to_do,
    summary_of,
    title_of,
    written_by_model,
)
from untilgreen.model import Attempt, Finding, Goal, Reflection, Spent, Verdict
from untilgreen.solve.findings import new_findings
from untilgreen_sandbox.report import CaseResult, Report


def report(green: int, red: int) -> Report:
    cases = [CaseResult(f"t.py::g{n}", "passed") for n in range(green)]
    cases += [CaseResult(f"t.py::r{n}", "failed") for n in range(red)]
    return Report("finished", tuple(cases), tuple(case.id for case in cases))


def test_a_job_is_told_from_baseline_to_verification() -> None:
    narrator = Narrator(8)
    told = [
        narrator.say(event)
        for event in (
            events.Preparing("building the image"),
            events.PlanMade(1),
            events.BaselineDone(report(1, 4)),
            events.Coding(2, "scripted"),
            events.Told("model", "Swap the signs, about $0.01.\nThen look at the callers."),
            events.Testing(2, "the sign is wrong", ("calc.py",)),
            events.Tested(Attempt(2, "model", "", ("t.py::r0", "t.py::r1"), spent=Spent(1240, usd=0.01))),
            events.Verifying(5),
        )
    ]
    assert told == [
        "building the image",
        "running 1 test",
        "1 of 5 green",
        "attempt 2 of 8 · 1 of 5 green · looking for a fix",
        "Swap the signs, about $0.01.",
        "attempt 2 of 8 · 1 of 5 green · the sign is wrong",
        "attempt 2 of 8 · 3 of 5 green · 1,240 candidates · $0.01",
        "verifying in a fresh sandbox",
    ]


def test_warnings_and_chances_are_told() -> None:
    narrator = Narrator(8)
    circles = Reflection(3, "known_state", "stable", "This is attempt 1 once more.", "warning")
    assert (
        narrator.say(events.Reflecting(circles))
        == "attempt 3 of 8 · 0 of 0 green · This is attempt 1 once more."
    )
    fine = Reflection(3, "improving", "improving", "One passes now.")
    assert narrator.say(events.Reflecting(fine)) is None
    assert narrator.say(events.Rerunning(("t.py::a", "t.py::b"), "why")) == "running 2 tests once more"
    assert narrator.say(events.FlakyFound(("t.py::a",))) == "1 test flaky, not counted"


def test_what_nobody_needs_to_hear_is_not_told() -> None:
    assert Narrator(8).say(events.SnapshotTaken(3, 100, "d")) is None


def test_titles_name_the_goal() -> None:
    goal = Goal(Path("/w"), ("tests/t.py::TestA::test_b",))
    assert title_of("solve", goal) == "Solve until green: TestA::test_b"
    assert title_of("test", Goal(Path("/w"))) == "Run tests"
    many = Goal(Path("/w"), ("a.py", "b.py", "c.py", "d.py"))
    assert title_of("test", many) == "Run tests: a.py, b.py, c.py, …"


def test_summaries() -> None:
    assert summary_of(report(2, 0)) == "All 2 tests green."
    assert summary_of(report(1, 2)) == "2 of 3 tests not green."
    assert summary_of(Report("finished")) == "No tests were found."
    assert summary_of(Report("timeout", detail="after 120 s")) == "The run ended early (timeout). after 120 s"


def test_the_ending_names_what_changed() -> None:
    verdict = Verdict("green", "2 tests were fixed.")
    assert ending_of(verdict, ()) == "2 tests were fixed."
    assert ending_of(verdict, ("calc.py",)) == "2 tests were fixed. Changed: calc.py."
    told = ending_of(verdict, ("calc.py", "more.py"), left_to_do(("more.py",)))
    assert told == "2 tests were fixed. Changed: calc.py, more.py. Not saved yet: more.py."
    assert left_to_do((), ("calc.py",)) == " It is on disk: reload calc.py."


def test_whoever_is_asked_hears_where_rivals_differ() -> None:
    verdict = Verdict("green", "1 test passes. Contested.", difference="area(2, 3) gives 6, a rival 5.")
    assert "They differ: area(2, 3) gives 6, a rival 5." in asking_of(verdict)


def test_a_line_that_moved_is_no_new_finding() -> None:
    before = Verdict("green", "", findings=(Finding("a.py", 3, "eval", "eval: it runs text"),))
    moved = Verdict("green", "", findings=(Finding("a.py", 9, "eval", "eval: it runs text"),))
    other = Finding("b.py", 9, "eval", "eval: it runs text")
    assert new_findings(before, moved) == ()
    assert new_findings(before, Verdict("green", "", findings=(*moved.findings, other))) == (other,)


@pytest.mark.parametrize(
    ("solver", "by_model"), [("offline", False), ("scripted", False), ("agent gpt", True), ("model", True)]
)
def test_who_wrote_a_fix(solver: str, by_model: bool) -> None:
    assert written_by_model(Verdict("green", "", solver=solver)) is by_model


def test_ages_and_durations_are_short() -> None:
    assert [age(seconds) for seconds in (-1, 59.9, 61, 7300, 90000)] == ["0 s", "59 s", "1 min", "2 h", "1 d"]
    assert [duration(seconds) for seconds in (0.0004, 0.25, 1.26)] == ["0 ms", "250 ms", "1.3 s"]
