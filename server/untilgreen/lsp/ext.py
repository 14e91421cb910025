"""The server's own commands and messages. docs/lsp-extensions.md tells of each; a test compares the two.

Commands take one object and return at once; wait for the end of a job's progress.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

TEST = "untilgreen.test"
SOLVE = "untilgreen.solve"
STOP = "untilgreen.stop"
APPLY = "untilgreen.apply"
DISCARD = "untilgreen.discard"
REVIEW = "untilgreen.review"
UNDO = "untilgreen.undo"
HISTORY = "untilgreen.history"
DOCTOR = "untilgreen.doctor"
WATCH = "untilgreen.watch"

EVENT = "untilgreen/event"
STATUS = "untilgreen/status"
SAVE = "untilgreen/save"
SERVER_STATUS = "experimental/serverStatus"
DISCOVER_TEST = "experimental/discoverTest"
DISCOVERED_TESTS = "experimental/discoveredTests"
RUN_TEST = "experimental/runTest"
END_RUN_TEST = "experimental/endRunTest"
ABORT_RUN_TEST = "experimental/abortRunTest"
CHANGE_TEST_STATE = "experimental/changeTestState"

QUICK_FIX = "quickfix.untilgreen"
WHOLE_FILE = "source.untilgreen"
KINDS = (QUICK_FIX, WHOLE_FILE)
"""Of code actions."""

SCHEME = "untilgreen"
"""Of virtual documents: `untilgreen:/JOB/ATTEMPT/before|after/PATH`."""


@dataclass(frozen=True, slots=True)
class RunArguments:
    """`untilgreen.test`: sent by the editor to run tests in the sandbox and see failures as diagnostics."""

    uri: str
    """A file or folder; its workspace folder is the root."""
    tests: tuple[str, ...] = ()
    """Test ids or paths relative to the root; empty means all."""


@dataclass(frozen=True, slots=True)
class SolveArguments:
    """`untilgreen.solve`: sent by the editor to loop until these tests pass and get the fix as one edit."""

    uri: str
    tests: tuple[str, ...] = ()
    note: str = ""
    """What the user wants to say about it, in words."""


@dataclass(frozen=True, slots=True)
class StopArguments:
    """`untilgreen.stop`: sent by the editor to stop one job, or all of them when none is named."""

    job: str | None = None


@dataclass(frozen=True, slots=True)
class ApplyArguments:
    """`untilgreen.apply`: sent by the editor to write a verified fix, or a part or a rival of it."""

    job: str
    rival: int | None = None
    """The number of another change with which the tests pass, too, from 1; it is verified again first."""
    files: tuple[str, ...] = ()
    """Only these files of the fix; that part is verified again first. Empty means all."""
    taken: bool = False
    """The editor has made the edit itself, as a code action's; what an undo needs is kept."""


@dataclass(frozen=True, slots=True)
class DiscardArguments:
    """`untilgreen.discard`: sent by the editor when a fix is not wanted; it is no longer offered."""

    job: str


@dataclass(frozen=True, slots=True)
class ReviewArguments:
    """`untilgreen.review`: sent by the editor to look at a fix, at a rival, or at an earlier attempt."""

    job: str
    rival: int | None = None
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class UndoArguments:
    """`untilgreen.undo`: sent by the editor to take back an applied fix, the last one when none is named."""

    uri: str
    job: str | None = None
    force: bool = False
    """Lose edits that meet the fix; others stay in any case."""


@dataclass(frozen=True, slots=True)
class HistoryArguments:
    """`untilgreen.history`: sent by the editor to see the newest jobs of a workspace folder, or one's way."""

    uri: str
    most: int = 20
    job: str | None = None
    """Tell the way of this one, step by step."""
    events: bool = False
    """Tell it as the events themselves."""


@dataclass(frozen=True, slots=True)
class DoctorArguments:
    """`untilgreen.doctor`: sent by the editor to learn whether everything is here that a solve needs."""

    uri: str


@dataclass(frozen=True, slots=True)
class WatchArguments:
    """`untilgreen.watch`: sent by the editor to switch watch mode, or to ask for it when no mode is named."""

    uri: str
    mode: str | None = None
    """One of `off`, `diagnose`, `suggest` and `fix`."""


class Started(TypedDict, total=False):
    """The answer to commands that start something."""

    job: str | None
    """None when nothing was started."""
    reason: str
    """Why nothing was started."""


class Watching(TypedDict, total=False):
    """The answer to `untilgreen.watch`."""

    mode: str
    """As it is now."""
    reason: str
    """Why it could not be switched."""


class FolderStatus(TypedDict):
    """One workspace folder in `untilgreen/status`, by its own settings."""

    folder: str
    """Its uri."""
    sandbox: str
    solver: str
    model: str
    """Empty when none would be asked."""


class WatchStatus(TypedDict):
    """One watched folder in `untilgreen/status`."""

    folder: str
    """Its uri."""
    mode: str
    message: str
    """How things stand, in a line; may be empty."""


class WaitingFix(TypedDict):
    """A fix that the user has still to decide upon, as the status tells it."""

    job: str
    folder: str
    """The workspace folder's uri."""
    reason: str


class ReviewedAttempt(TypedDict):
    """An attempt that can be looked at."""

    n: int
    hypothesis: str


class ReviewedFile(TypedDict):
    """One file of a fix."""

    path: str
    uri: str
    """The file itself."""
    before: str
    after: str
    """Virtual documents; both exist, empty when the file does not."""


class Reviewed(TypedDict, total=False):
    """The answer to `untilgreen.review`."""

    job: str | None
    reason: str
    attempt: str
    files: list[ReviewedFile]
    diff: str
    findings: list[dict[str, object]]
    rivals: int
    """How many other changes make the tests pass, too."""
    attempts: list[ReviewedAttempt]
    """The others of this job; a number is what `attempt` asks for."""
    difference: str
