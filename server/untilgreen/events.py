"""All that can happen in a job, as one closed union, and its only serialiser.

Progress, diagnostics, journal and terminal listen to these; none of them asks the loop.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

from untilgreen.model import Attempt, Finding, Patch, Verdict
from untilgreen_sandbox.report import Report

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class JobStarted:
    kind: Literal["test", "solve", "undo"]
    root: Path
    tests: tuple[str, ...]
    cause: str
    """Who asked, in words: `untilgreen solve`, `code action`."""


@dataclass(frozen=True, slots=True)
class Preparing:
    """Something that takes time before the first test can run."""

    text: str


@dataclass(frozen=True, slots=True)
class BoxOpened:
    backend: str
    why: str
    description: str


@dataclass(frozen=True, slots=True)
class SnapshotTaken:
    files: int
    bytes: int
    digest: str


@dataclass(frozen=True, slots=True)
class PlanMade:
    tests: int


@dataclass(frozen=True, slots=True)
class BaselineDone:
    """The first run, on the user's own code."""

    report: Report


@dataclass(frozen=True, slots=True)
class Coding:
    """A solver was asked for its next proposal."""

    attempt: int
    solver: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A proposal touches what no patch may touch; it was not run."""

    attempt: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Testing:
    attempt: int
    hypothesis: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tested:
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Verifying:
    """A run looked green; a fresh box now decides."""

    tests: int


@dataclass(frozen=True, slots=True)
class Applied:
    paths: tuple[str, ...]
    where: Literal["disk", "editor"]


@dataclass(frozen=True, slots=True)
class Shifted:
    """The user edited these files meanwhile, elsewhere: the fix moved along and was verified again."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """The files are again as they were before a job; of an undo, as they were before the undo."""

    undoes: str
    """The job that was taken back."""
    by: str
    """The job that this is: its undo is a redo."""
    paths: tuple[str, ...]
    where: Literal["disk", "editor"]


@dataclass(frozen=True, slots=True)
class Finished:
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Failed:
    """The job itself could not go on; the reason says what to do."""

    reason: str
    exit_code: int


Event = (
    JobStarted
    | Preparing
    | BoxOpened
    | SnapshotTaken
    | PlanMade
    | BaselineDone
    | Coding
    | Refused
    | Testing
    | Tested
    | Verifying
    | Shifted
    | Applied
    | Undone
    | Finished
    | Failed
)


def to_json(event: Event, *, job: str, seq: int, t: float) -> dict[str, Any]:
    """The one shape of an event outside the process: `{v, job, seq, t, type, …}`."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    body = {field.name: _plain(getattr(event, field.name)) for field in fields(event)}
    return {"v": SCHEMA, "job": job, "seq": seq, "t": round(t, 3), "type": name, **body}


def _plain(value: Any) -> Any:
    # Whole file contents stay out of the log: the diff in the verdict says the same in less.
    if isinstance(value, Patch):
        return list(value.paths)
    if isinstance(value, Report):
        return _report(value)
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Path):
        return value.as_posix()
    return value


def _report(report: Report) -> dict[str, Any]:
    """Of tests that passed only the id and the seconds: a suite of ten thousand should not cost megabytes."""
    told = {field.name: getattr(report, field.name) for field in fields(report)}
    told["cases"] = tuple(case for case in report.cases if case.outcome != "passed")
    told["passed"] = {case.id: case.seconds for case in report.cases if case.outcome == "passed"}
    if set(report.planned) == {case.id for case in report.cases}:
        # Just the tests that are told of.
        told["planned"] = None
    return {name: _plain(value) for name, value in told.items()}
