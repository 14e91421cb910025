"""Whether a repair is right, and not only green."""

from __future__ import annotations

import ast
import functools
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from repair.bug import Bug, Project
from repair.differing import compared
from repair.native import bare, environment
from repair.own import programs

HERE = Path(__file__).parent
OBSERVING = 90.0
Rightness = Literal["same", "equal", "different", "not judged"]
"""The original text but for layout; the same behaviour; another one; nobody knows."""


@dataclass(frozen=True, slots=True)
class Opinion:
    rightness: Rightness
    why: str = ""


def same_code(one: bytes, other: bytes) -> bool:
    """Equal but for layout, remarks and docstrings."""
    try:
        return _shape(one) == _shape(other)
    except SyntaxError:
        return False


def _shape(source: bytes) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [part for part in body if not _says_nothing(part)]
            node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def judge(bug: Bug, folder: Path, changed: tuple[str, ...], seed: int) -> Opinion:
    """Of a folder that holds the repaired project; `changed` are the files that the repair touched."""
    files = bug.project.files
    touched = {*changed, bug.path}
    if all(path in files and same_code((folder / path).read_bytes(), files[path]) for path in touched):
        return Opinion("same")
    if bug.project.hidden is None:
        with tempfile.TemporaryDirectory(prefix="compared-") as scratch:
            could, difference = compared(bug.project, folder, sorted(touched), seed, Path(scratch))
        if not could:
            return Opinion("not judged", difference)
        return Opinion("different", difference) if difference else Opinion("equal")
    return _compared(bug.project, folder, seed)


def _compared(project: Project, folder: Path, seed: int) -> Opinion:
    expected = _original(project.name, seed)
    found = observed(project, folder, seed)
    for n, line in enumerate(expected):
        other = found[n] if n < len(found) else "nothing"
        if line != other:
            return Opinion("different", f"observation {n}: {_short(line)} became {_short(other)}")
    return Opinion("equal")


def _short(line: str) -> str:
    return line if len(line) <= 80 else line[:77] + "…"


@functools.cache
def _original(name: str, seed: int) -> tuple[str, ...]:
    (project,) = (program for program in programs() if program.name == name)
    with tempfile.TemporaryDirectory(prefix="original-") as folder:
        lines = observed(project, project.write(Path(folder)), seed)
    assert len(lines) > 100, lines[-3:]
    return tuple(lines)


def observed(project: Project, folder: Path, seed: int) -> list[str]:
    """What the version in this folder does; what it did until then when it does not come to an end."""
    roots = [str(folder / "src"), str(folder), str(HERE.parent)]
    variables = bare(PYTHONPATH=":".join(roots), PYTHONHASHSEED="0")
    python = environment(project) / "bin/python"
    try:
        done = subprocess.run(
            [python, "-W", "ignore", HERE / "observing.py", str(project.hidden), str(seed)],
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=OBSERVING,
        )
    except subprocess.TimeoutExpired:
        return ["too slow"]
    return [*done.stdout.splitlines(), *(["broke down"] if done.returncode else [])]
