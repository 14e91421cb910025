"""What is known of the tests before the search: how each one fails, and those the first run did not reach."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from untilgreen.solvers.solver import Task, Workbench
from untilgreen_sandbox.report import CaseResult, Frame, Report

MOST_HANGING = 3
HANG_SECONDS, LEAST_HANG_SECONDS, TIMES_SLOWEST = 5.0, 1.0, 20
"""When some test does not end, others are taken for the same after so many times what the slowest took."""
HANGING_SECONDS = 0.02
"""CPU seconds for one such test, where most candidates will not end either."""
QUICK_SECONDS = 0.2
"""A test that takes longer is slow."""
_CHANGING = re.compile(r"0x[0-9a-f]+|\d+|'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Of the tests on the base."""

    cases: Mapping[str, CaseResult] = field(default_factory=dict)
    """What is known of each red test; nothing of one that hangs."""
    hanging: tuple[str, ...] = ()
    """Tests that did not end."""
    waiting: tuple[str, ...] = ()
    """Tests that the first run did not reach, and that pass when they run alone."""
    passing: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    run_seconds: float = 0.5
    """How long a run took that ended; a busy machine takes longer for everything."""

    def frames(self, test: str) -> tuple[Frame, ...]:
        case = self.cases.get(test)
        return case.failure.frames if case is not None and case.failure is not None else ()

    def kind(self, test: str) -> str:
        """The name of its exception; empty when that is not known."""
        case = self.cases.get(test)
        return case.failure.type if case is not None and case.failure is not None else ""

    def deciding(self, askable: Sequence[str]) -> tuple[tuple[str, ...], float]:
        """Of these tests those that decide, and how long the slowest of them takes; 0 when it is quick. Where
        quick ones can say no, slow ones are left to the runner; else the quickest of those is asked."""
        quick = tuple(test for test in askable if self.seconds.get(test, 0.0) <= QUICK_SECONDS)
        asked = quick or (min(askable, key=lambda test: self.seconds.get(test, 0.0)),)
        if set(asked) <= set(self.hanging):
            # That they do not end is known; to see it again in each batch need not take long.
            return asked, HANGING_SECONDS
        slowest = max(self.seconds.get(test, 0.0) for test in asked)
        return asked, slowest if slowest > QUICK_SECONDS else 0.0

    def signature(self, test: str) -> str:
        """Equal for tests that seem to fail for the same reason."""
        case = self.cases.get(test)
        if case is None or case.failure is None:
            return "hangs" if test in self.hanging else "unknown"
        failure = case.failure
        places = [frame for frame in failure.frames if frame.path is not None]
        where = f"{places[-1].path}:{places[-1].function}" if places else ""
        # An assertion differs from test to test whatever the reason is.
        text = "" if failure.type in ("AssertionError", "Failed") else failure.message.partition("\n")[0]
        return f"{failure.type} {where} {_CHANGING.sub('…', text)[:120]}"


async def find_out(task: Task, bench: Workbench) -> Knowledge:
    """The first run tells most of it; what it did not reach is asked again without the test that hung."""
    reports = [task.baseline]
    hanging: list[str] = []
    missing = _missing(task, reports)
    while missing and len(hanging) < MOST_HANGING and any(not _is_file(test) for test in missing):
        # They run in the order of the plan, so the first without a result is the one that hung.
        hanging.append(missing[0])
        rest = tuple(test for test in _missing(task, reports) if test not in hanging)
        if not rest:
            break
        slowest = max((case.seconds for report in reports for case in report.cases), default=0.0)
        patience = min(HANG_SECONDS, max(LEAST_HANG_SECONDS, TIMES_SLOWEST * slowest))
        reports.append(await bench.run(task.base, rest, one_test=patience))
        missing = tuple(test for test in _missing(task, reports) if test not in hanging)
    if len(hanging) >= MOST_HANGING:
        # What still said nothing would most likely hang as well; to find out would take all the time.
        hanging += missing
    cases = {case.id: case for report in reports for case in report.cases}
    passing = tuple(test for test, case in cases.items() if case.outcome == "passed")
    wanted = frozenset(task.failing)
    return Knowledge(
        cases={test: case for test, case in cases.items() if not case.good},
        hanging=tuple(test for test in hanging if test in wanted),
        waiting=tuple(test for test in passing if test in wanted),
        passing=tuple(test for test in passing if test not in wanted),
        seconds={test: case.seconds for test, case in cases.items()},
        run_seconds=max((report.seconds for report in reports if report.ended == "finished"), default=0.5),
    )


def by_signature(tests: Iterable[str], known: Knowledge) -> tuple[tuple[str, ...], ...]:
    """Tests that seem to fail for the same reason stand together, the largest group first."""
    groups: dict[str, list[str]] = {}
    for test in tests:
        groups.setdefault(known.signature(test), []).append(test)
    return tuple(tuple(group) for group in sorted(groups.values(), key=lambda group: -len(group)))


def _missing(task: Task, reports: list[Report]) -> tuple[str, ...]:
    told = {case.id for report in reports for case in report.cases}
    order = [test for test in task.baseline.planned if test in set(task.failing)]
    return tuple(test for test in order if test not in told)


def _is_file(test: str) -> bool:
    return "::" not in test
