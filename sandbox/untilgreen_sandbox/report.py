"""What crosses from the sandbox to whoever asked: one Report per run. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

Outcome = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed"]
Ended = Literal["finished", "timeout", "oom", "crashed", "killed", "lost"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
GOOD_OUTCOMES: frozenset[Outcome] = frozenset({"passed", "skipped", "xfailed", "xpassed"})


@dataclass(frozen=True, slots=True)
class Frame:
    """One level of a traceback."""

    path: str | None
    """Workspace-relative and posix; None when the code is not the workspace's."""
    line: int
    """1-based."""
    function: str
    source: str
    """The line of code, stripped; empty when it cannot be read."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One exception of a failure's chain that may come from outside the code."""

    type: str
    """Name of the class with its module."""
    kinds: tuple[str, ...] = ()
    """Names of the class and of those above it."""
    message: str = ""
    errno: int = 0
    subject: str = ""
    """The module, file or program it speaks of; a file of the workspace is relative to the root."""
    place: str = ""
    """`file.py:function` of the innermost frame, whoever owns it."""
    raised: bool = False
    """True when a `raise` in the workspace's own code made it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one test did not pass."""

    type: str
    """Name of the exception class."""
    message: str
    expected: str | None = None
    actual: str | None = None
    frames: tuple[Frame, ...] = ()
    """Outermost first."""
    causes: tuple[Cause, ...] = ()
    """The exception itself first, then what it came from; empty when only the code can be the reason."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What happened to one test, or to one file that could not be collected."""

    id: str
    """Path relative to the root, posix, then `::` and the runner's own parts."""
    outcome: Outcome
    seconds: float = 0.0
    path: str = ""
    line: int = 0
    """1-based line of the test itself; 0 when unknown."""
    failure: Failure | None = None
    reason: str = ""
    """Why it was skipped or expected to fail."""
    environment: str = ""
    """What to do when the environment made it fail, in one sentence; empty for a failure of the code."""

    @property
    def good(self) -> bool:
        return self.outcome in GOOD_OUTCOMES

    @property
    def message(self) -> str:
        return self.failure.message if self.failure else self.reason


@dataclass(frozen=True, slots=True)
class Output:
    """What the tests printed, cleaned for screens: the first part, the last part, and what fell between."""

    head: str = ""
    tail: str = ""
    dropped: int = 0
    """Bytes left out between head and tail."""

    @property
    def capped(self) -> bool:
        return self.dropped > 0


@dataclass(frozen=True, slots=True)
class Report:
    """One run of a test runner, as the harness saw it."""

    ended: Ended
    cases: tuple[CaseResult, ...] = ()
    planned: tuple[str, ...] = ()
    """The ids the runner said it would run, in order; empty when it never got so far."""
    detail: str = ""
    """One sentence when the run did not finish."""
    seconds: float = 0.0
    output: Output = field(default_factory=Output)
    rung: str = "cold"
    """How warm the process was: checkpoint, cold or fresh."""
    rung_reason: str = ""
    """Where the checkpoint was, or why there was none."""
    config_file: str = ""
    """The runner's configuration file, relative to the root."""

    def case(self, test_id: str) -> CaseResult | None:
        return next((case for case in self.cases if case.id == test_id), None)

    def outcomes(self) -> dict[str, Outcome]:
        return {case.id: case.outcome for case in self.cases}

    @property
    def red(self) -> tuple[CaseResult, ...]:
        return tuple(case for case in self.cases if not case.good)

    def faults(self, plan: Iterable[str]) -> tuple[str, ...]:
        """Why this run may not be called green for the plan; empty means it may.

        Absent is not passed, more than planned is not the plan, and no test at all is not green.
        """
        wanted = tuple(plan)
        if self.ended != "finished":
            return (f"the run ended early ({self.ended}): {self.detail}" if self.detail else self.ended,)
        faults = [] if wanted else ["no test was run"]
        seen: dict[str, int] = {}
        for case in self.cases:
            seen[case.id] = seen.get(case.id, 0) + 1
        faults += [f"{test_id} did not run" for test_id in wanted if test_id not in seen]
        faults += [f"{test_id} was not planned" for test_id in seen if test_id not in set(wanted)]
        faults += [f"{test_id} was reported {count} times" for test_id, count in seen.items() if count > 1]
        faults += [f"{case.id} {case.outcome}" for case in self.red]
        return tuple(faults)
