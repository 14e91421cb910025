"""Boxes in which a test fails, or passes, by chance: once, in a run that a scenario names."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from untilgreen.events import State
from untilgreen_sandbox.box import Box, BoxSpec, Change, Chosen, RunRequest, open_box
from untilgreen_sandbox.report import CaseResult, Failure, Report

OpenBox = Callable[[Chosen, BoxSpec, Callable[[str], None]], AbstractAsyncContextManager[Box]]


class Chances:
    """Counts the runs of each state of a job. From testing on, only runs of a candidate count."""

    def __init__(self, wanted: tuple[Mapping[str, Any], ...], state: Callable[[], State]) -> None:
        self._wanted = wanted
        self._state = state
        self._runs: dict[State, int] = {}
        self.taken = 0
        """How many of them came true."""

    def open_box(self) -> OpenBox:
        @asynccontextmanager
        async def opened(
            chosen: Chosen, spec: BoxSpec, progress: Callable[[str], None]
        ) -> AsyncIterator[Box]:
            async with open_box(chosen, spec, progress) as box:
                yield _Lucky(box, self)  # type: ignore[misc]

        return opened

    def told(self, report: Report, changes: tuple[Change, ...]) -> Report:
        state = self._state()
        if not changes and state != "baseline":
            return report
        self._runs[state] = self._runs.get(state, 0) + 1
        for chance in self._wanted:
            if (chance["state"], chance["run"]) == (state, self._runs[state]):
                self.taken += 1
                cases = tuple(_turned(case, chance["test"], chance["outcome"]) for case in report.cases)
                report = dataclasses.replace(report, cases=cases)
        return report


class _Lucky:
    """A box like the one it holds."""

    def __init__(self, box: Box, chances: Chances) -> None:
        self._box = box
        self._chances = chances

    def __getattr__(self, name: str) -> Any:
        return getattr(self._box, name)

    async def run(self, request: RunRequest, changes: tuple[Change, ...] = ()) -> Report:
        return self._chances.told(await self._box.run(request, changes), changes)


def _turned(case: CaseResult, test: str, outcome: Any) -> CaseResult:
    if case.id != test:
        return case
    failure = None if outcome == "passed" else Failure("AssertionError", "by chance")
    return dataclasses.replace(case, outcome=outcome, failure=failure)
