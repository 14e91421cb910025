"""One key, one wish: read from a terminal as they are pressed, from a pipe line by line."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any


class Keys:
    """Listens to standard input; gives the terminal back as it was."""

    def __init__(self, pressed: Callable[[str], None]) -> None:
        self._pressed = pressed
        self._restore: Callable[[], None] = lambda: None
        self._listening = False

    def listen(self) -> None:
        try:
            number = sys.stdin.fileno()
            self._restore = _without_echo(number)
            asyncio.get_running_loop().add_reader(number, self._read, number)
            self._listening = True
        except (OSError, ValueError, NotImplementedError, ImportError):
            # No input to listen to: then it is ended by a signal.
            self.close()

    def close(self) -> None:
        if self._listening:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            self._listening = False
        self._restore()
        self._restore = lambda: None

    def _read(self, number: int) -> None:
        data = b""
        with contextlib.suppress(OSError):
            data = os.read(number, 64)
        if not data:
            self.close()
        for key in data.decode("ascii", "ignore"):
            if key.isalpha():
                self._pressed(key.lower())


def _without_echo(number: int) -> Callable[[], None]:
    """A terminal hands over each key at once; Ctrl-C still means what it means."""
    if not os.isatty(number):
        return lambda: None
    import termios
    import tty

    before: list[Any] = termios.tcgetattr(number)
    tty.setcbreak(number)

    def restore() -> None:
        # A terminal that was closed has nothing to get back.
        with contextlib.suppress(termios.error):
            termios.tcsetattr(number, termios.TCSADRAIN, before)

    return restore
