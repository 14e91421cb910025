"""A mistake in a project whose tests passed before it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Class = Literal["changed", "removed"]
"""Code that was written differently, or code that is not there any more."""


@dataclass(frozen=True, slots=True)
class Project:
    """Files with tests that pass, and what they need."""

    name: str
    files: Mapping[str, bytes]
    packages: tuple[str, ...] = ("pytest",)
    published: str = ""
    """A pinned requirement, for one whose source is downloaded."""
    hidden: Path | None = None
    """What else it does, for programs of our own; nothing that solves sees this."""
    tests: tuple[str, ...] = ()
    """Files or ids to run; none: all."""

    def write(self, folder: Path, changed: Mapping[str, bytes] | None = None) -> Path:
        for path, content in {**self.files, **(changed or {})}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        return folder


@dataclass(frozen=True, slots=True)
class Bug:
    """One mistake."""

    project: Project
    kind: str
    family: Class
    path: str
    broken: bytes
    """The whole file with the mistake in it."""
    line: int

    @property
    def original(self) -> bytes:
        return self.project.files[self.path]

    @property
    def name(self) -> str:
        return f"{self.project.name} {self.path}:{self.line} {self.kind}"

    def write(self, folder: Path) -> Path:
        return self.project.write(folder, {self.path: self.broken})


def first_difference(one: bytes, other: bytes) -> int:
    """The number of the first line that is not the same."""
    lines, others = one.splitlines(), other.splitlines()
    same = next((n for n, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]), None)
    return (min(len(lines), len(others)) if same is None else same) + 1
