"""The last word: pristine tests and configuration, the candidate's bytes, a fresh box, and a blind check."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from untilgreen.errors import UntilgreenError
from untilgreen.model import Patch
from untilgreen.solve.bench import Bench
from untilgreen.solve.blind.asked import Asked, choose, fixed_tests, near
from untilgreen.solve.blind.check import Checked, Known, blind_check
from untilgreen.solve.blind.exam import Exam, make_exam
from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.nearby import brings_constants
from untilgreen.solve.blind.sabotage import sabotaged
from untilgreen.solve.doubts import (
    changed_checks,
    edited_names,
    not_all_run,
    unproven_change,
    unproven_test,
)
from untilgreen.solve.judge import Judgement, judge
from untilgreen.solve.plan import Plan
from untilgreen.solve.proof import Proof
from untilgreen.solve.verdicts import Start
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.report import Report

Pristine = Callable[[str], bytes | None]
LARGEST_TEST_FILE = 1 << 20
VERIFY_SECONDS = 600.0
ORDERS = 3
"""In how many more orders of sets tests must pass that passed in one of them before."""
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
        self._snapshot = snapshot
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
            if luck := await self._luck(start, patch):
                self._bench.prepare_fresh()
                return Proof(Judgement((), (), luck, tuple(map(_by_luck, luck))), report)
            heard = await (asking or self._ask(start, patch, report, pristine))
        finally:
            if asking is not None:
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
        if heard.checked.faults:
            self._bench.prepare_fresh()
            return Proof(Judgement((), (), start.failing, heard.checked.faults), report)
        proof = Proof(judgement, report) if self._fits else _partly(judgement, report, len(start.plan.ids))
        proof = dataclasses.replace(proof, questions=heard.checked.right)
        return await self._with_weak(proof, patch, pristine, heard)

    async def _luck(self, start: Start, patch: Patch) -> tuple[str, ...]:
        """Tests that may pass by the order of sets alone, and do not in every order."""
        ids = tuple(test_id for test_id in start.swayed if test_id in start.failing)
        for _ in range(ORDERS if ids else 0):
            report = await self._bench.ask(patch, ids, anonymous=False, one_order=False)
            # One that is named by the order of a set is not there in another one.
            red = {case.id for case in report.red}
            if lucky := tuple(test_id for test_id in ids if test_id in red):
                return lucky
        return ()

    async def doubts(self, patch: Patch, fix: Patch, report: Report, pristine: Pristine) -> tuple[str, ...]:
        """Ask about tests that pass with the patch and reach a fix, which may be part of the tree already."""
        seed = secrets.randbits(64)
        _, exam = await asyncio.to_thread(self._exam, self._start, patch, fix, report, pristine, seed)
        # Without the fix, these tests fail: they cannot be calibrated.
        known = Known(frozenset(), Report("lost"), lambda: self._looks)
        return (await blind_check(self._bench, exam, lambda: exam, patch, known)).faults

    async def _ask(self, start: Start, patch: Patch, report: Report, pristine: Pristine) -> _Heard:
        """The blind check of a candidate with which the tests pass, as this report says."""
        seed = secrets.randbits(64)
        asked, exam = await asyncio.to_thread(self._exam, start, patch, patch, report, pristine, seed)
        checked = await blind_check(
            self._bench,
            exam,
            lambda: make_exam(asked.amounts, self._own(pristine), seed),
            patch,
            Known(frozenset(asked.passing), start.baseline, lambda: self._looks),
        )
        return _Heard(asked, exam, checked)

    async def _with_weak(self, proof: Proof, patch: Patch, pristine: Pristine, heard: _Heard) -> Proof:
        """Tests without a question that must fail: they should at least need what the candidate did."""
        unasked = {*heard.exam.unasked, *heard.checked.uncalibrated, *heard.checked.unclear}
        weak = tuple(test_id for test_id in heard.asked.fixed if test_id in unasked)
        findings = [*changed_checks(patch, pristine)]
        findings += [
            unproven_change(patch, pristine, f"{test_id} passes once with it, and not when it is asked again")
            for test_id in heard.checked.unexplained[:1]
        ]
        if said := heard.checked.elsewhere:
            findings.append(unproven_change(patch, pristine, said, about=said))
        if not weak:
            return dataclasses.replace(proof, findings=(*proof.findings, *findings))
        spoiled = await asyncio.to_thread(
            sabotaged, patch, pristine, Names(random.Random(secrets.randbits(64)))
        )
        # As warm as can be: it costs next to nothing, and nothing becomes green by it.
        report = await self._bench.run(spoiled, weak)
        findings += [
            unproven_test(proof.report, test_id, "passes although all that was changed raises an error")
            for test_id in weak
            if still_passes(report, test_id)
        ]
        return dataclasses.replace(proof, weak=weak, findings=(*proof.findings, *findings))

    def _exam(
        self, start: Start, patch: Patch, fix: Patch, report: Report, pristine: Pristine, seed: int
    ) -> tuple[Asked, Exam]:
        read, edited = self._candidate(patch, pristine), edited_names(fix, pristine)
        chance = random.Random(seed)
        asked = choose(start.plan, start.baseline, report, start.failing, edited, read, chance)
        near = any(brings_constants(pristine(path), change.content, path) for path, change in fix)
        return asked, make_exam(asked.amounts, read, seed, asked.brief, near=near)

    def _affected(
        self, start: Start, patch: Patch, report: Report, pristine: Pristine
    ) -> tuple[Plan, tuple[str, ...]]:
        """The part of the plan that a change is likely to affect."""
        fixed = fixed_tests(start.plan, report, start.failing)
        names, read = edited_names(patch, pristine), self._candidate(patch, pristine)
        ids = (*fixed, *near(start.baseline, report, fixed, names, read))
        chosen = frozenset(ids)
        plan = dataclasses.replace(
            start.plan, ids=tuple(test_id for test_id in start.plan.ids if test_id in chosen)
        )
        return plan, (*ids, *start.plan.unlisted)

    @functools.cached_property
    def _looks(self) -> bool:
        """Whether the user's own code looks whether it is being tested. Blocking, and seldom asked."""
        for path, entry in self._snapshot.entries.items():
            if path.endswith(".py") and path not in self._tests and entry.size <= LARGEST_TEST_FILE:
                with contextlib.suppress(OSError, UntilgreenError):
                    if b"PYTEST_" in self._snapshot.read(path):
                        return True
        return False

    def _own(self, pristine: Pristine) -> Pristine:
        return lambda path: self._tests[path] if path in self._tests else pristine(path)

    def _candidate(self, patch: Patch, pristine: Pristine) -> Pristine:
        own = self._own(pristine)
        return lambda path: patch.files[path].content if path in patch.files else own(path)


def _by_luck(test_id: str) -> str:
    return f"{test_id} passes by the order of sets, or by chance, and not every time"


def _partly(judgement: Judgement, report: Report, n: int) -> Proof:
    return Proof(judgement, report, findings=(not_all_run(report, n),), scope="affected")


def still_passes(sabotaged: Report, test_id: str) -> bool:
    """Whether a test is content with a candidate whose work was taken out."""
    return sabotaged.ended == "finished" and sabotaged.outcomes().get(test_id) == "passed"
