"""Many versions of single functions, tried fast beside the tests. What is told is a hint, never a verdict.

All of it is claimed by a process that runs candidates: it is limited in size, and decides only what is tried
in earnest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

How = Literal["plausible", "failed", "timeout", "crashed", "duplicate", "invalid", "unfit", "untried"]
"""plausible: every test that was asked about passed · failed: one did not · timeout: it took too long ·
crashed: the process died · duplicate: compiles to what was tried before · invalid: does not compile ·
unfit: this function cannot be exchanged while it lives (it runs at import only, or was not found) ·
untried: the time was over."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One version of one function that stands outermost: of a module, or of a class."""

    path: str
    function: str
    """Its qualified name, such as `parse` or `Reader.next`."""
    line: int
    """Where its text begins, decorators included, 1-based."""
    source: str
    """Its whole new text as it would stand in the file, indentation included."""


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """Candidates, and the tests that decide about them."""

    candidates: tuple[Candidate, ...]
    failing: tuple[str, ...]
    """They should pass; asked first."""
    passing: tuple[str, ...] = ()
    """They should still pass; asked of those that pass all the others."""
    seconds: float = 2.0
    """CPU time for all of them; what is left then is told as untried."""
    test_seconds: float = 0.25
    """The least CPU time that one test is given; what took longer on the user's own code is given more."""
    slowest_seconds: float = 0.0
    """How long the slowest of the failing tests takes on the user's own code, if that is known; without it a
    test that takes long is soon held for one that never ends."""
    compare: bool = False
    """Do not ask tests: call each candidate with inputs that were seen and with others like them."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of one candidate."""

    how: How
    passed: int = 0
    """How many of the failing tests passed before one did not."""
    killer: str = ""
    """The test that did not pass."""
    detail: str = ""
    """The kind of its failure, such as `AssertionError`."""
    answers: str = ""
    """When compared: a key that is equal for candidates that answered alike on every input."""
    stumbles: int = 0
    """When compared: of a hundred inputs those on which it ended as only code does that was not made for
    them, such as with an IndexError, and the user's own code did not, or the failing tests did so."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """In the order of the candidates."""

    tried: tuple[Tried, ...] = ()
    cpu_seconds: float = 0.0
    """Of all processes that tried them."""
    differing: str = ""
    """When compared: an input on which the first candidate and another differ, with both answers."""
    problems: tuple[str, ...] = field(default_factory=tuple)
    """Tests that cannot be asked this way, and why: `id: reason`."""
