"""The blind check: run an exam on a candidate; when answers are wrong, find out whose fault that is."""

from __future__ import annotations

import asyncio
import dataclasses
import random
from collections.abc import Callable, Collection
from dataclasses import dataclass

from untilgreen.model import FileChange, Patch
from untilgreen.solve.bench import Bench
from untilgreen.solve.blind.exam import Exam
from untilgreen.solve.blind.nearby import knows_only_tests, told_in
from untilgreen.solve.blind.replay import answers_in, tells_two_things
from untilgreen.solve.blind.table import Answers, Mismatch, Question, compare
from untilgreen_sandbox.report import CaseResult, Report

MOST_ALONE = 3
"""Tests that are asked about once more, each alone; a candidate that needs more is not believed."""
ALONE = 3
"""Questions of each kind about one of them; to guess which is which is hopeless enough."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a blind check found out."""

    faults: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    """Tests that answer rightly apart from each other but not among others."""
    unexplained: tuple[str, ...] = ()
    """Those of them for which the user's own code gives no reason."""
    uncalibrated: tuple[str, ...] = ()
    """Tests that answer wrongly on the user's own code, too: this way nothing can be asked about them."""
    right: int = 0
    """How many questions were answered rightly at once."""
    elsewhere: str = ""
    """What is strange about calls in a plain process, in words."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the user's own code."""

    good: frozenset[str]
    """Tests that pass on it, and only they can be calibrated: another one fails there before it comes to the
    question."""
    baseline: Report
    looks: Callable[[], bool]
    """Whether it looks itself whether it is being tested. Blocking."""


async def blind_check(
    bench: Bench, exam: Exam, pristine: Callable[[], Exam], patch: Patch, known: Known
) -> Checked:
    """One run when all is well. `pristine` is the same exam of the user's own files."""
    if not exam.table:
        return Checked()
    answers, elsewhere = await _ask_all(bench, exam, patch)
    n_right = len(exam.table) - len(answers.mismatches)
    if answers.right:
        return Checked(right=n_right, elsewhere=elsewhere)
    calibration = Answers((), ())
    if answers.faults or answers.wrong_origins & {"", *known.good}:
        own = pristine()
        table = tuple(question for question in own.table if question.origin in {"", *known.good})
        calibration = await _ask(bench, own, table, Patch())
    checked, suspects = _explained(exam, answers, calibration)
    if suspects:
        checked = await _apart(bench, exam, pristine, patch, known, checked, suspects)
    return dataclasses.replace(checked, right=n_right, elsewhere=elsewhere)


async def _ask_all(bench: Bench, exam: Exam, patch: Patch) -> tuple[Answers, str]:
    """Every question, and besides, calls that are made in a plain process as well, and what seems strange."""
    replay = exam.replay
    if replay is None:
        return await _ask(bench, exam, exam.table, patch), ""
    more = (replay,) if exam.nearby is None else (replay, exam.nearby)
    beside = Patch({one.path: FileChange(one.content) for one in more})
    added = tuple(one.id for one in more)
    asking = bench.ask(
        Patch({**patch.files, **_laid(exam), **beside.files}), (*added, *exam.ids), anonymous=True
    )
    own = None
    if exam.nearby is None:
        report = await asking
    else:
        # What the user's own code answers is needed in any case, and does not depend on the candidate.
        report, own = await asyncio.gather(asking, bench.ask(beside, added, anonymous=True))
    paths = tuple(f"{one.path}::" for one in more)
    cases = tuple(case for case in report.cases if not case.id.startswith(paths))
    planned = tuple(one for one in report.planned if not one.startswith(paths))
    answers = compare(exam.table, dataclasses.replace(report, cases=cases, planned=planned))
    now = answers_in(report, replay)
    near = told_in(report, exam.nearby) if exam.nearby is not None else ()
    if not near and not any(answer.differs for answer in now):
        return answers, ""
    own = own or await bench.ask(beside, added, anonymous=True)
    strange = tells_two_things(replay, now, answers_in(own, replay))
    if exam.nearby is not None and not strange:
        strange = knows_only_tests(exam.nearby, near, told_in(own, exam.nearby))
    return answers, strange


def _explained(exam: Exam, answers: Answers, calibration: Answers) -> tuple[Checked, dict[str, str]]:
    """A wrong answer is the candidate's fault unless the user's own code gives it, too.

    Besides, the tests that may only have disturbed each other, with what is said against them.
    """
    if answers.faults:
        blamed = Checked(uncalibrated=_origins(exam)) if calibration.faults else Checked(answers.faults)
        return blamed, {}
    wrong_before = {mismatch.question for mismatch in calibration.mismatches}
    if any(not question.origin for question in wrong_before):
        # Not even what has nothing to do with the code is answered rightly here.
        return Checked(uncalibrated=_origins(exam)), {}
    uncalibrated: set[str] = set()
    doubtful: list[Mismatch] = []
    for mismatch in answers.mismatches:
        if not mismatch.question.origin:
            return Checked((mismatch.sentence(),)), {}
        if mismatch.question in wrong_before:
            uncalibrated.add(mismatch.question.origin)
        else:
            doubtful.append(mismatch)
    suspects = {
        one.question.origin: one.sentence() for one in doubtful if one.question.origin not in uncalibrated
    }
    return Checked(uncalibrated=tuple(sorted(uncalibrated))), suspects


async def _apart(
    bench: Bench,
    exam: Exam,
    pristine: Callable[[], Exam],
    patch: Patch,
    known: Known,
    checked: Checked,
    suspects: dict[str, str],
) -> Checked:
    """Tests may disturb each other. Each once in a process, and then each alone, they cannot."""
    # Code that looked whether it is tested before anybody changed it may do so now.
    anonymous = not await asyncio.to_thread(known.looks)
    wrong = await _wrong_in_rounds(bench, exam, patch, tuple(suspects), anonymous=anonymous)
    if len(wrong) > MOST_ALONE or (wrong and len(suspects) == 1):
        return Checked(tuple(suspects[origin] for origin in suspects if origin in wrong))
    for origin in sorted(wrong):
        if await _wrong_in_rounds(bench, exam, patch, (origin,), anonymous=anonymous):
            return Checked((suspects[origin],))
    shaken = await _shaken(bench, pristine(), tuple(suspects), known.baseline)
    unexplained = tuple(origin for origin in suspects if origin not in shaken)
    return dataclasses.replace(checked, unclear=tuple(suspects), unexplained=unexplained)


async def _wrong_in_rounds(
    bench: Bench, exam: Exam, patch: Patch, origins: tuple[str, ...], *, anonymous: bool
) -> set[str]:
    """Which of these are answered wrongly although no process hears of a test twice."""
    chance = random.SystemRandom()
    left: dict[str, list[Question]] = {}
    for origin in origins:
        questions = exam.about(origin)
        right = [question for question in questions if question.passes][:ALONE]
        opposite = [question for question in questions if not question.passes][:ALONE]
        left[origin] = chance.sample([*right, *opposite], len(right) + len(opposite))
    wrong: set[str] = set()
    while left := {origin: some for origin, some in left.items() if some and origin not in wrong}:
        asked = [some.pop() for some in left.values()]
        table = (*asked, *_canaries_beside(exam, asked))
        answers = await _ask(bench, exam, table, patch, anonymous=anonymous)
        if answers.faults or "" in answers.wrong_origins:
            return set(origins)
        wrong |= answers.wrong_origins
    return wrong


async def _shaken(bench: Bench, own: Exam, origins: tuple[str, ...], baseline: Report) -> set[str]:
    """Tests that fail in another way among others than by themselves, on the user's own code as well."""
    table = tuple(question for question in own.table if question.origin in origins)
    report = await _run(bench, own, table, Patch())
    shaken = set()
    for question in table:
        case, before = report.case(question.id), baseline.case(question.origin)
        if question.passes and case is not None and before is not None and _kind(case) != _kind(before):
            shaken.add(question.origin)
    return shaken


def _kind(case: CaseResult) -> tuple[str, str]:
    return case.outcome, case.failure.type if case.failure is not None else ""


async def _ask(
    bench: Bench, exam: Exam, table: tuple[Question, ...], patch: Patch, *, anonymous: bool = True
) -> Answers:
    return compare(table, await _run(bench, exam, table, patch, anonymous=anonymous))


async def _run(
    bench: Bench, exam: Exam, table: tuple[Question, ...], patch: Patch, *, anonymous: bool = True
) -> Report:
    ids = tuple(question.id for question in table)
    return await bench.ask(Patch({**patch.files, **_laid(exam)}), ids, anonymous=anonymous)


def _laid(exam: Exam) -> dict[str, FileChange]:
    return {path: FileChange(content) for path, content in exam.files.items()}


def _canaries_beside(exam: Exam, questions: Collection[Question]) -> tuple[Question, ...]:
    paths = {question.id.split("::")[0] for question in questions}
    return tuple(canary for canary in exam.canaries if canary.id.split("::")[0] in paths)


def _origins(exam: Exam) -> tuple[str, ...]:
    return tuple(dict.fromkeys(question.origin for question in exam.table if question.origin))
