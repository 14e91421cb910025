"""The core of the sandbox on a newer engine than the machine's own. Run by `make soak` only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent.parent
CORE = (
    "tests/hostile/test_probes.py",
    "tests/hostile/test_memory.py",
    "tests/sandbox/test_ended.py",
    "tests/sandbox/test_vandals.py",
)


@pytest.mark.timeout(600)
def test_the_core_on_a_newer_engine(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "UNTILGREEN_SOAK"}
    done = subprocess.run(
        [
            REPOSITORY / "scripts/newer-engine",
            *(sys.executable, "-m", "pytest", "-q", "-k", "docker", "-p", "no:cacheprovider"),
            *(f"--basetemp={tmp_path / 'inner'}", *CORE),
        ],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "answers" in done.stderr
