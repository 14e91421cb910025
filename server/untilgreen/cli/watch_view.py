"""The whole screen of a watch: tests, what is being done, the fix that waits, the last fixes, the keys."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from untilgreen.cli.screen import COLOURS, coloured
from untilgreen.cli.watch_lines import why, wrote
from untilgreen.events import Event, Searching, Testing, Verifying
from untilgreen.watching.modes import Mode
from untilgreen.watching.notes import (
    Began,
    Ended,
    Happened,
    Note,
    Offered,
    Result,
    Said,
    Standing,
    Withdrawn,
    Wrote,
)
from untilgreen_sandbox.report import CaseResult

MOST_LINES = 5
_KEYS = (
    ("a", "write the fix"),
    ("u", "undo"),
    ("p", "pause"),
    ("m", "mode"),
    ("r", "run again"),
    ("q", "quit"),
)
_MODE_COLOURS = {"off": "dim", "diagnose": "cyan", "suggest": "yellow", "fix": "green"}


class View:
    """Drawn again whenever something was told, and never without: at rest it costs nothing."""

    def __init__(self, root: Path, mode: Mode, console: Console | None = None) -> None:
        self._root = root
        self._mode = mode
        self._message = "starting"
        self._cases: dict[str, CaseResult] = {}
        self._job = ""
        self._doing = ""
        self._offered: Offered | None = None
        self._past: list[str] = []
        self._live = Live(console=console or Console(), screen=True, auto_refresh=False)

    def open(self) -> None:
        self._live.start()
        self._draw()

    def close(self) -> None:
        self._live.stop()
        for line in self._past:
            self._live.console.print(Text(line), soft_wrap=True)

    def show(self, note: Note) -> None:
        match note:
            case Standing(mode, message):
                self._mode, self._message = mode, message
            case Began(job, cause):
                self._job, self._doing = f"{job.kind}: {cause}", ""
            case Happened(_, event):
                self._doing = doing(event) or self._doing
            case Result(job, report):
                if job.kind == "test" and job.affected is None:
                    self._cases = {}
                self._cases.update((case.id, case) for case in report.cases)
            case Ended(_, reason):
                self._job, self._doing = "", reason
            case Offered():
                self._offered = note
            case Withdrawn():
                self._offered = None
            case Wrote(_, verdict, _):
                self._offered = None
                self._cases.update((case.id, case) for case in (verdict.after.cases if verdict.after else ()))
                self._remember(wrote(note))
            case Said(text):
                self._remember(text)
        self._draw()

    def _remember(self, text: str) -> None:
        self._past = [*self._past, f"{time.strftime('%H:%M:%S')} {text}"][-MOST_LINES:]

    def _draw(self) -> None:
        if self._live.is_started:
            self._live.update(self.drawn(), refresh=True)

    def drawn(self) -> RenderableType:
        """The screen as it should be now."""
        layout = Layout()
        layout.split_column(
            Layout(self._head(), size=2),
            Layout(self._tests(), name="tests", ratio=2),
            *([Layout(self._fix(self._offered), ratio=1)] if self._offered is not None else []),
            Layout(self._below(), size=len(self._past) + 4),
        )
        return layout

    def _head(self) -> Text:
        red = sum(not case.good for case in self._cases.values())
        state = f"{red} of {len(self._cases)} not green" if red else f"{len(self._cases)} green"
        return Text.assemble(
            ("untilgreen watch ", "bold"),
            (self._mode, _MODE_COLOURS[self._mode]),
            f"  {self._root.name}  ",
            (state if self._cases else "", "bold red" if red else "bold green"),
            "\n",
            (self._message, "yellow" if ":" in self._message else ""),
        )

    def _tests(self) -> RenderableType:
        table = Table(box=None, pad_edge=False, expand=True, show_header=False)
        table.add_column(ratio=2, no_wrap=True)
        table.add_column(width=8)
        table.add_column(width=9, justify="right")
        table.add_column(ratio=3, no_wrap=True)
        # Failures first: they are what one looks for.
        cases = sorted(self._cases.values(), key=lambda case: case.good)
        for case in cases[: max(3, self._live.console.height)]:
            outcome = Text(case.outcome, COLOURS.get(case.outcome, ""))
            reason = "" if case.good else why(case)
            table.add_row(Text(case.id), outcome, f"{case.seconds * 1000:.0f} ms", Text(reason, "dim"))
        return Panel(table, title="tests", title_align="left", border_style="dim")

    def _fix(self, offered: Offered) -> RenderableType:
        title = "a verified fix" + (f": {offered.why}" if offered.why else "") + " · a writes it"
        return Panel(
            coloured(offered.verdict.diff), title=Text(title), title_align="left", border_style="yellow"
        )

    def _below(self) -> RenderableType:
        keys = Text("  ").join(Text.assemble((key, "bold reverse"), f" {text}") for key, text in _KEYS)
        happening = Text(f"{self._job}  {self._doing}".strip(), no_wrap=True, overflow="ellipsis")
        past = [Text(line, "green", no_wrap=True, overflow="ellipsis") for line in self._past]
        return Group(Text("─" * 40, "dim"), happening, *past, Text(""), keys)


def doing(event: Event) -> str:
    """What a job is at, in a few words; empty when it says nothing new."""
    match event:
        case Searching(_, text):
            return text
        case Testing(attempt, hypothesis, _):
            return f"attempt {attempt}: {hypothesis}"
        case Verifying(tests):
            return f"verifying {tests} tests in a fresh sandbox"
    return ""
