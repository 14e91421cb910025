"""Bubblewrap boxes opened by a process without any rights."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import untilgreen_sandbox
from boxes import HONEST, LOST, own_interpreter
from untilgreen_sandbox.bundle import bundled_packages
from untilgreen_sandbox.users import unused_uid

SYSTEM_PYTHON = Path("/usr/bin/python3")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run as the unprivileged process told it."""

    ended: str
    detail: str
    cases: dict[str, tuple[str, str]]
    """Id → outcome and message."""
    rung: str = ""


Unprivileged = Callable[..., list[Outcome]]


@contextmanager
def opened(edits: tuple[tuple[str, str, str], ...] = (), forked: bool = False) -> Iterator[Unprivileged]:
    """Runs files in a box that a user without rights opened, with the system's Python.

    `edits` change the program inside: its module, what stands there, what stands there instead. With `forked`
    each run is forked from a template, unless that is ended by the run, which such a user can do.
    Such a user may not be able to read the Python of these tests, so what is needed is copied.
    """
    assert SYSTEM_PYTHON.exists(), "the system's own Python is needed for this test"
    folder = Path(tempfile.mkdtemp(prefix="for-a-test-"))
    packages = folder / "packages"
    packages.mkdir()
    for source in (Path(untilgreen_sandbox.__file__).parent, *bundled_packages(own_interpreter())):
        if source.is_dir():
            shutil.copytree(source, packages / source.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, packages / source.name)
    for module, old, new in edits:
        path = packages / "untilgreen_sandbox/inside" / f"{module}.py"
        assert path.read_text().count(old) == 1, f"{module} no longer says {old!r}"
        path.write_text(path.read_text().replace(old, new))
    shutil.copy(Path(__file__).with_name("unprivileged_program.py"), folder)
    (folder / "sentinel.txt").write_text("not for the box\n")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    uid = unused_uid() if os.getuid() == 0 else None

    def run(
        *runs: Mapping[str, str], files: Mapping[str, str] = HONEST, ids: Sequence[str] = (), **limits: Any
    ) -> list[Outcome]:
        """`ids` names the one test of each run; an empty one means all."""
        told = {
            "root": str(folder / "project"),
            "files": {path: textwrap.dedent(text) for path, text in files.items()},
            "runs": [{path: textwrap.dedent(text) for path, text in one.items()} for one in runs],
            "ids": [*ids] or [""] * len(runs),
            "limits": limits,
            "forked": forked,
        }
        done = subprocess.run(
            [SYSTEM_PYTHON, "-B", folder / "unprivileged_program.py"],
            input=json.dumps(told),
            env={"PATH": os.defpath, "PYTHONPATH": str(packages), "UNTILGREEN_FAKE_SECRET": "not a real one"},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=110,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
        )
        assert done.returncode == 0, done.stderr
        who, *answers = json.loads(done.stdout)
        assert who["description"] == "bubblewrap, user namespace"
        told_rungs = [(one["rung"], one["why"]) for one in answers if "rung" in one]
        assert not forked or all(rung == "checkpoint" or why == LOST for rung, why in told_rungs), told_rungs
        return [
            Outcome(
                answer.get("ended", "lost"),
                answer.get("detail", answer.get("lost")),
                {test_id: (outcome, message) for test_id, outcome, message in answer.get("cases", ())},
                answer.get("rung", ""),
            )
            for answer in answers
        ]

    try:
        yield run
    finally:
        shutil.rmtree(folder)
