"""A small project with bugs to put into it, and what the journal tells of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from untilgreen.history import JobSummary, jobs_of
from untilgreen.journal import Journal

CALC = """\
def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def largest(numbers):
    best = numbers[0]
    for number in numbers:
        if number > best:
            best = number
    return best
"""
TESTS = """\
from calc import add, largest, sub


def test_add():
    assert add(1, 2) == 3
    assert add(5, -2) == 3


def test_sub():
    assert sub(3, 2) == 1
    assert sub(2, 5) == -3


def test_largest():
    assert largest([3, 9, 2]) == 9
    assert largest([-5, -2]) == -2
"""
GOOD: Mapping[str, str] = {"calc.py": CALC, "test_calc.py": TESTS}
BUGS = {
    "add": CALC.replace("a + b", "a - b"),
    "sub": CALC.replace("    return a - b", "    return a + b"),
    "largest": CALC.replace("number > best", "number < best"),
}
"""Each is one wrong operator, which one test notices."""


@dataclass(frozen=True, slots=True)
class Project:
    root: Path
    state: Path

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def read(self, name: str = "calc.py") -> str:
        return (self.root / name).read_text()

    def jobs(self) -> list[JobSummary]:
        """The oldest first."""
        return jobs_of(Journal(self.state), self.root, 1000)[::-1]

    def causes(self, kind: str = "test") -> list[str]:
        return [job.cause for job in self.jobs() if job.kind == kind]

    def git(self, *arguments: str) -> None:
        who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
        command = ["git", *who, "-c", "init.defaultBranch=main", *arguments]
        subprocess.run(command, cwd=self.root, check=True, capture_output=True, timeout=60)

    def propose(self, files: Mapping[str, str | None], **more: object) -> str:
        """A script for the scripted solver, as its setting."""
        script = self.root.parent / "script.json"
        script.write_text(json.dumps({"proposals": [{"files": dict(files), **more}]}))
        return f"scripted:{script}"
