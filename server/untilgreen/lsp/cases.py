"""Cases of parametrised tests: no text names them, so that only a run knows when one is gone. No I/O."""

from __future__ import annotations

from pathlib import Path

from untilgreen.lsp.results import settled_by
from untilgreen.model import Goal
from untilgreen_sandbox.report import Report


class Cases:
    """Those that were told of, by workspace folder."""

    def __init__(self) -> None:
        self._folders: dict[Path, set[str]] = {}

    def settle(self, goal: Goal, report: Report) -> dict[str, list[str]]:
        """Functions of which this run did not find all cases any more, each with those that are left."""
        settled = settled_by(goal, report)
        told = {case.id for case in report.cases}
        known = self._folders.get(goal.root, set())
        # Of cases there may be thousands, and a run that names some of them says nothing of the others.
        # A file that could not be collected is told of by its path, and nothing is known of its cases.
        lost = {
            function
            for function in {_function(case) for case in known - told}
            if settled(f"{function}[") and function.partition("::")[0] not in told
        }
        now = sorted(case for case in told if "[" in case)
        self._folders[goal.root] = {case for case in known if _function(case) not in lost} | {*now}
        left: dict[str, list[str]] = {function: [] for function in sorted(lost)}
        for case in now:
            if (cases := left.get(_function(case))) is not None:
                cases.append(case)
        return left


def _function(case: str) -> str:
    return case.partition("[")[0]
