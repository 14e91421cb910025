"""However a command is ended, nothing is left: no process, no container, no volume, no temporary folder."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from boxes import eventually, processes_with
from cli.terminal import FIXED, Terminal
from containers import containers_left

SLOW = """
import subprocess, sys

def test_slow():
    subprocess.run([sys.executable, "-c", "import time; time.sleep(600)", "MARKER"])
"""


@pytest.fixture
def marker() -> str:
    return f"untilgreen-{uuid.uuid4().hex}"


@pytest.fixture(autouse=True)
def nothing_is_left(terminal: Terminal, marker: str, backend: str) -> Iterator[None]:
    folders = _temporary()
    volumes = _volumes() if backend == "docker" else set()
    yield
    eventually(lambda: not processes_with(marker))
    assert _temporary() == folders
    assert [path for path in terminal.root.parent.rglob("*") if path.name.endswith(".tmp")] == []
    if backend == "docker":
        assert _volumes() == volumes
        eventually(lambda: not containers_left())


def _running(terminal: Terminal, marker: str, *arguments: str) -> subprocess.Popen[str]:
    """A command whose test is known to run in the sandbox."""
    (terminal.root / "test_slow.py").write_text(SLOW.replace("MARKER", marker))
    process = terminal.start(*arguments)
    eventually(lambda: processes_with(marker) or process.poll() is not None, 60)
    assert process.poll() is None, process.communicate()
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_in_order(number: signal.Signals, code: int, terminal: Terminal, marker: str) -> None:
    process = _running(terminal, marker, "solve", "--solver", terminal.propose({"calc.py": FIXED}), "--json")
    process.send_signal(number)
    out, errors = process.communicate(timeout=30)
    assert process.returncode == code, errors
    assert '"verdict": "stopped"' in out
    assert "Traceback" not in errors
    assert not processes_with(marker)


def test_a_kill_leaves_nothing_after_the_next_start(terminal: Terminal, marker: str) -> None:
    process = _running(terminal, marker, "solve", "--solver", terminal.propose({"calc.py": FIXED}), "--apply")
    process.kill()
    process.communicate(timeout=30)
    (terminal.root / "test_slow.py").unlink()
    assert terminal.json("test")[0] == 1
    assert (terminal.state / "intents").is_dir() is False or not list((terminal.state / "intents").iterdir())


def test_a_killed_demo_is_swept(terminal: Terminal, marker: str) -> None:
    process = terminal.start("demo")
    scratch = terminal.state / "scratch"
    eventually(lambda: scratch.is_dir() and list(scratch.iterdir()), 60)
    process.kill()
    process.communicate(timeout=30)
    assert list(scratch.iterdir())
    terminal.json("test")
    assert list(scratch.iterdir()) == []


def _temporary() -> set[str]:
    """What lies in the temporary folder by our name; engines that tests start have folders there, too."""
    names = {path.name for path in Path(tempfile.gettempdir()).glob("untilgreen*")}
    return {name for name in names if not name.startswith("untilgreen-engine")}


def _volumes() -> set[str]:
    client = docker.from_env()
    try:
        return {str(volume.name) for volume in client.volumes.list()}
    finally:
        client.close()
