"""The server's own commands. Each takes one object and returns at once; wait for the end of its progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

TEST = "untilgreen.test"
SOLVE = "untilgreen.solve"
STOP = "untilgreen.stop"
UNDO = "untilgreen.undo"


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
class UndoArguments:
    """`untilgreen.undo`: sent by the editor to take back an applied fix, the last one when none is named."""

    uri: str
    job: str | None = None
    force: bool = False
    """Also when the files were edited since."""


class Started(TypedDict, total=False):
    """The answer to `untilgreen.test` and `untilgreen.solve`."""

    job: str | None
    """None when nothing was started."""
    reason: str
    """Why nothing was started."""
