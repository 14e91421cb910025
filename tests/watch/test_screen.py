"""The whole screen of a watch, in a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from boxes import eventually, processes_with
from untilgreen.journal import Journal
from untilgreen.watching.causes import ASKED, THE_REST
from watch.project import BUGS, CALC, TESTS, Project
from watch.session import PATIENCE

pytestmark = pytest.mark.timeout(900)


class Screen:
    """A terminal of 110 columns and 30 lines, and the program in it."""

    def __init__(self, project: Project, *arguments: str, **settings: str) -> None:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("UNTILGREEN_")},
            **{f"UNTILGREEN_{name.upper()}": value for name, value in settings.items()},
            "UNTILGREEN_STATE": str(project.state),
            "UNTILGREEN_CONFIG": os.devnull,
            "PATH": "/usr/bin:/bin",
            "TERM": "xterm",
        }
        # These would win over the size of the terminal.
        for name in ("VIRTUAL_ENV", "COLUMNS", "LINES"):
            environment.pop(name, None)
        command = [sys.executable, "-m", "untilgreen", "watch", *arguments]
        self._terminal, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 110, 0, 0))

        def own_terminal() -> None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            # Whoever runs the tests may have said that they outlive a terminal.
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self._process = subprocess.Popen(
            command,
            cwd=project.root,
            env=environment,
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            preexec_fn=own_terminal,
        )
        os.close(other)
        self.all = ""
        self._project = project

    @property
    def shown(self) -> str:
        """The screen as it was drawn last."""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.all[self.all.rfind("\x1b[H") :])

    def until(self, *parts: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not all(part in self.shown for part in parts):
            assert time.monotonic() < deadline, f"{parts} not in\n{self.shown}"
            self._read()

    def until_ended(self, cause: str) -> None:
        """A job of this cause has come to its end."""
        deadline = time.monotonic() + PATIENCE
        while not [job for job in self._project.jobs() if job.cause == cause and job.verdict != "running"]:
            assert time.monotonic() < deadline, self.shown
            self._read()

    def key(self, key: str) -> None:
        os.write(self._terminal, key.encode())

    def ended(self) -> int:
        deadline = time.monotonic() + 60
        while self._process.poll() is None:
            assert time.monotonic() < deadline
            self._read()
        self._read()
        return self._process.returncode

    def hang_up(self) -> int:
        """As somebody does who closes the window."""
        os.close(self._terminal)
        self._terminal = -1
        return self._process.wait(60)

    def close(self) -> None:
        self._process.kill()
        self._process.wait(30)
        if self._terminal >= 0:
            os.close(self._terminal)

    def _read(self) -> None:
        if select.select([self._terminal], [], [], 0.05)[0]:
            try:
                self.all += os.read(self._terminal, 65536).decode("utf-8", "replace")
            except OSError:
                # How Linux says that nobody is at the other end any more.
                time.sleep(0.02)


@pytest.fixture
def solver(project: Project) -> str:
    return project.propose({"calc.py": CALC})


def test_a_session_by_keys(project: Project, solver: str) -> None:
    screen = Screen(project, "--mode", "suggest", sandbox="bubblewrap", solver=solver)
    try:
        screen.until("untilgreen watch suggest", "3 green", "test_calc.py::test_add", "q quit")
        project.write({"calc.py": BUGS["add"]})
        screen.until("1 of 3 not green", "expected 3, got -1", "a verified fix", "return a - b")
        assert project.read() == BUGS["add"]
        screen.key("a")
        screen.until("fixed calc.py: 1 test passes again", "3 green")
        assert project.read() == CALC
        screen.key("u")
        screen.until("Undone: calc.py")
        assert project.read() == BUGS["add"]
        screen.key("p")
        screen.until("paused: you pressed p")
        screen.key("p")
        screen.key("m")
        screen.until("untilgreen watch fix")
        screen.key("\x03")
        assert screen.ended() == 130
        assert "\x1b[?1049l" in screen.all, "the screen is given back"
    finally:
        screen.close()


def test_all_tests_run_again_when_somebody_asks_for_it(project: Project) -> None:
    """Also when nothing changed since they were green."""
    screen = Screen(project, "--mode", "diagnose", sandbox="bubblewrap", solver="offline")
    try:
        screen.until("untilgreen watch diagnose", "3 green")
        screen.until_ended(THE_REST)
        screen.key("r")
        screen.until_ended(ASKED)
        [asked] = [job for job in project.jobs() if job.cause == ASKED]
        planned = [line for line in Journal(project.state).lines(asked.job) if line["type"] == "plan_made"]
        assert [line["tests"] for line in planned] == [3]
        screen.until("3 green")
        screen.key("q")
        assert screen.ended() == 0
        assert "\x1b[?1049l" in screen.all, "the screen is given back"
    finally:
        screen.close()


def test_who_closes_the_terminal_ends_it_in_order(project: Project) -> None:
    project.write({"test_calc.py": TESTS + "\n\ndef test_slow():\n    import time\n\n    time.sleep(100)\n"})
    screen = Screen(project, "--mode", "diagnose", sandbox="bubblewrap", solver="offline")
    try:
        screen.until("running the tests that may be affected", "test: watch: started")
        eventually(lambda: bool(project.jobs()), PATIENCE)
        assert screen.hang_up() == 129
        assert [job.verdict for job in project.jobs()] == ["stopped"]
    finally:
        screen.close()
    eventually(lambda: not processes_with(str(project.root)))
