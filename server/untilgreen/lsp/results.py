"""What the last runs said about each test of a workspace: for lenses, hovers and actions. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from untilgreen.model import Attempt, Goal
from untilgreen_sandbox.report import CaseResult, Report


@dataclass(frozen=True, slots=True)
class Result:
    """One test, as it was seen last."""

    case: CaseResult
    at: float
    """When, in seconds since 1970."""
    unsaved: tuple[str, ...] = ()
    """Files whose unsaved text ran."""


@dataclass(slots=True)
class _Folder:
    results: dict[str, Result] = field(default_factory=dict)
    by_function: dict[str, list[str]] = field(default_factory=dict)
    """Ids by what they are called without their parameters."""
    files: frozenset[str] = frozenset()
    attempts: tuple[Attempt, ...] = ()

    def hold(self, results: dict[str, Result]) -> None:
        self.results = results
        self.by_function = {}
        for test_id in results:
            self.by_function.setdefault(test_id.partition("[")[0], []).append(test_id)
        self.files = frozenset(function.partition("::")[0] for function in self.by_function)


class Results:
    """By workspace folder and test id; what a run is not about stays as it was."""

    def __init__(self) -> None:
        self._folders: dict[Path, _Folder] = {}

    def add(self, goal: Goal, report: Report, at: float, unsaved: tuple[str, ...] = ()) -> None:
        folder = self._folders.setdefault(goal.root, _Folder())
        settled = settled_by(goal, report)
        kept = {test_id: result for test_id, result in folder.results.items() if not settled(test_id)}
        folder.hold(kept | {case.id: Result(case, at, unsaved) for case in report.cases})

    def thrown_away(self, root: Path, path: str) -> None:
        """What was typed there was never saved and is gone: what was seen of it says nothing any more."""
        folder = self._folders.get(root, _Folder())
        folder.hold({one: result for one, result in folder.results.items() if path not in result.unsaved})

    def tried(self, root: Path, attempts: tuple[Attempt, ...]) -> None:
        """What the last solve tried."""
        self._folders.setdefault(root, _Folder()).attempts = attempts

    def of(self, root: Path, function: str) -> list[Result]:
        """Of one test function, all its cases; of one case, just that."""
        folder = self._folders.get(root, _Folder())
        ids = folder.by_function.get(function) or [function]
        return [folder.results[test_id] for test_id in ids if test_id in folder.results]

    def newest(self, around: Iterable[Path], file: Path, name: str) -> tuple[Path | None, list[Result]]:
        """What was said last of one test, and by a run in which of the folders around its file."""
        told = [(root, self.of(root, f"{file.relative_to(root).as_posix()}::{name}")) for root in around]
        known = [(root, results) for root, results in told if results]
        if not known:
            return None, []
        return max(known, key=lambda one: max(result.at for result in one[1]))

    def failing(self, root: Path) -> Iterable[Result]:
        results = self._folders.get(root, _Folder()).results.values()
        return (result for result in results if not result.case.good)

    def attempts(self, root: Path, test_id: str) -> list[Attempt]:
        """Those of the last solve that say something about this test."""
        tried = self._folders.get(root, _Folder()).attempts
        return [
            attempt
            for attempt in tried
            if any(test_id in told for told in (attempt.fixed, attempt.still_failing, attempt.broken))
        ]

    def has_tests(self, root: Path, path: str) -> bool:
        """True when a run found tests there, whatever the file is called."""
        return path in self._folders.get(root, _Folder()).files


def settled_by(goal: Goal, report: Report) -> Callable[[str], bool]:
    """Tells of what earlier runs found whether this one says the last word about it."""
    told = {case.id for case in report.cases}
    # A file that could not be collected has no test in its id; one test run from it settles that.
    told |= {case.id.partition("::")[0] for case in report.cases}
    # A run that did not come to its end says nothing of tests that it did not tell of.
    whole = report.ended == "finished"
    covers = goal.covering()
    return lambda test_id: test_id in told or (whole and covers(test_id))
