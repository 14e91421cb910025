"""Runs in the test process: rings now and then while a test runs, without being in its way.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable
from typing import Any


class Clock:
    """A timer of the kernel with a signal that nobody else uses; tests may have all others."""

    SIGNAL = signal.SIGRTMAX - 3

    def __init__(self, ring: Callable[[], None]) -> None:
        self.ring = ring
        self.owner = 0
        self.timer = ctypes.c_void_p()
        self.running = False
        self.libc = ctypes.CDLL(None)

    def set(self, first: float, then: float) -> None:
        """Nought switches it off. A fork has no timers, so each process makes its own."""
        self.running = first > 0
        if not hasattr(self.libc, "timer_create"):
            return  # Of an old library; what hangs is then told up to the test before.
        if self.owner != os.getpid():
            self.owner = os.getpid()
            event = (ctypes.c_int * 16)(0, 0, self.SIGNAL, 0)
            signal.signal(self.SIGNAL, self.rung)
            signal.siginterrupt(self.SIGNAL, False)
            self.libc.timer_create(1, ctypes.byref(event), ctypes.byref(self.timer))
        parts = [part for value in (then, first) for part in (int(value), int(value % 1 * 1e9))]
        self.libc.timer_settime(self.timer, 0, ctypes.byref((ctypes.c_long * 4)(*parts)), None)

    def rung(self, number: int, frame: Any) -> None:
        if self.running:
            self.ring()
