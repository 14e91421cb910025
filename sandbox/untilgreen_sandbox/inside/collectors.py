"""Runs in the test process: two ways to learn which lines of the workspace are executed.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from typing import Any, Callable, Dict, Optional

_NAME = "untilgreen"


def collector(tracing: Any) -> Any:
    return Monitor(tracing) if Monitor.number() is not None else Tracer(tracing)


class Monitor:
    """Python 3.12 and later: each line is told once, and anew for the next test where this one has been."""

    def __init__(self, tracing: Any) -> None:
        self.tracing = tracing
        self.tool = self.number() or 0
        self.api = sys.monitoring  # type: ignore[attr-defined]
        self.touched: Dict[int, Any] = {}

    @staticmethod
    def number() -> Optional[int]:
        api = getattr(sys, "monitoring", None)
        free = [n for n in (4, 3, 5, 2, 1, 0) if api is not None and api.get_tool(n) is None]
        return free[0] if free else None

    def start(self) -> None:
        events = self.api.events
        self.api.use_tool_id(self.tool, _NAME)
        self.api.register_callback(self.tool, events.PY_START, self.on_start)
        self.api.register_callback(self.tool, events.LINE, self.on_line)
        wanted = events.PY_START
        if self.tracing.observer:
            self.api.register_callback(self.tool, events.PY_RETURN, self.on_return)
            self.api.register_callback(self.tool, events.PY_UNWIND, self.on_unwind)
            wanted |= events.PY_UNWIND
        self.api.set_events(self.tool, wanted)

    def check(self) -> None:
        if self.api.get_tool(self.tool) != _NAME:
            self.tracing.lost()

    def hears(self) -> bool:
        return False

    def renew(self) -> None:
        if self.api.get_tool(self.tool) == _NAME:
            touched, self.touched = self.touched, {}
            for place in touched.values():
                if not place.module:
                    events = self.api.get_local_events(self.tool, place.code)
                    self.api.set_local_events(self.tool, place.code, 0)
                    self.api.set_local_events(self.tool, place.code, events)

    def on_start(self, code: Any, offset: int) -> Any:
        tracing, events = self.tracing, self.api.events
        path = tracing.path(code.co_filename)
        place = tracing.place(code, path) if path is not None else None
        if place is None:
            return self.api.DISABLE
        observed = tracing.observer is not None and tracing.observer.wants(place.observed)
        wanted = events.LINE | (events.PY_RETURN if observed else 0)
        if self.api.get_local_events(self.tool, code) != wanted:
            self.api.set_local_events(self.tool, code, wanted)
        if place.module:
            tracing.importing = tracing.current is not tracing.imports
        if not observed:
            return self.api.DISABLE
        frame = sys._getframe(1)
        with contextlib.suppress(Exception):
            tracing.observer.called(tracing.current.test, place.function, frame)
        return None

    def on_line(self, code: Any, line: int) -> Any:
        tracing = self.tracing
        place = tracing.places.get(id(code))
        if place is None:
            return self.api.DISABLE
        self.touched[id(code)] = place
        if tracing.importing:
            bucket = tracing.bucket(sys._getframe(1))
            bucket.add(place, line)
            # What an import executes may be executed again by the test itself.
            return None if bucket is not tracing.current else self.api.DISABLE
        tracing.current.add(place, line)
        return self.api.DISABLE

    def on_return(self, code: Any, offset: int, value: object) -> None:
        with contextlib.suppress(Exception):
            self.tracing.observer.returned(sys._getframe(1), value)

    def on_unwind(self, code: Any, offset: int, error: BaseException) -> None:
        if id(code) in self.tracing.places:
            with contextlib.suppress(Exception):
                self.tracing.observer.unwound(sys._getframe(1), error)


class Tracer:
    """Before Python 3.12: a trace function, which only frames of the workspace keep."""

    def __init__(self, tracing: Any) -> None:
        self.tracing = tracing
        self.starting = False
        self.locals: Dict[int, Callable[..., Any]] = {}

    def start(self) -> None:
        self.starting = True
        threading.settrace(self.on_call)
        sys.settrace(self.on_call)
        self.starting = False

    def check(self) -> None:
        """One who still holds the tracer keeps it; when it was left to nobody it is ours again."""
        if sys.gettrace() != self.on_call:
            self.tracing.lost()
            if sys.gettrace() is None:
                self.start()

    def hears(self) -> bool:
        """Whether it was somebody else who set a tracer just now; a new thread sets ours."""
        caller = sys._getframe(2).f_code
        return not self.starting and caller.co_filename != threading.__file__

    def renew(self) -> None:
        self.locals = {}

    def on_call(self, frame: Any, event: str, argument: object) -> Any:
        code, tracing = frame.f_code, self.tracing
        path = tracing.path(code.co_filename)
        if path is None:
            return None
        local = self.locals.get(id(code))
        if local is not None and not tracing.importing:
            return local
        place = tracing.place(code, path)
        if place is None:
            return None
        if place.module:
            tracing.importing = tracing.current is not tracing.imports
        seen = tracing.bucket(frame).lines.setdefault(place, set())
        if tracing.observer is not None and tracing.observer.wants(place.observed):
            with contextlib.suppress(Exception):
                tracing.observer.called(tracing.current.test, place.function, frame)
            return self.observing(seen)
        local = self.noting(seen)
        if not tracing.importing:
            self.locals[id(code)] = local
        return local

    def noting(self, seen: Any) -> Callable[..., Any]:
        add = seen.add

        def local(frame: Any, event: str, argument: object) -> Any:
            if event == "line":
                add(frame.f_lineno)
            return local

        return local

    def observing(self, seen: Any) -> Callable[..., Any]:
        observer = self.tracing.observer

        def local(frame: Any, event: str, argument: Any) -> Any:
            if event == "line":
                seen.add(frame.f_lineno)
            with contextlib.suppress(Exception):
                if event == "exception":
                    observer.raises(frame, argument[1])
                elif event == "return":
                    observer.left(frame, argument)
            return local

        return local
