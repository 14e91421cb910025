"""The command line as a user has it: another process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

BROKEN = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
TESTS = """\
from calc import add


def test_add():
    assert add(1, 2) == 3


def test_zero():
    assert add(0, 0) == 0
"""


class Terminal:
    """Runs `untilgreen` in the project's folder."""

    def __init__(self, root: Path, state: Path, backend: str) -> None:
        self.root = root
        self.state = state
        self.script = root.parent / "script.json"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("UNTILGREEN_")},
            # The distribution's own Python is the one that the base image holds, too.
            "PATH": "/usr/bin:/bin",
            "UNTILGREEN_STATE": str(state),
            "UNTILGREEN_CONFIG": os.devnull,
            "UNTILGREEN_SANDBOX": backend,
            "UNTILGREEN_SANDBOX_BASE": os.environ.get("UNTILGREEN_SANDBOX_BASE", ""),
            "COLUMNS": "100",
        }
        self.environment.pop("VIRTUAL_ENV", None)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(arguments),
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=100,
        )

    def json(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """The exit code, and the one object on stdout."""
        done = self.run(*arguments, "--json")
        assert done.stdout.count("\n") == 1, done.stdout + done.stderr
        value: dict[str, Any] = json.loads(done.stdout)
        return done.returncode, value

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command(arguments),
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # As from a terminal: Ctrl-C must not be ignored because the test run ignores it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def propose(self, *steps: Mapping[str, str | None]) -> str:
        """A script for the scripted solver, as its --solver argument."""
        self.script.write_text(json.dumps({"proposals": [{"files": dict(step)} for step in steps]}))
        return f"scripted:{self.script}"

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "untilgreen", *arguments]
