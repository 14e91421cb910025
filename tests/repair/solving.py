"""One bug through the real command line, and what is to be said about the result."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repair.bug import Bug
from repair.judge import Opinion, judge
from repair.metered import Metered, metered
from repair.native import environment, run_suite

EXIT_CODES = {
    "green": 0,
    "already_green": 0,
    "better": 1,
    "stuck": 1,
    "impossible": 1,
    "budget": 1,
    "blocked": 3,
}
LONGEST = 300.0
"""Wall seconds for everything, on a machine that does other things, too."""


@dataclass(frozen=True, slots=True)
class Result:
    """How it went with one bug."""

    bug: Bug
    verdict: str
    reason: str
    opinion: Opinion
    cpu: float
    wall: float
    candidates: int
    patch: str = ""
    hypothesis: str = ""
    rivals: int = 0
    findings: tuple[str, ...] = ()
    """What needs eyes in it, by path and rule."""
    dishonest: str = ""
    """What contradicts the verdict, if anything does: always a mistake of ours."""

    @property
    def repaired(self) -> bool:
        return self.verdict == "green" and not self.dishonest

    @property
    def right(self) -> bool:
        return self.repaired and self.opinion.rightness in ("same", "equal")


NOTHING = Opinion("not judged", "there is no repair")


def solve(bug: Bug, solver: str, max_seconds: float, seed: int, backend: str = "bubblewrap") -> Result:
    """In a fresh copy of the project; nothing that tells the original is near it."""
    with tempfile.TemporaryDirectory(prefix="repair-") as scratch:
        folder = bug.write(Path(scratch) / bug.project.name)
        try:
            done = _told(bug, folder, Path(scratch), solver, max_seconds, backend)
        except subprocess.TimeoutExpired:
            return Result(bug, "hung", "", NOTHING, 0, LONGEST, 0, dishonest=f"no answer in {LONGEST:.0f} s")
        return _result(bug, folder, done, seed)


def _told(bug: Bug, folder: Path, scratch: Path, solver: str, max_seconds: float, backend: str) -> Metered:
    variables = {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("UNTILGREEN_", "PYTEST_"))
        },
        "PATH": "/usr/bin:/bin",
        "UNTILGREEN_STATE": str(scratch / "state"),
        "UNTILGREEN_CONFIG": os.devnull,
        "UNTILGREEN_PYTHON": str(environment(bug.project)),
    }
    variables.pop("VIRTUAL_ENV", None)
    command = [sys.executable, "-m", "untilgreen", "solve", *bug.project.tests, "--solver", solver]
    command += ["--max-seconds", str(max_seconds), "--json", "--sandbox", backend]
    return metered(command, folder, variables, scratch, LONGEST)


def _result(bug: Bug, folder: Path, done: Metered, seed: int) -> Result:
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        said = f"exit code {done.code} and no JSON: {(done.stderr or done.stdout)[-300:]}"
        return Result(bug, "crashed", "", NOTHING, done.cpu, done.wall, 0, dishonest=said)
    if "verdict" not in told:
        said = f"exit code {done.code}: {told.get('error')}"
        return Result(bug, "refused", "", NOTHING, done.cpu, done.wall, 0, dishonest=said)
    verdict, patch = told["verdict"], told["patch"]
    wrong = [] if EXIT_CODES.get(verdict) == done.code else [f"exit code {done.code} for {verdict}"]
    if (folder / bug.path).read_bytes() != bug.broken:
        wrong.append("the workspace was changed without --apply")
    opinion = NOTHING
    if verdict == "green":
        changed = tuple(re.findall(r"^\+\+\+ b/(.+?)\t?$", patch, re.MULTILINE))
        wrong += _applied(bug, folder, patch, changed)
        opinion = judge(bug, folder, changed, seed) if not wrong else NOTHING
    attempts = told["attempts"]
    return Result(
        bug,
        verdict,
        told["reason"],
        opinion,
        done.cpu,
        done.wall,
        told["candidates"],
        patch,
        attempts[-1]["hypothesis"] if attempts else "",
        len(told["rivals"]),
        tuple(f"{one['path']}:{one['line']} {one['rule']}" for one in told["findings"]),
        "; ".join(wrong),
    )


def _applied(bug: Bug, folder: Path, patch: str, changed: tuple[str, ...]) -> list[str]:
    """What is wrong with a green verdict once its patch is there; nothing when it is true."""
    tests = [path for path in changed if is_test(path)]
    if tests or not changed:
        return [f"changes tests: {tests}" if tests else "green without a patch"]
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=folder,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
        input=patch.encode("utf-8", "surrogateescape"),
        capture_output=True,
    )
    if done.returncode:
        return [f"the patch does not apply: {done.stderr.decode()[-300:]}"]
    ran = run_suite(bug.project, folder, LONGEST)
    return (
        []
        if ran.is_green
        else [f"green, but natively it is not: {list(ran.failing)[:3]} {ran.output[-300:]}"]
    )


def is_test(path: str) -> bool:
    name = Path(path).name
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py" or "tests/" in path
