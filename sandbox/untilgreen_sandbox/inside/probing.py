"""Runs in the test process: whether it traces tests, tries candidates, or just runs the tests.

A process that others are forked from is ready for all of it, so that it collects the tests once. Its source
comes to that process in its request, so it imports nothing of ours.
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
        self.traces, self.evaluates = not both and is_trace(text), not both and is_evaluation(text)
        self.tracing: Any = None
        self.plugins: List[Any] = []
        if both or self.traces:
            values = ["*"] if both else json.loads(text)["values"]
            self.tracing = modules["tracing"].Tracing(request["root"], speaker, modules, values)
            self.plugins.append(modules["tracing"].plugin(pytest, self.tracing))
        if both or self.evaluates:
            tracer = self.plugins[0] if both else None
            self.plugins.append(
                modules["evaluating"].plugin(pytest, request, modules, speaker, reporter, self, tracer)
            )

    def start(self) -> None:
        if self.tracing is not None:
            self.tracing.start()

    def begin(self, text: str) -> None:
        """In a fork: it becomes one of the two, or just runs its tests."""
        self.traces, self.evaluates = is_trace(text), is_evaluation(text)
        if self.traces:
            self.tracing.observe(json.loads(text)["values"])
        else:
            self.tracing.stop()

    def finish(self) -> None:
        if self.traces:
            self.tracing.finish()


def is_trace(text: str) -> bool:
    return text.startswith(TRACES)


def is_evaluation(text: str) -> bool:
    return bool(text) and not is_trace(text)
