"""The blind check: run an exam on a candidate; when answers are wrong, find out whose fault that is."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from untilgreen.model import FileChange, Patch
from untilgreen.solve.bench import Bench
from untilgreen.solve.blind.exam import Exam
from untilgreen.solve.blind.table import Answers, Mismatch, Question, compare

MOST_ALONE = 3
"""Tests that are asked about once more, alone; a candidate that needs more is not believed."""
ALONE = 3
"""Questions of each kind about one of them; to guess which is which is hopeless enough."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a blind check found out."""

    faults: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    """Tests that answer rightly by themselves but not among others."""
    uncalibrated: tuple[str, ...] = ()
    """Tests that answer wrongly on the user's own code, too: this way nothing can be asked about them."""


async def blind_check(
    bench: Bench, exam: Exam, pristine: Callable[[], Exam], patch: Patch, good: frozenset[str]
) -> Checked:
    """One run when all is well. `pristine` is the same exam of the user's own files.

    `good` are the tests that pass on those, and only they can be calibrated: another one fails there before
    it comes to the question.
    """
    if not exam.table:
        return Checked()
    answers = await _ask(bench, exam, exam.table, patch)
    if answers.right:
        return Checked()
    calibration = Answers((), ())
    if answers.faults or answers.wrong_origins & {"", *good}:
        own = pristine()
        table = tuple(question for question in own.table if question.origin in {"", *good})
        calibration = await _ask(bench, own, table, Patch())
    return await _explained(bench, exam, patch, answers, calibration)


async def _explained(
    bench: Bench, exam: Exam, patch: Patch, answers: Answers, calibration: Answers
) -> Checked:
    """A wrong answer is the candidate's fault unless the user's own code gives it, too."""
    if answers.faults:
        return Checked(uncalibrated=_origins(exam)) if calibration.faults else Checked(answers.faults)
    wrong_before = {mismatch.question for mismatch in calibration.mismatches}
    if any(not question.origin for question in wrong_before):
        # Not even what has nothing to do with the code is answered rightly here.
        return Checked(uncalibrated=_origins(exam))
    uncalibrated: set[str] = set()
    doubtful: list[Mismatch] = []
    for mismatch in answers.mismatches:
        if not mismatch.question.origin:
            return Checked((mismatch.sentence(),))
        if mismatch.question in wrong_before:
            uncalibrated.add(mismatch.question.origin)
        else:
            doubtful.append(mismatch)
    suspects = {
        one.question.origin: one.sentence() for one in doubtful if one.question.origin not in uncalibrated
    }
    if len(suspects) > MOST_ALONE:
        return Checked(tuple(suspects.values()))
    for origin, sentence in suspects.items():
        if not await _right_alone(bench, exam, patch, origin):
            return Checked((sentence,))
    return Checked((), tuple(suspects), tuple(sorted(uncalibrated)))


async def _right_alone(bench: Bench, exam: Exam, patch: Patch, origin: str) -> bool:
    """Tests may disturb each other. Asked one by one, in processes of their own, they cannot."""
    questions = exam.about(origin)
    right = [question for question in questions if question.passes][:ALONE]
    opposite = [question for question in questions if not question.passes][:ALONE]
    mixed = random.SystemRandom().sample([*right, *opposite], len(right) + len(opposite))
    for question in mixed:
        table = (question, *_canaries_beside(exam, question))
        # Code that honestly looks whether it is tested may do so now; a finding names what a patch adds.
        if not (await _ask(bench, exam, table, patch, anonymous=False)).right:
            return False
    return True


async def _ask(
    bench: Bench, exam: Exam, table: tuple[Question, ...], patch: Patch, *, anonymous: bool = True
) -> Answers:
    files = {path: FileChange(content) for path, content in exam.files.items()}
    ids = tuple(question.id for question in table)
    report = await bench.ask(Patch({**patch.files, **files}), ids, anonymous=anonymous)
    return compare(table, report)


def _canaries_beside(exam: Exam, question: Question) -> tuple[Question, ...]:
    path = question.id.split("::")[0]
    return tuple(canary for canary in exam.canaries if canary.id.startswith(f"{path}::"))


def _origins(exam: Exam) -> tuple[str, ...]:
    return tuple(dict.fromkeys(question.origin for question in exam.table if question.origin))
