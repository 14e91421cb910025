"""The last word: pristine tests and configuration, the candidate's bytes, a fresh box, and a blind check."""

from __future__ import annotations

import asyncio
import dataclasses
import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from untilgreen.model import Finding, Patch
from untilgreen.rules import REASONS
from untilgreen.solve.bench import Bench
from untilgreen.solve.blind.asked import Asked, choose, fixed_tests, near
from untilgreen.solve.blind.check import Checked, blind_check
from untilgreen.solve.blind.edited import edited_in
from untilgreen.solve.blind.exam import Exam, make_exam
from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.sabotage import sabotaged
from untilgreen.solve.judge import Judgement, judge
from untilgreen.solve.plan import Plan
from untilgreen.solve.proof import Proof
from untilgreen.solve.verdicts import Start
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.report import Report

Pristine = Callable[[str], bytes | None]
LARGEST_TEST_FILE = 1 << 20
VERIFY_SECONDS = 600.0
COLD_RUNS = 2.5
"""How many runs of the whole suite all of verification takes at most."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """What was asked blind, and what came of it."""

    asked: Asked
    exam: Exam
    checked: Checked


class Verifier:
    """Of one job. Keeps the tests as they were: the user may edit them meanwhile."""

    def __init__(
        self, bench: Bench, start: Start, snapshot: Snapshot, seconds: float = VERIFY_SECONDS
    ) -> None:
        """Blocking."""
        self._bench = bench
        self._start = start
        self._fits = start.baseline.seconds * COLD_RUNS <= seconds
        self._tests = {
            path: snapshot.read(path)
            for path in sorted(start.plan.files)
            if snapshot.exists(path) and snapshot.entries[path].size <= LARGEST_TEST_FILE
        }

    async def verify(
        self, patch: Patch, looked_green: Report, pristine: Pristine, failing: tuple[str, ...]
    ) -> Proof:
        """Only this may end in green: these tests pass now, and no other broke.

        `pristine` knows what was there of each file of the patch.
        """
        start = dataclasses.replace(self._start, failing=failing)
        plan, ids = start.plan, tuple[str, ...]()
        if not self._fits:
            plan, ids = await asyncio.to_thread(self._affected, start, patch, looked_green, pristine)
        asking: asyncio.Task[_Heard] | None = None
        if self._fits and judge(plan, start.baseline, start.failing, looked_green).green:
            # In another box, while the fresh one runs: what may be asked is known, and nobody likes to wait.
            asking = asyncio.ensure_future(self._ask(start, patch, looked_green, pristine))
        try:
            report = await self._bench.run_fresh(patch, ids)
            judgement = judge(plan, start.baseline, start.failing, report)
            if not judgement.green:
                self._bench.disagreed(looked_green, report)
                self._bench.prepare_fresh()
                return Proof(judgement, report)
            heard = await (asking or self._ask(start, patch, report, pristine))
        finally:
            if asking is not None:
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
        if heard.checked.faults:
            self._bench.prepare_fresh()
            return Proof(Judgement((), (), start.failing, heard.checked.faults), report)
        proof = Proof(judgement, report) if self._fits else _partly(judgement, report, len(start.plan.ids))
        proof = dataclasses.replace(proof, questions=len(heard.exam.table))
        return await self._with_weak(proof, patch, pristine, heard)

    async def doubts(self, patch: Patch, fix: Patch, report: Report, pristine: Pristine) -> tuple[str, ...]:
        """Ask about tests that pass with the patch and reach a fix, which may be part of the tree already."""
        seed = secrets.randbits(64)
        _, exam = await asyncio.to_thread(self._exam, self._start, patch, fix, report, pristine, seed)
        # Without the fix, these tests fail: they cannot be calibrated.
        return (await blind_check(self._bench, exam, lambda: exam, patch, frozenset())).faults

    async def _ask(self, start: Start, patch: Patch, report: Report, pristine: Pristine) -> _Heard:
        """The blind check of a candidate with which the tests pass, as this report says."""
        seed = secrets.randbits(64)
        asked, exam = await asyncio.to_thread(self._exam, start, patch, patch, report, pristine, seed)
        checked = await blind_check(
            self._bench,
            exam,
            lambda: make_exam(asked.amounts, self._own(pristine), seed),
            patch,
            frozenset(asked.passing),
        )
        return _Heard(asked, exam, checked)

    async def _with_weak(self, proof: Proof, patch: Patch, pristine: Pristine, heard: _Heard) -> Proof:
        """Tests without a question that must fail: they should at least need what the candidate did."""
        unasked = {*heard.exam.unasked, *heard.checked.uncalibrated, *heard.checked.unclear}
        weak = tuple(test_id for test_id in heard.asked.fixed if test_id in unasked)
        if not weak:
            return proof
        spoiled = await asyncio.to_thread(
            sabotaged, patch, pristine, Names(random.Random(secrets.randbits(64)))
        )
        # As warm as can be: it costs next to nothing, and nothing becomes green by it.
        report = await self._bench.run(spoiled, weak)
        findings = [
            _unproven(proof.report, test_id, "passes although all that was changed raises an error")
            for test_id in weak
            if still_passes(report, test_id)
        ]
        return dataclasses.replace(proof, weak=weak, findings=(*proof.findings, *findings))

    def _exam(
        self, start: Start, patch: Patch, fix: Patch, report: Report, pristine: Pristine, seed: int
    ) -> tuple[Asked, Exam]:
        read, edited = self._candidate(patch, pristine), _edited(fix, pristine)
        chance = random.Random(seed)
        asked = choose(start.plan, start.baseline, report, start.failing, edited, read, chance)
        return asked, make_exam(asked.amounts, read, seed)

    def _affected(
        self, start: Start, patch: Patch, report: Report, pristine: Pristine
    ) -> tuple[Plan, tuple[str, ...]]:
        """The part of the plan that a change is likely to affect."""
        fixed = fixed_tests(start.plan, report, start.failing)
        names, read = _edited(patch, pristine), self._candidate(patch, pristine)
        ids = (*fixed, *near(start.baseline, report, fixed, names, read))
        chosen = frozenset(ids)
        plan = dataclasses.replace(
            start.plan, ids=tuple(test_id for test_id in start.plan.ids if test_id in chosen)
        )
        return plan, (*ids, *start.plan.unlisted)

    def _own(self, pristine: Pristine) -> Pristine:
        return lambda path: self._tests[path] if path in self._tests else pristine(path)

    def _candidate(self, patch: Patch, pristine: Pristine) -> Pristine:
        own = self._own(pristine)
        return lambda path: patch.files[path].content if path in patch.files else own(path)


def _edited(patch: Patch, pristine: Pristine) -> tuple[str, ...]:
    return tuple(
        name
        for path, change in patch
        if path.endswith(".py") and (found := edited_in(pristine(path), change.content)) is not None
        for name in found.functions
    )


def _partly(judgement: Judgement, report: Report, n: int) -> Proof:
    said = f"{len(report.cases)} of {n} tests in the time that verification may take"
    finding = Finding("", 0, "not-all-run", f"{said}: {REASONS['not-all-run']}")
    return Proof(judgement, report, findings=(finding,), scope="affected")


def still_passes(sabotaged: Report, test_id: str) -> bool:
    """Whether a test is content with a candidate whose work was taken out."""
    return sabotaged.ended == "finished" and sabotaged.outcomes().get(test_id) == "passed"


def _unproven(report: Report, test_id: str, why: str) -> Finding:
    case = report.case(test_id)
    path, line = (case.path, case.line) if case is not None else (test_id.split("::")[0], 0)
    return Finding(path, line, "unproven", f"{test_id} {why}: {REASONS['unproven']}")
