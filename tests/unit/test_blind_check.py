"""Whose fault a wrong answer is: the candidate's, the user's code's, or that of tests that disturb others."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

from untilgreen.model import FileChange, Patch
from untilgreen.solve.bench import Bench
from untilgreen.solve.blind.check import Checked, Known, blind_check
from untilgreen.solve.blind.exam import Exam, make_exam
from untilgreen.solve.blind.module import Amount
from untilgreen.solve.blind.table import Question
from untilgreen_sandbox.report import CaseResult, Failure, Report

PATCH = Patch({"calc.py": FileChange(b"x = 1\n")})
Answer = Callable[[Question, list[Question], bool], bool]
"""Whether a question passes, among which others, and whether the process knows which test is running."""


def exam(n: int) -> Exam:
    source = "".join(f"def test_{k}():\n    assert f({k}) == {k}\n\n\n" for k in range(n))
    amounts = {f"t.py::test_{k}": Amount(2, 2) for k in range(n)}
    return make_exam(amounts, {"t.py": source.encode()}.get, 1)


class Box:
    """A bench whose candidate answers like this, and whose own code fails with this kind of exception."""

    def __init__(self, asked: Exam, answer: Answer, kind: str) -> None:
        self._questions = {question.id: question for question in asked.table}
        self._answer = answer
        self._kind = kind
        self.runs = 0

    async def ask(self, patch: Patch, ids: tuple[str, ...], *, anonymous: bool) -> Report:
        self.runs += 1
        questions = [self._questions[one] for one in ids]
        cases = []
        for question in questions:
            own = "calc.py" not in patch.files and question.origin
            passes = self._answer(question, questions, anonymous) if question.origin else question.passes
            kind = self._kind if own else question.type or "AssertionError"
            failure = None if passes and not own else Failure(kind, question.message)
            outcome = "passed" if failure is None else "failed"
            cases.append(CaseResult(question.id, outcome, failure=failure))
        return Report("finished", tuple(cases), ids)


async def checked(
    n: int, answer: Answer, kind: str = "AssertionError", looks: bool = False
) -> tuple[Checked, Exam, int]:
    asked = exam(n)
    baseline = Report(
        "finished",
        tuple(
            CaseResult(f"t.py::test_{k}", "failed", failure=Failure("AssertionError", "")) for k in range(n)
        ),
    )
    box = Box(asked, answer, kind)
    known = Known(frozenset(), baseline, lambda: looks)
    return await blind_check(cast(Bench, box), asked, lambda: asked, PATCH, known), asked, box.runs


def right(question: Question, among: list[Question], anonymous: bool) -> bool:
    return question.passes


def once(question: Question, among: list[Question], anonymous: bool) -> bool:
    """Right for the first question about each test; another one in the same process gets the opposite."""
    mine = [one for one in among if one.origin == question.origin]
    return question.passes if mine[0] is question else not question.passes


async def test_right_answers_take_one_run_and_are_counted() -> None:
    found, asked, runs = await checked(2, right)
    assert (found, runs) == (Checked(right=len(asked.table)), 1)


@pytest.mark.parametrize("n", [1, 3, 8])
async def test_what_is_right_once_in_a_process_is_not_clear(n: int) -> None:
    found, asked, runs = await checked(n, once)
    tests = {f"t.py::test_{k}" for k in range(n)}
    assert (found.faults, set(found.unclear), set(found.unexplained)) == ((), tests, tests)
    # Of four questions about each test one was answered rightly.
    assert found.right == len(asked.table) - 3 * n
    assert runs <= 6


async def test_the_users_own_code_may_explain_it() -> None:
    found, _, _ = await checked(4, once, "KeyError")
    assert (len(found.unclear), found.unexplained, found.faults) == (4, (), ())


@pytest.mark.parametrize(("looks", "believed"), [(False, False), (True, True)])
async def test_who_needs_to_know_that_it_is_tested_is_not_believed(looks: bool, believed: bool) -> None:
    def sees(question: Question, among: list[Question], anonymous: bool) -> bool:
        return question.passes != anonymous

    found, _, _ = await checked(1, sees, looks=looks)
    assert bool(found.faults) != believed
    assert bool(found.unexplained) == believed


async def test_wrong_apart_is_wrong() -> None:
    def wrong(question: Question, among: list[Question], anonymous: bool) -> bool:
        return True

    for n in (1, 2, 6):
        found, _, _ = await checked(n, wrong)
        assert found.faults
