"""One sign in a syntax tree."""

from __future__ import annotations

from dataclasses import dataclass

from untilgreen.rules import Rule


@dataclass(frozen=True, slots=True)
class Sign:
    """Something that needs eyes when a patch adds it."""

    rule: Rule
    what: str
    """In a few words of code, for the reader: `os._exit`."""
    line: int
    end: int
    """The last line of what must be unchanged for it to be the same sign."""
    where: str
    """The qualified name of the function that it stands in; empty at the top of a module."""
    key: str = ""
    """What tells it from others of its rule, when `what` says too much."""
    unless: str = ""
    """A pattern: where the failing tests speak of this, they ask for it, and it is no sign."""

    @property
    def kind(self) -> tuple[str, str]:
        return self.rule, self.key or self.what
