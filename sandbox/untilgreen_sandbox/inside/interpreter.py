"""The project's Python, and how a test process is started with it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

from untilgreen_sandbox.inside.host import fields, text
from untilgreen_sandbox.inside.watchman import spawn

ONE_ORDER = {"PYTHONHASHSEED": "0"}
"""Sets have the same order in all test processes of all boxes: tests may be named by it."""

# Not `-I`, which would ignore the seed, too; the environment holds nothing that we did not put there. A
# program given by `-c` looks for modules in the current folder first, which is the workspace. What tests
# start draws a seed of its own, as it does anywhere.
_FIRST = """\
import sys
sys.path.remove("")
sys.modules["os"].environ.pop("PYTHONHASHSEED", None)
exec(sys.argv.pop(1))
"""


class Interpreter:
    """One of the project's own, which all test processes of a box are started with."""

    def __init__(self, setup: dict[str, object]) -> None:
        self._path = text(setup, "python")
        self._root = text(setup, "root")
        self._environment = {str(key): str(value) for key, value in fields(setup, "environment").items()}
        self.home = self._environment["HOME"]
        # The source of what runs in the test process; kept here, where no test can change it.
        self._modules = {str(key): str(value) for key, value in fields(setup, "modules").items()}
        self._program = self._modules.pop("pytest_child")

    def start(
        self, told: dict[str, object], pipes: tuple[int, ...], output: int, enter: Callable[[], None]
    ) -> int:
        """Start a test process, which speaks into the first of the pipes; returns its pid."""
        with os.fdopen(os.memfd_create("request"), "w+") as request:
            json.dump({**told, "modules": self._modules}, request)
            request.flush()
            request.seek(0)
            words = (self._program, str(request.fileno()), str(pipes[0]))
            argv = [self._path, "-s", "-B", "-c", _FIRST, *words]
            environment = {**self._environment, **(ONE_ORDER if told["one_order"] else {})}
            return spawn(argv, environment, self._root, (request.fileno(), *pipes), output, enter)
