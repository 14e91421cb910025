"""A Neovim on a real screen: in a terminal of tmux, typed at and looked at."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from neovim.nvim import PATIENCE, program

WIDTH, HEIGHT = 108, 15


class Screen:
    """What stands on it is asked again and again until it is what was meant."""

    def __init__(self, tmux: list[str], environment: Mapping[str, str]) -> None:
        self._tmux = tmux
        self._environment = environment
        self._kept: list[Text] = []

    def run(self, *arguments: str) -> str:
        return subprocess.run(
            [*self._tmux, *arguments],
            env=dict(self._environment),
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        ).stdout

    def type(self, *keys: str) -> None:
        """Keys by their names in tmux; texts as they are."""
        self.run("send-keys", *keys)

    def say(self, command: str) -> None:
        self.run("send-keys", "-l", f":{command}")
        self.type("Enter")

    def text(self) -> str:
        return self.run("capture-pane", "-p")

    def until(self, *parts: str, without: str = "") -> str:
        """Until all of these are to be seen, and that is not. Nobody has to press ENTER for it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            shown = self.text()
            assert "Press ENTER" not in shown and "-- More --" not in shown, shown
            if all(part in shown for part in parts) and not (without and without in shown):
                return shown
            assert time.monotonic() < deadline, f"never seen: {parts}\n{shown}"
            time.sleep(0.05)

    def keep(self) -> None:
        """What is seen now becomes a part of the picture, with its colours."""
        self._kept.append(Text.from_ansi(self.run("capture-pane", "-e", "-N", "-p").rstrip("\n")))

    def draw(self, target: Path, title: str) -> None:
        with Path(os.devnull).open("w") as nowhere:
            console = Console(record=True, width=WIDTH, file=nowhere, color_system="truecolor")
            console.print(Text("\n\n").join(self._kept))
            picture = console.export_svg(title=title, unique_id="neovim")
        target.parent.mkdir(parents=True, exist_ok=True)
        # A reader's machine should not fetch fonts from somewhere to look at it.
        target.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


@contextmanager
def screen(version: str, environment: Mapping[str, str], folder: Path, *files: str) -> Iterator[Screen]:
    """A terminal with a Neovim in it, and a tmux of its own that is gone afterwards."""
    own = {**environment, "TMUX_TMPDIR": environment["XDG_RUNTIME_DIR"]}
    tmux = ["tmux", "-L", "screen", "-f", "/dev/null"]
    shown = Screen(tmux, own)
    size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
    shown.run("new-session", "-d", *size, "-c", str(folder), str(program(version)), "-n", *files)
    try:
        yield shown
    finally:
        subprocess.run([*tmux, "kill-server"], env=own, check=False, capture_output=True)
