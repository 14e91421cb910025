"""What watch mode tells whoever shows it: one closed union."""

from __future__ import annotations

from dataclasses import dataclass

from untilgreen.events import Event
from untilgreen.job import Job
from untilgreen.model import Verdict
from untilgreen.watching.modes import Mode
from untilgreen_sandbox.report import Report


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand, whenever that is something else than before."""

    mode: Mode
    message: str
    busy: bool = False
    """Whether something runs, or is about to."""


@dataclass(frozen=True, slots=True)
class Began:
    job: Job
    cause: str


@dataclass(frozen=True, slots=True)
class Happened:
    job: Job
    event: Event


@dataclass(frozen=True, slots=True)
class Result:
    """What a run of tests said."""

    job: Job
    report: Report


@dataclass(frozen=True, slots=True)
class Ended:
    job: Job
    reason: str


@dataclass(frozen=True, slots=True)
class Offered:
    """A verified fix that waits for the user."""

    job: Job
    verdict: Verdict
    why: str
    """Why it was not written; empty when nobody wanted that."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A fix that was offered is not needed any more: its tests do well without it."""

    job: Job


@dataclass(frozen=True, slots=True)
class Wrote:
    """A verified fix was written."""

    job: Job
    verdict: Verdict
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """Something that happens rarely and should be known."""

    text: str


Note = Standing | Began | Happened | Result | Ended | Offered | Withdrawn | Wrote | Said
