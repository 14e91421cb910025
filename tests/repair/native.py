"""A project's own suite, run without us, as its author runs it."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from repair.bug import Bug, Project
from shapes.environments import environment_with

PLUGIN = Path(__file__).parent.parent / "shapes"
MEMORY = 2 << 30
GOOD = ("passed", "skipped", "xfailed", "xpassed")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a suite said."""

    outcomes: dict[str, str]
    ended: bool
    """False when it was too slow and was stopped, or broke down."""
    output: str

    @property
    def failing(self) -> tuple[str, ...]:
        return tuple(sorted(test for test, outcome in self.outcomes.items() if outcome not in GOOD))

    @property
    def is_green(self) -> bool:
        return self.ended and bool(self.outcomes) and not self.failing


def environment(project: Project) -> Path:
    """A virtual environment with what the project needs, for its suite here and in boxes alike."""
    return environment_with(*project.packages).prefix


def bare(**more: str) -> dict[str, str]:
    """The environment variables of a terminal in which nothing was set up."""
    return {
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }


def run_suite(
    project: Project,
    folder: Path,
    seconds: float = 60,
    plugin: str = "",
    more: Mapping[str, str] | None = None,
) -> Ran:
    """With another plugin, and variables for it, when something is to be learned besides the outcomes."""
    with tempfile.TemporaryDirectory(prefix="outcomes-") as scratch:
        told = Path(scratch) / "outcomes.json"
        here = str(PLUGIN.parent)
        variables = bare(
            NATIVE_OUTCOMES=str(told),
            PYTHONPATH=f"{folder / 'src'}:{folder}:{PLUGIN}:{here}",
            TMPDIR=scratch,
            PYTHONHASHSEED="0",
            **(more or {}),
        )
        chosen = ["-p", "native_outcomes"]
        if plugin:
            chosen += ["-p", plugin]
        python = environment(project) / "bin/python"
        try:
            done = subprocess.run(
                [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen, *project.tests],
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=seconds,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
            )
        except subprocess.TimeoutExpired:
            return Ran({}, False, "too slow")
        outcomes = json.loads(told.read_text()) if told.exists() else {}
        return Ran(outcomes, done.returncode in (0, 1) and told.exists(), done.stdout)


def shown(bugs: Sequence[Bug], scratch: Path) -> list[str]:
    """How the suite of each one ends, as an exit code; all of them need the same packages."""
    folders = [str(bug.write(scratch / str(n) / bug.project.name)) for n, bug in enumerate(bugs)]
    (python,) = {environment(bug.project) / "bin/python" for bug in bugs}
    done = subprocess.run(
        [python, Path(__file__).parent / "showing.py", "60", *folders],
        env=bare(PYTHONHASHSEED="0", TMPDIR=str(scratch)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    return done.stdout.splitlines()
