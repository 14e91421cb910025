"""All that can happen in a job, as one closed union, and its only serialiser.

Progress, diagnostics, journal and terminal listen to these; none of them asks the loop.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

from untilgreen.failure_key import failure_key
from untilgreen.model import NO_PATCH, Attempt, Finding, Patch, Reflection, Verdict
from untilgreen_sandbox.report import Failure, Report

SCHEMA = 1
# An attempt may leave thousands of tests red; the first ones tell what is wrong.
_MOST_ERRORS = 50


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
class Rerunning:
    """Some tests run once more, on the same code, to see whether they say the same again."""

    tests: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class FlakyFound:
    """Tests that passed and failed on the same code."""

    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planning:
    """The next solver takes over, with its share of what is left."""

    solver: str
    attempts: int
    seconds: float
    failing: int
    """How many tests should turn green, from where it starts."""


@dataclass(frozen=True, slots=True)
class Coding:
    """A solver was asked for its next proposal."""

    attempt: int
    solver: str


@dataclass(frozen=True, slots=True)
class Searching:
    """What a solver is doing, in words: `1,240 candidates · 3 near misses · looking at parse_header`."""

    attempt: int
    text: str


@dataclass(frozen=True, slots=True)
class Told:
    """Something that a solver says and that is worth a line: its plan, what it will cost."""

    solver: str
    text: str


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
    patch: Patch = NO_PATCH
    """For whoever wants to look at it later; outside the process only its paths are told."""


@dataclass(frozen=True, slots=True)
class Tested:
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Reflecting:
    """What the last attempt shows, and what follows from it."""

    reflection: Reflection


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
    | Rerunning
    | FlakyFound
    | Planning
    | Coding
    | Searching
    | Told
    | Refused
    | Testing
    | Tested
    | Reflecting
    | Verifying
    | Shifted
    | Applied
    | Undone
    | Finished
    | Failed
)

State = Literal["preparing", "baseline", "planning", "coding", "testing", "reflecting", "verifying", "done"]
FOLLOWS: dict[State, frozenset[State]] = {
    "preparing": frozenset({"baseline"}),
    "baseline": frozenset({"planning"}),
    "planning": frozenset({"coding", "planning", "verifying"}),
    "coding": frozenset({"testing", "reflecting", "planning", "verifying"}),
    "testing": frozenset({"testing", "reflecting", "verifying"}),
    "reflecting": frozenset({"coding", "planning", "verifying"}),
    "verifying": frozenset({"verifying", "reflecting"}),
    "done": frozenset(),
}
"""Which state may come after which; a job may be done after any. The best partial fix is verified last."""
_ENTERS: dict[type[Event], State] = {
    JobStarted: "preparing",
    PlanMade: "baseline",
    Planning: "planning",
    Coding: "coding",
    Testing: "testing",
    Reflecting: "reflecting",
    Verifying: "verifying",
    Finished: "done",
    Failed: "done",
}


def state_after(state: State, event: Event) -> State:
    """Where a job is once this has happened; most events change nothing about it."""
    return _ENTERS.get(type(event), state)


def to_json(event: Event, *, job: str, seq: int, t: float) -> dict[str, Any]:
    """The one shape of an event outside the process: `{v, job, seq, t, type, …}`."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    told = (
        field.name for field in fields(event) if not (isinstance(event, Testing) and field.name == "patch")
    )
    body = {name: _plain(getattr(event, name)) for name in told}
    return {"v": SCHEMA, "job": job, "seq": seq, "t": round(t, 3), "type": name, **body}


def _plain(value: Any) -> Any:
    # Whole file contents stay out of the log: the diff in the verdict says the same in less.
    if isinstance(value, Patch):
        return list(value.paths)
    if isinstance(value, Report):
        return _report(value)
    if isinstance(value, Attempt) and len(value.errors) > _MOST_ERRORS:
        value = dataclasses.replace(value, errors=value.errors[:_MOST_ERRORS])
    if isinstance(value, Failure):
        told = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {**told, "key": failure_key(value)}
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
