"""Programs of our own, and the bugs that were put into them by hand.

Each folder of `programs/` holds a `project/` whose tests pass, `bugs.toml` with exact replacements of its
text, and `hidden.py`, which calls it with random input; neither of the two is ever shown to a solver.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

from repair.bug import Bug, Project, first_difference

PROGRAMS = Path(__file__).parent / "programs"


@functools.cache
def programs() -> tuple[Project, ...]:
    return tuple(_program(folder) for folder in sorted(PROGRAMS.iterdir()) if (folder / "project").is_dir())


@functools.cache
def own_bugs() -> tuple[Bug, ...]:
    return tuple(bug for program in programs() for bug in _bugs(program))


def _program(folder: Path) -> Project:
    root = folder / "project"
    paths = [path for path in sorted(root.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    return Project(folder.name, files, hidden=folder / "hidden.py")


def _bugs(program: Project) -> list[Bug]:
    told: dict[str, Any] = tomllib.loads((PROGRAMS / program.name / "bugs.toml").read_text())
    found = []
    for entry in told["bug"]:
        path = entry.get("path", told["path"])
        text = program.files[path].decode()
        was, now = entry["was"], entry["now"]
        assert text.count(was) == 1, f"{program.name}: {text.count(was)} times in {path}: {was!r}"
        broken = text.replace(was, now).encode()
        line = first_difference(program.files[path], broken)
        found.append(Bug(program, entry["kind"], entry["class"], path, broken, line))
    return found
