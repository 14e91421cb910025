"""The whole screen of a watch."""

from __future__ import annotations

from pathlib import Path

from untilgreen.cli.watch_lines import Lines
from untilgreen.watching.modes import Mode


class View(Lines):
    def __init__(self, root: Path, mode: Mode) -> None:
        super().__init__(mode)
