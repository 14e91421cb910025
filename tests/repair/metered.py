"""Runs a command, and says what all of its processes cost: `python metered.py FILE COMMAND…`.

Processes that lose their parent come to this one, so that their time is not lost with it.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 20.0
"""Seconds for what is still going when the command has ended."""


@dataclass(frozen=True, slots=True)
class Metered:
    """What came out of a command, and what it cost."""

    code: int
    stdout: str
    stderr: str
    cpu: float
    wall: float


def metered(command: list[str], cwd: Path, env: dict[str, str], scratch: Path, seconds: float) -> Metered:
    """Raises TimeoutExpired when it takes too long; nothing of it goes on then."""
    cost = scratch / "cost.json"
    process = subprocess.Popen(
        [sys.executable, __file__, str(cost), *command],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=seconds)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    told = json.loads(cost.read_text())
    return Metered(told["code"], stdout, stderr, told["cpu"], told["wall"])


def main() -> None:
    cost, *command = sys.argv[1:]
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError("orphans would be lost")
    begun = time.monotonic()
    code = subprocess.run(command).returncode
    wall = time.monotonic() - begun
    left = _reap(time.monotonic() + PATIENCE)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = {"code": code, "cpu": used.ru_utime + used.ru_stime, "wall": wall, "left": left}
    Path(cost).write_text(json.dumps(told))


def _reap(deadline: float) -> bool:
    """True when something would not end."""
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            time.sleep(0.05)
    return True


if __name__ == "__main__":
    main()
