"""Several programs on one folder: the second job is told who works; reading commands never wait."""

from __future__ import annotations

import signal
import uuid

import pytest

from boxes import eventually, processes_with
from cli.terminal import FIXED, Terminal

SLOW = """
import subprocess, sys

def test_slow():
    subprocess.run([sys.executable, "-c", "import time; time.sleep(600)", "MARKER"])
"""


@pytest.fixture
def backend() -> str:
    return "bubblewrap"


def test_a_second_job_is_told_and_reading_goes_on(terminal: Terminal) -> None:
    marker = f"untilgreen-{uuid.uuid4().hex}"
    (terminal.root / "test_slow.py").write_text(SLOW.replace("MARKER", marker))
    first = terminal.start("test")
    eventually(lambda: processes_with(marker) or first.poll() is not None, 60)
    try:
        code, told = terminal.json("solve", "--solver", terminal.propose({"calc.py": FIXED}))
        assert (code, told["exit_code"]) == (1, 1)
        for part in (f"pid {first.pid}", "untilgreen test", "test job ", f"kill {first.pid}"):
            assert part in told["error"]
        assert terminal.json("history")[0] == 0
        assert terminal.json("doctor")[0] == 0
        assert "left to undo" in terminal.json("undo")[1]["error"]
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate(timeout=30)
    (terminal.root / "test_slow.py").unlink()
    assert terminal.json("test")[0] == 1, "a killed owner blocks nobody"
    assert list((terminal.state / "locks").iterdir()) == []
    eventually(lambda: not processes_with(marker))
