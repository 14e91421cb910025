"""What the whole screen of a watch says of the job that runs."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from rich.console import Console

from untilgreen import events
from untilgreen.cli.watch_view import View
from untilgreen.job import Job
from untilgreen.watching.notes import Began, Ended, Happened

SOLVE = cast(Job, SimpleNamespace(id="one", kind="solve"))
CAUSE = "watch: saved calc.py; tests fail"


def shown(view: View) -> str:
    """The line above the keys."""
    console = Console(file=io.StringIO(), width=110, height=30)
    console.print(view.drawn())
    lines = cast(io.StringIO, console.file).getvalue().splitlines()
    [rule] = [n for n, line in enumerate(lines) if line.strip() == "─" * 40]
    return lines[rule + 1].strip()


def test_the_job_that_runs_and_what_it_tries_are_shown() -> None:
    view = View(Path("work"), "fix", Console(file=io.StringIO(), width=110, height=30))
    assert shown(view) == ""
    view.show(Began(SOLVE, CAUSE))
    assert shown(view) == f"solve: {CAUSE}"
    said: tuple[tuple[events.Event, str], ...] = (
        (events.Searching(1, "1,240 candidates · 3 near misses"), "1,240 candidates · 3 near misses"),
        (events.PlanMade(3), "1,240 candidates · 3 near misses"),
        (events.Testing(2, "add instead of subtract", ("calc.py",)), "attempt 2: add instead of subtract"),
        (events.Verifying(3), "verifying 3 tests in a fresh sandbox"),
    )
    for event, text in said:
        view.show(Happened(SOLVE, event))
        assert shown(view) == f"solve: {CAUSE}  {text}"
    view.show(Ended(SOLVE, "1 failing test passes now."))
    assert shown(view) == "1 failing test passes now."
    view.show(Began(SOLVE, CAUSE))
    assert shown(view) == f"solve: {CAUSE}", "nothing is left of the job before"
