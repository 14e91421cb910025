"""Answers against the table, which tests are asked about, and what sabotage does to a candidate."""

from __future__ import annotations

import random

import pytest

from untilgreen.model import FileChange, Patch
from untilgreen.solve.blind.asked import choose
from untilgreen.solve.blind.edited import edited_in
from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.sabotage import sabotaged
from untilgreen.solve.blind.table import Question, compare
from untilgreen.solve.plan import Plan
from untilgreen_sandbox.report import CaseResult, Failure, Outcome, Report

REAL = Question("t.py::a", "t.py::test_it", True)
OPPOSITE = Question("t.py::b", "t.py::test_it", False, "AssertionError")
CANARY = Question("t.py::c", "", False, "AssertionError", "word")
TABLE = (REAL, OPPOSITE, CANARY)


def case(test_id: str, outcome: Outcome, kind: str = "AssertionError", message: str = "word") -> CaseResult:
    return CaseResult(test_id, outcome, failure=None if outcome == "passed" else Failure(kind, message))


def report(*cases: CaseResult, planned: tuple[str, ...] = ("t.py::a", "t.py::b", "t.py::c")) -> Report:
    return Report("finished", cases, planned)


RIGHT = (case("t.py::a", "passed"), case("t.py::b", "failed"), case("t.py::c", "failed"))


def test_the_whole_table_is_right() -> None:
    assert compare(TABLE, report(*RIGHT)).right


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ((case("t.py::a", "failed"), *RIGHT[1:]), "t.py::test_it does not pass under another name (failed)"),
        ((case("t.py::a", "skipped"), *RIGHT[1:]), "under another name (skipped)"),
        (RIGHT[1:], "under another name (did not run)"),
        ((RIGHT[0], case("t.py::b", "passed"), RIGHT[2]), "also passes when it expects the opposite"),
        (
            (RIGHT[0], case("t.py::b", "error"), RIGHT[2]),
            "should fail when it expects the opposite, and error",
        ),
        ((RIGHT[0], case("t.py::b", "failed", "NameError"), RIGHT[2]), "failed with NameError"),
        (
            (*RIGHT[:2], case("t.py::c", "passed")),
            "a test that must fail whatever the code does is told otherwise (passed)",
        ),
        ((*RIGHT[:2], case("t.py::c", "failed", message="other")), "failed in other words"),
    ],
)
def test_one_wrong_answer_is_named(answers: tuple[CaseResult, ...], says: str) -> None:
    found = compare(TABLE, report(*answers))
    assert not found.right and not found.faults
    [mismatch] = found.mismatches
    assert says in mismatch.sentence()


@pytest.mark.parametrize(
    "run",
    [
        report(*RIGHT, case("t.py::d", "passed")),
        report(*RIGHT, RIGHT[0]),
        report(*RIGHT, planned=("t.py::a", "t.py::b", "t.py::c", "t.py::c")),
        Report("crashed", RIGHT, ("t.py::a", "t.py::b", "t.py::c")),
    ],
)
def test_a_run_that_says_more_or_less_than_was_asked_is_a_fault(run: Report) -> None:
    assert compare(TABLE, run).faults


def many(n: int, seconds: float) -> Report:
    cases = tuple(CaseResult(f"t.py::test_{i}", "passed", seconds) for i in range(n))
    return Report("finished", cases, tuple(one.id for one in cases), seconds=0.2 + n * seconds)


@pytest.mark.parametrize(("n", "n_failing"), [(1, 1), (5, 2), (200, 3), (200, 150), (20, 20)])
@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.1, 2.0])
def test_a_blind_run_costs_no_more_than_a_cold_one(n: int, n_failing: int, seconds: float) -> None:
    cold = many(n, seconds)
    failing = [one.id for one in cold.cases[:n_failing]]
    plan = Plan(tuple(one.id for one in cold.cases))
    asked = choose(plan, cold, cold, failing, (), lambda path: b"", random.Random(1))
    cost = sum(seconds * (amount.copies + amount.siblings) for amount in asked.amounts.values())
    assert asked.fixed
    assert cost <= max(0.3, cold.seconds) or len(asked.amounts) == 1


def test_a_single_fixed_test_is_asked_about_often() -> None:
    cold = many(1, 0.001)
    asked = choose(
        Plan(("t.py::test_0",)), cold, cold, ["t.py::test_0"], (), lambda path: b"", random.Random(1)
    )
    assert asked.amount.copies + asked.amount.siblings >= 12


OLD = b"import os\nLIMIT = 1\ndef f(x):\n    return 1\nclass A:\n    def m(self):\n        return 2\n"


@pytest.mark.parametrize(
    ("new", "functions", "elsewhere"),
    [
        (OLD.replace(b"return 1", b"return 3"), ("f",), False),
        (OLD.replace(b"return 2", b"return 3"), ("A.m",), False),
        (OLD + b"def g():\n    pass\n", ("g",), False),
        (OLD.replace(b"LIMIT = 1", b"LIMIT = 2"), (), True),
        (OLD + b"# a comment\n", (), False),
    ],
)
def test_what_was_edited(new: bytes, functions: tuple[str, ...], elsewhere: bool) -> None:
    edited = edited_in(OLD, new)
    assert edited is not None
    assert (edited.functions, edited.elsewhere) == (functions, elsewhere)


def test_sabotage_takes_out_what_is_new_and_leaves_the_rest() -> None:
    new = OLD.replace(b"return 2", b"return 3")
    spoiled = sabotaged(Patch({"a.py": FileChange(new)}), {"a.py": OLD}.get, Names(random.Random(1)))
    module: dict[str, object] = {}
    exec(spoiled.files["a.py"].content or b"", module)
    assert module["f"](0) == 1  # type: ignore[operator]
    with pytest.raises(BaseException) as caught:
        module["A"]().m()  # type: ignore[operator]
    assert not isinstance(caught.value, Exception)


def test_sabotage_of_a_changed_constant_is_an_import_that_fails() -> None:
    new = OLD.replace(b"LIMIT = 1", b"LIMIT = 2")
    spoiled = sabotaged(Patch({"a.py": FileChange(new)}), {"a.py": OLD}.get, Names(random.Random(1)))
    with pytest.raises(BaseException) as caught:
        exec(spoiled.files["a.py"].content or b"", {})
    assert not isinstance(caught.value, Exception)
