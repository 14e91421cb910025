"""Runs in the test process: whether it traces tests or tries candidates.

A process that others are forked from is ready for both, so that it collects the tests once. Its source comes
to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List

Event = Dict[str, Any]

TRACES = '{"values"'
"""How the request of a trace begins; all others are evaluations."""


class Probing:
    """One in a test process that is asked for either."""

    def __init__(
        self, pytest: Any, request: Event, modules: Dict[str, Any], speaker: Any, reporter: Any
    ) -> None:
        text: str = request["evaluation"]
        both = request["checkpoint"] is not None
        self.evaluates = False
        self.tracing: Any = None
        self.plugins: List[Any] = []
        if both or is_trace(text):
            values = ["*"] if both else json.loads(text)["values"]
            self.tracing = modules["tracing"].Tracing(request["root"], speaker, modules, values)
            self.plugins.append(modules["tracing"].plugin(pytest, self.tracing))
        if both or not is_trace(text):
            self.evaluates = not both
            tracer = self.plugins[0] if both else None
            self.plugins.append(
                modules["evaluating"].plugin(pytest, request, modules, speaker, reporter, self, tracer)
            )

    def start(self) -> None:
        if self.tracing is not None:
            self.tracing.start()

    def begin(self, text: str) -> None:
        """In a fork: it becomes one of the two."""
        self.evaluates = not is_trace(text)
        if self.evaluates:
            self.tracing.stop()
        else:
            self.tracing.observe(json.loads(text)["values"])

    def finish(self) -> None:
        if self.tracing is not None and not self.evaluates:
            self.tracing.finish()


def is_trace(text: str) -> bool:
    return text.startswith(TRACES)
