"""A candidate tried in earnest: written into the tree, and run with the real runner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from untilgreen.model import Patch
from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.solver import Workbench
from untilgreen_sandbox.report import Report

SMALL_SECONDS = 1.0
"""A suite that takes no longer is run whole: the loop will do just that, and the process is warm then."""
MOST_COVERING = 200
COVERING_SECONDS = 5.0
LEAST_SECONDS, PATIENCE, HANG_PATIENCE = 2.0, 10.0, 4.0
"""A run may take so many times as long as the first one."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What one run says of a patch."""

    passed: frozenset[str]
    """Tests that should turn green and did, also those inside a file that could not be collected before."""
    remaining: tuple[str, ...]
    """Tests that should and did not."""
    broken: tuple[str, ...]
    report: Report

    @property
    def whole(self) -> bool:
        return not self.remaining and not self.broken and bool(self.passed)


class Checker:
    """Runs patches on the tests that matter to them."""

    def __init__(self, bench: Workbench, wanted: tuple[str, ...], known: Knowledge, n_tests: int) -> None:
        self._bench = bench
        self.wanted = wanted
        self.known = known
        total = sum(known.seconds.values())
        self._whole = total <= SMALL_SECONDS and not known.hanging and n_tests <= MOST_COVERING
        self.hangs = bool(known.hanging)
        """Whether many candidates will take all the time that they are given."""
        patience = HANG_PATIENCE if self.hangs else PATIENCE
        self.seconds = max(LEAST_SECONDS, patience * known.run_seconds)
        self.runs = 0

    async def check(self, patch: Patch, covering: Iterable[str]) -> Checked:
        """All tests that should turn green, and the passing ones that reach what is changed."""
        if not self._whole:
            return await self._run(patch, (*self.wanted, *self._affordable(covering)))
        # Most often the first that is checked is the one, and the loop need not run it again.
        return await self._run(patch, (), alone=not self.runs)

    async def fixes(self, patch: Patch, target: tuple[str, ...]) -> bool:
        """Only these tests, for a quick no."""
        return not (await self._run(patch, target, target)).remaining

    async def _run(
        self, patch: Patch, ids: tuple[str, ...], wanted: tuple[str, ...] = (), *, alone: bool = False
    ) -> Checked:
        self.runs += 1
        report = await self._bench.run(patch, ids, seconds=self.seconds, alone=alone)
        return judge(report, wanted or self.wanted, self.known)

    def _affordable(self, covering: Iterable[str]) -> tuple[str, ...]:
        seconds = self.known.seconds
        chosen: list[str] = []
        spent = 0.0
        for test in sorted(set(covering) - set(self.wanted), key=lambda test: (seconds.get(test, 0.0), test)):
            spent += seconds.get(test, 0.0)
            if spent > COVERING_SECONDS or len(chosen) >= MOST_COVERING:
                break
            chosen.append(test)
        return tuple(chosen)


def judge(report: Report, wanted: tuple[str, ...], known: Knowledge) -> Checked:
    """Absent is not passed."""
    outcomes = report.outcomes()
    passed: set[str] = set()
    remaining: list[str] = []
    for test in wanted:
        inside = [case for case in report.cases if case.id.startswith(f"{test}::")]
        if "::" in test or not inside or test in outcomes:
            if outcomes.get(test) == "passed":
                passed.add(test)
            else:
                remaining.append(test)
        else:
            passed |= {case.id for case in inside if case.outcome == "passed"}
            remaining += [case.id for case in inside if not case.good]
    broken = tuple(
        test for test in known.passing if test in outcomes and outcomes[test] not in ("passed", "xpassed")
    )
    if report.ended != "finished" and not remaining:
        remaining = list(wanted)
    return Checked(frozenset(passed), tuple(remaining), broken, report)
