"""What watch mode does next, and what came of it: between the one who decides and the one who acts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from untilgreen.model import Part


@dataclass(frozen=True, slots=True)
class Look:
    """See which of these files really are others now."""

    paths: frozenset[str] | None
    """None: all."""


@dataclass(frozen=True, slots=True)
class Test:
    __test__ = False

    part: Part
    cause: str


@dataclass(frozen=True, slots=True)
class Solve:
    tests: tuple[str, ...]
    cause: str


@dataclass(frozen=True, slots=True)
class Apply:
    job: str


@dataclass(frozen=True, slots=True)
class Offer:
    """Show the fix instead of writing it."""

    job: str
    why: str


@dataclass(frozen=True, slots=True)
class Stop:
    """What runs speaks of code that is no more."""

    why: str


Step = Look | Test | Solve | Apply | Offer | Stop


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look found."""

    changed: tuple[str, ...] = ()
    """Files whose contents are others than at the last look, without our own writes."""
    unfinished: Mapping[str, str] = field(default_factory=dict)
    """Of each changed file why it is obviously not finished; empty when it may be."""
    switched: str = ""
    """What git did to the files, in a few words."""
    under_way: str = ""
    """What git is in the middle of."""

    def upheaval(self, most: int) -> str:
        """What changed more than a user's hand does, in a few words; empty when nothing did."""
        flood = f"{len(self.changed)} files changed at once" if len(self.changed) > most else ""
        return self.under_way or self.switched or flood

    def then(self, later: Looked) -> Looked:
        """Both as one: what is seen in two looks may have happened at once."""
        changed = tuple(sorted({*self.changed, *later.changed}))
        return replace(later, changed=changed, switched=later.switched or self.switched)


@dataclass(frozen=True, slots=True)
class Tested:
    """A run that came to its end."""

    __test__ = False

    whole: bool
    """Whether it speaks of all tests."""
    red: tuple[str, ...] = ()
    """Tests that a change of the code could make pass."""
    ran: tuple[str, ...] = ()
    affected: tuple[str, ...] | None = None
    """Those that the last change can affect; None: any."""
    left: bool = False
    """Whether there is something to do when nobody waits."""
    blocked: Mapping[str, str] = field(default_factory=dict)
    """Tests that fail for reasons outside the code, and what to do about it."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Tests that fail because a file does not parse, and which file that is, in a clause."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A verified fix, and whether it may be written without asking."""

    job: str
    paths: tuple[str, ...]
    fixed: tuple[str, ...]
    why_not: str = ""
    """Why somebody should look at it first; empty when nobody has to."""
    partial: bool = False
    """It fixes some of the tests only."""


@dataclass(frozen=True, slots=True)
class Solved:
    fix: Fix | None = None
    reason: str = ""
    refused: bool = False
    """The user took just this fix back before."""
