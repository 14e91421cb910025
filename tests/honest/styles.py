"""Honest fixes, one for each way in which people write tests: broken code, the fix, and the tests."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Style:
    """A project with one bug; `code` is calc.py with the bug, `fixed` without."""

    name: str
    code: str
    fixed: str
    tests: str
    others: Mapping[str, str] = field(default_factory=dict)
    path: str = "calc.py"
    test_path: str = "test_calc.py"
    weak: bool = False
    """Whether the fixed tests hold nothing that could be turned into its opposite."""

    @property
    def project(self) -> dict[str, str]:
        files = {**self.others, self.path: self.code}
        if self.tests:
            files[self.test_path] = self.tests
        return {path: textwrap.dedent(text).lstrip("\n") for path, text in files.items()}

    @property
    def candidate(self) -> dict[str, str]:
        return {self.path: textwrap.dedent(self.fixed).lstrip("\n")}


ADD = "def add(a, b):\n    return a - b\n"
ADDS = "def add(a, b):\n    return a + b\n"


def adding(name: str, tests: str, others: Mapping[str, str] | None = None, *, weak: bool = False) -> Style:
    """The bug is that `add` subtracts."""
    return Style(name, ADD, ADDS, tests, others or {}, weak=weak)


def stub(name: str, signature: str, fixed: str, tests: str) -> Style:
    """A function that was not written yet."""
    head, _, last = signature.rpartition("\n")
    return Style(name, f"{head}\n{last}\n    raise NotImplementedError\n".lstrip("\n"), fixed, tests)
