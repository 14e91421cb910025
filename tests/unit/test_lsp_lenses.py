"""Lenses, hovers, and the memory of results behind them."""

from __future__ import annotations

from pathlib import Path

from untilgreen.lsp.actions import Stub
from untilgreen.lsp.lenses import Told, hover_text, lenses_of_stubs, lenses_of_tests
from untilgreen.lsp.places import Place, places_in
from untilgreen.lsp.results import Result, Results
from untilgreen.model import Attempt, Goal
from untilgreen_sandbox.report import CaseResult, Failure, Report

ROOT = Path("/w")
TEXT = """\
import pytest


@pytest.mark.parametrize('n', [1, 2])
def test_n(n):
    pass


def test_one():
    pass
"""
RED = CaseResult(
    "t.py::test_one", "failed", 0.012, "t.py", 9, Failure("AssertionError", "assert 1 == 2", "2", "1")
)


def remembered(*cases: CaseResult, at: float = 100.0) -> Results:
    results = Results()
    results.add(Goal(ROOT), Report("finished", cases), at)
    return results


def titles(results: Results, now: float = 220.0) -> list[tuple[int, str]]:
    lenses = lenses_of_tests(
        places_in(TEXT),
        lambda name: Told("file:///w/t.py", f"t.py::{name}", results.of(ROOT, f"t.py::{name}")),
        now,
    )
    return [(lens.range.start.line, lens.command.title) for lens in lenses if lens.command]


def test_lenses_tell_outcome_age_and_duration() -> None:
    cases = (
        CaseResult("t.py::test_n[1]", "passed", 1.5),
        CaseResult("t.py::test_n[2]", "failed", 0.5),
        CaseResult("t.py::test_one", "passed", 0.002),
    )
    assert titles(remembered(*cases)) == [
        (4, "Run (1 of 2 failed 2 min ago, 2.0 s)"),
        (4, "Solve until green"),
        (8, "Run (passed 2 min ago, 2 ms)"),
    ]


def test_lenses_before_any_run() -> None:
    assert titles(Results()) == [(4, "Run"), (4, "Solve until green"), (8, "Run"), (8, "Solve until green")]


def test_a_stub_says_how_many_tests_it_has() -> None:
    stub = Stub(Place("f", 1, 2, 1), ("t.py::test_a", "t.py::test_b"), "file:///w/a.py")
    commands = [lens.command for lens in lenses_of_stubs([stub], lambda _: (), 0)]
    tests = [{"uri": "file:///w/a.py", "tests": ["t.py::test_a", "t.py::test_b"]}]
    assert [(one.title, one.command) for one in commands if one is not None] == [
        ("Run 2 tests", "untilgreen.test"),
        ("Solve until green (2 tests)", "untilgreen.solve"),
    ]
    assert all(one is not None and one.arguments == tests for one in commands)


def test_a_stub_tells_what_the_last_run_of_its_tests_said() -> None:
    stub = Stub(Place("f", 1, 2, 1), ("t.py::test_n", "t.py::test_one"), "file:///w/a.py")
    cases = (CaseResult("t.py::test_n[1]", "passed", 1.5), CaseResult("t.py::test_n[2]", "passed", 0.5), RED)
    results = remembered(*cases)

    def of(stub: Stub) -> list[Result]:
        return [result for test in stub.tests for result in results.of(ROOT, test)]

    titles = [lens.command.title for lens in lenses_of_stubs([stub], of, 220.0) if lens.command]
    assert titles == ["Run 2 tests (1 of 3 failed 2 min ago, 2.0 s)", "Solve until green (2 tests)"]


def test_a_hover_tells_expected_actual_and_attempts() -> None:
    results = remembered(RED)
    attempts = [
        Attempt(1, "offline", "swap the signs", still_failing=(RED.id,)),
        Attempt(2, "offline", "add [one](http://evil)", fixed=(RED.id,)),
        Attempt(3, "offline", "something else", fixed=("t.py::test_n[1]",)),
    ]
    results.tried(ROOT, tuple(attempts))
    text = hover_text(results.of(ROOT, RED.id), lambda test: results.attempts(ROOT, test), 130)
    assert "**test\\_one** failed 30 s ago, 12 ms" in text
    assert "expected: 2\nactual:   1" in text
    assert "- attempt 1 did not help: swap the signs" in text
    assert "- attempt 2 made it pass: add \\[one\\]\\(http://evil\\)" in text
    assert "attempt 3" not in text


def test_no_text_of_a_test_ends_its_fence() -> None:
    case = CaseResult("t.py::a", "failed", failure=Failure("E", "```\n[x](y)\n````"))
    text = hover_text(remembered(case).of(ROOT, case.id), lambda _: [], 100)
    assert "`````text\nE: ```" in text


def test_a_hover_on_what_is_well_says_nothing() -> None:
    results = remembered(CaseResult("t.py::test_one", "passed"))
    assert hover_text(results.of(ROOT, "t.py::test_one"), lambda _: [], 100) == ""


def test_results_stay_until_a_run_settles_them() -> None:
    results = remembered(RED, CaseResult("u.py::test_u", "failed"))
    results.add(Goal(ROOT, ("u.py",)), Report("finished", (CaseResult("u.py::test_v", "passed"),)), 200)
    assert [result.case.id for result in results.failing(ROOT)] == [RED.id]
    results.add(Goal(ROOT), Report("timeout", (CaseResult("u.py::test_v", "passed"),)), 300)
    assert [result.case.id for result in results.failing(ROOT)] == [RED.id], "it was not told of"
    results.add(Goal(ROOT), Report("finished", (CaseResult("u.py::test_v", "passed"),)), 400)
    assert list(results.failing(ROOT)) == []
    assert results.has_tests(ROOT, "u.py") and not results.has_tests(ROOT, "t.py")
