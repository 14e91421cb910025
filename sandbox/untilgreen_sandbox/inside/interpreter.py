"""The project's Python, and how a test process is started with it."""

from __future__ import annotations

import os
from collections.abc import Callable

from untilgreen_sandbox.inside.host import fields, text
from untilgreen_sandbox.inside.packed import FIRST, Packed
from untilgreen_sandbox.inside.watchman import spawn

ONE_ORDER = {"PYTHONHASHSEED": "0"}
"""Sets have the same order in all test processes of all boxes: tests may be named by it."""


class Interpreter:
    """One of the project's own, which all test processes of a box are started with."""

    def __init__(self, setup: dict[str, object], packed: Packed) -> None:
        self._path = text(setup, "python")
        self._root = text(setup, "root")
        self._environment = {str(key): str(value) for key, value in fields(setup, "environment").items()}
        self.home = self._environment["HOME"]
        self._packed = packed

    def start(
        self, told: dict[str, object], pipes: tuple[int, ...], output: int, enter: Callable[[], None]
    ) -> int:
        """Start a test process, which speaks into the first of the pipes; returns its pid."""
        with os.fdopen(os.memfd_create("request"), "wb+") as request:
            request.write(self._packed.file(told))
            request.seek(0)
            # Not `-I`, which would ignore the seed, too; the environment holds nothing that we did not put
            # there. A program given by `-c` looks for modules in the current folder first, which is the
            # workspace. What tests start draws a seed of its own, as it does anywhere.
            argv = [self._path, "-s", "-B", "-c", FIRST, str(request.fileno()), str(pipes[0])]
            environment = {**self._environment, **(ONE_ORDER if told["one_order"] else {})}
            return spawn(argv, environment, self._root, (request.fileno(), *pipes), output, enter)
