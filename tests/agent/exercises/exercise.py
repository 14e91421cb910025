"""One exercise: what a learner gets, a reply that is not good enough, and one that is."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exercise:
    name: str
    path: str
    """The file to write."""
    instructions: str
    stub: str
    """Empty: there is no such file yet."""
    tests: str
    wrong: str
    right: str
    test_path: str = "test_exercise.py"

    others: tuple[str, ...] = ()
    """Empty files that are there besides."""

    @property
    def files(self) -> dict[str, str]:
        files = dict.fromkeys(self.others, "")
        files |= {"INSTRUCTIONS.md": plain(self.instructions), self.test_path: plain(self.tests)}
        if self.stub:
            files[self.path] = plain(self.stub)
        return files


def plain(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")
