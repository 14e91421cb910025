"""The nouns. Frozen values that every room may use; no input or output here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from untilgreen_sandbox.report import Report

VerdictKind = Literal[
    "green", "already_green", "better", "stuck", "impossible", "budget", "stopped", "blocked"
]
Confidence = Literal["unique", "agreed", "contested"]


@dataclass(frozen=True, slots=True)
class Goal:
    """Which tests should pass, in which folder."""

    root: Path
    tests: tuple[str, ...] = ()
    """Test ids or paths relative to the root; empty means all."""
    note: str = ""
    may_change_tests: bool = False

    def covers(self, test_id: str) -> bool:
        """True when the id is one of the tests, or lies under one of the paths."""
        if not self.tests:
            return True
        return any(
            test_id == test
            or test_id.startswith((f"{test}::", f"{test}[", f"{test.rstrip('/')}/"))
            or test in ("", ".")
            for test in self.tests
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a snapshot."""

    kind: Literal["file", "link"]
    mode: int
    size: int
    digest: str
    """Of the bytes, or of a link's target."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """The whole new content of one file, or its removal."""

    content: bytes | None
    mode: int = 0o644
    exact_mode: bool = False
    """A file that comes back has just this mode; that of a new one is narrowed by the umask."""


@dataclass(frozen=True, slots=True)
class Patch:
    """Workspace-relative posix path → change. Diffs are made once, at the edge."""

    files: Mapping[str, FileChange] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.files)

    def __iter__(self) -> Iterator[tuple[str, FileChange]]:
        return iter(sorted(self.files.items()))

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted(self.files))


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a patch that needs eyes, or that is refused."""

    path: str
    line: int
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a solver suggests. It never decides that it is done."""

    patch: Patch
    hypothesis: str = ""
    confidence: Confidence = "contested"
    rivals: tuple[Patch, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One proposal, tested by the loop."""

    n: int
    solver: str
    hypothesis: str
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    seconds: float = 0.0
    faults: tuple[str, ...] = ()
    """Why it is not green; empty when the run looked green."""
    findings: tuple[Finding, ...] = ()
    passed: int = 0
    tests: int = 0
    """How many tests did well, and how many were told of; none when it was refused and not run."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a job ended."""

    kind: VerdictKind
    reason: str
    """One sentence a person understands."""
    patch: Patch = field(default_factory=Patch)
    diff: str = ""
    """The patch as a unified diff against the snapshot."""
    solver: str = ""
    before: Report | None = None
    after: Report | None = None
    """The run that the verdict rests on: the cold one in a fresh box when green."""
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    """Test id and remedy of each goal test that no change of the code can make pass."""
    findings: tuple[Finding, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    scope: Literal["full", "affected"] = "full"
    confidence: Confidence = "contested"
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.kind in ("green", "already_green")
