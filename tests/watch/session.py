"""`untilgreen watch` as a user has it: another process, whose lines are read as they come."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from boxes import eventually
from watch.project import Project

PATIENCE = 240.0
"""A machine may do other things as well."""


def environment(project: Project, backend: str = "bubblewrap", **settings: str) -> dict[str, str]:
    """The settings of a watch under test; nothing of the user's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("UNTILGREEN_")}
    kept.pop("VIRTUAL_ENV", None)
    return {
        **kept,
        "PATH": "/usr/bin:/bin",
        "UNTILGREEN_STATE": str(project.state),
        "UNTILGREEN_CONFIG": os.devnull,
        "UNTILGREEN_SANDBOX": backend,
        "UNTILGREEN_SANDBOX_BASE": os.environ.get("UNTILGREEN_SANDBOX_BASE", ""),
        "UNTILGREEN_SOLVER": "offline",
        **{f"UNTILGREEN_{name.upper()}": value for name, value in settings.items()},
    }


class Session:
    def __init__(
        self, project: Project, *arguments: str, backend: str = "bubblewrap", **settings: str
    ) -> None:
        own = environment(project, backend, **settings)
        self.environment = own
        self.project = project
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "untilgreen", "watch", *arguments],
            cwd=project.root,
            env=own,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def told(self, part: str) -> int:
        return sum(part in line for line in self.lines)

    def until(self, part: str, times: int = 1) -> None:
        def there() -> bool:
            assert self.process.poll() is None or self.told(part) >= times, (part, self.lines)
            return self.told(part) >= times

        try:
            eventually(there, PATIENCE)
        except AssertionError as error:
            raise AssertionError(f"{part!r} was not told {times} times: {self.lines}") from error

    def until_learnt(self) -> None:
        """The first run is over, and so is what was put off until nobody waits."""
        self.until("tests green")
        eventually(
            lambda: [job.verdict for job in self.project.jobs()][-2:] == ["already_green"] * 2, PATIENCE
        )

    def key(self, key: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{key}\n")
        self.process.stdin.flush()

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another command, beside the watch."""
        return subprocess.run(
            [sys.executable, "-m", "untilgreen", *arguments],
            cwd=self.project.root,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )


@contextmanager
def watching(project: Project, *arguments: str, **settings: str) -> Iterator[Session]:
    """Whatever the test did, nothing is left running."""
    session = Session(project, *arguments, **settings)
    try:
        session.until("watching")
        yield session
    finally:
        session.process.kill()
        session.process.wait(30)
        for pipe in (session.process.stdin, session.process.stdout):
            assert pipe is not None
            session._reader.join(10)
            pipe.close()
