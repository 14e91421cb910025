"""The nouns. Frozen values that every room may use; no input or output here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from untilgreen_sandbox.report import Report

VerdictKind = Literal[
    "green", "already_green", "better", "stuck", "impossible", "budget", "stopped", "blocked"
]
Confidence = Literal["unique", "agreed", "contested"]
Trend = Literal["improving", "regressing", "stable", "mixed"]
Pattern = Literal[
    "improving",
    "regressing",
    "mixed",
    "same_failures",
    "same_error",
    "back_and_forth",
    "known_state",
    "refused",
]
Advice = Literal["go_on", "warning", "move_on"]
Part = Literal["first", "rest", "all"]
"""Of the tests after a save: those that it can affect, all that is left once nobody waits, or every one."""

_ENDS = re.compile(r"/|::|\[")
"""Of a test id: where a folder, a file, a class or a function in it comes to its end."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Which tests should pass, in which folder."""

    root: Path
    tests: tuple[str, ...] = ()
    """Test ids or paths relative to the root; empty means all."""
    note: str = ""
    may_change_tests: bool = False

    def covering(self) -> Callable[[str], bool]:
        """Tells of an id whether it is one of the tests, or lies under one of the paths."""
        named = frozenset(self.tests)
        if not named or not named.isdisjoint(("", ".")):
            return lambda _test_id: True
        folders = frozenset(test.rstrip("/") for test in named)

        def covers(test_id: str) -> bool:
            return test_id in named or any(
                test_id[: end.start()] in (folders if end.group() == "/" else named)
                for end in _ENDS.finditer(test_id)
            )

        return covers


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


NO_PATCH = Patch()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a patch that needs eyes, or that is refused."""

    path: str
    line: int
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Suspect:
    """A place that the failing tests have in common."""

    path: str
    line: int
    function: str
    """Its qualified name; empty for code outside of any."""
    score: float
    """From 0 to 1."""


@dataclass(frozen=True, slots=True)
class Clues:
    """What one solver leaves for the next."""

    suspects: tuple[Suspect, ...] = ()
    """The most suspicious first."""
    observed: tuple[str, ...] = ()
    """One sentence for each value worth knowing."""
    near_misses: tuple[Patch, ...] = ()
    """Changes that made some failing tests pass, the best first."""
    verdict: str = ""
    """Why it ended without a fix, for a person: a clause without its full stop."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a proposal cost besides time."""

    candidates: int = 0
    """Changes that were tried before it."""
    tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.candidates + other.candidates, self.tokens + other.tokens, round(self.usd + other.usd, 9)
        )


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a solver suggests. It never decides that it is done."""

    patch: Patch
    hypothesis: str = ""
    confidence: Confidence = "contested"
    rivals: tuple[Patch, ...] = ()
    difference: str = ""
    """For contested ones: an input on which a rival behaves differently, in a sentence."""
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class Race:
    """Proposals that are tested side by side: the first verified green wins, of several the smallest."""

    proposals: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True)
class Reflection:
    """What the last attempt shows, seen together with those before it."""

    attempt: int
    pattern: Pattern
    """The most telling thing about it."""
    trend: Trend
    """How the set of failing tests changed since the attempt before."""
    text: str
    """One sentence for whoever proposes next."""
    advice: Advice = "go_on"
    """`warning`: do something else now; `move_on`: this solver is not asked again."""


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
    still_failing: tuple[str, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()
    """Test id and failure key of each goal test that still fails and of each test that broke."""
    state: str = ""
    """Names the code as this attempt left it; two attempts with the same one are the same."""
    repeats: int | None = None
    """The attempt that had come to the same code before (0: the user's own); it was not run again."""
    spent: Spent = Spent()


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
    flaky: tuple[str, ...] = ()
    """Tests that passed and failed on the same code: neither fixed nor broken by anybody."""
    findings: tuple[Finding, ...] = ()
    weak: tuple[str, ...] = ()
    """Fixed tests that show only little: nothing could be asked about them that must fail."""
    attempts: tuple[Attempt, ...] = ()
    scope: Literal["full", "affected"] = "full"
    confidence: Confidence = "contested"
    rivals: tuple[Patch, ...] = ()
    """Other changes with which the tests pass, too, but that may behave differently."""
    rival_diffs: tuple[str, ...] = ()
    difference: str = ""
    """An input on which a rival behaves differently, in a sentence."""
    seconds: float = 0.0
    spent: Spent = Spent()

    @property
    def ok(self) -> bool:
        return self.kind in ("green", "already_green")
