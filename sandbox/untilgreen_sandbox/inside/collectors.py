"""Runs in the test process: two ways to learn which lines of the workspace are executed.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import dis
import sys
import threading
from typing import Any, Callable, Dict, FrozenSet, Optional, Set

_NAME = "untilgreen"
OFTEN, SELDOM = 200, 16
"""After so many calls of a function in one test, only each so-manieth is looked at: what is called so often
has shown its lines, and a trace function costs ten times what a small function does."""
MOST_IDLE = 2000
"""Lines of a function that came again in one test; after them its calls count as often, too."""


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

    def stop(self) -> None:
        self.api.set_events(self.tool, 0)
        for place in self.tracing.places.values():
            self.api.set_local_events(self.tool, place.code, 0)
        self.api.free_tool_id(self.tool)

    def check(self) -> None:
        if self.api.get_tool(self.tool) != _NAME:
            self.tracing.lost()

    def on(self) -> None:
        """It is always on, as it costs nothing where there is nothing to see."""

    def off(self) -> None:
        """See `on`."""

    def stay(self) -> None:
        """See `on`."""

    def rest(self) -> bool:
        """See `on`."""
        return False

    def hear(self, event: str, arguments: Any) -> None:
        """Nobody can take it without being seen, see `check`."""

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
    """Before Python 3.12: a trace function, which only frames of the workspace keep.

    It is called for each function of everybody all the same, so it is set only while modules of the workspace
    are imported, and in the phases in which the runner calls the workspace.
    """

    def __init__(self, tracing: Any) -> None:
        self.tracing = tracing
        self.phase = False
        """Whether code of the workspace may be called just now, other than by importing it."""
        self.always = False
        self.setting = self.resting = False
        self.locals: Dict[int, Callable[..., Any]] = {}
        self.calls: Dict[int, int] = {}
        self.lines: Dict[int, FrozenSet[int]] = {}
        self.on_call = self.calling()

    def start(self) -> None:
        threading.settrace(self.on_call)

    def stop(self) -> None:
        threading.settrace(None)
        self.set(None)

    def stay(self) -> None:
        self.always = True
        self.on()

    def rest(self) -> bool:
        """Until something else begins, if it can: even a trace function that does nothing takes long."""
        if sys.gettrace() == self.on_call:
            self.resting = True
            self.set(None)
        return self.resting

    def on(self) -> None:
        """One who holds the tracer keeps it."""
        self.phase, self.resting = True, False
        if sys.gettrace() not in (None, self.on_call):
            self.tracing.lost()
        else:
            self.set(self.on_call)

    def off(self) -> None:
        self.phase = self.always
        if self.resting:
            self.resting = False
            if self.always:
                self.on()
        elif sys.gettrace() != self.on_call:
            self.tracing.lost()
            if self.always:
                self.on()
        elif not self.always:
            self.set(None)

    def set(self, function: Any) -> None:
        self.setting = True
        sys.settrace(function)
        self.setting = False

    def check(self) -> None:
        """It is done whenever a phase ends."""

    def hear(self, event: str, arguments: Any) -> None:
        if event == "exec":
            file = getattr(arguments[0], "co_filename", None)
            own = file is not None and self.tracing.path(file) is not None
            if own and not self.phase and not self.resting and sys.gettrace() is None:
                self.set(self.on_call)
        # A new thread sets what all threads have, and that is ours.
        elif not self.setting and sys._getframe(3).f_code.co_filename != threading.__file__:
            self.tracing.lost()

    def renew(self) -> None:
        self.locals = {}
        self.calls.clear()

    def calling(self) -> Callable[..., Any]:
        """The trace function. Most calls are not the workspace's, so those have the shortest way."""
        elsewhere: Set[str] = set()
        calls, tracing = self.calls, self.tracing

        def on_call(frame: Any, event: str, argument: object) -> Any:
            code = frame.f_code
            file = code.co_filename
            if file in elsewhere:
                return None
            n = calls.get(id(code))
            if n is not None:
                calls[id(code)] = n + 1
                if n > OFTEN and n % SELDOM and not tracing.importing:
                    return None
            path = tracing.path(file)
            if path is None:
                elsewhere.add(file)
                return None
            return self.entered(frame, path)

        return on_call

    def entered(self, frame: Any, path: str) -> Any:
        code, tracing = frame.f_code, self.tracing
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
            observed = False
            with contextlib.suppress(Exception):
                observed = tracing.observer.called(tracing.current.test, place.function, frame)
            if observed:
                return self.observing(seen)
        local = self.noting(seen, code)
        if not tracing.importing:
            self.locals[id(code)] = local
            self.calls[id(code)] = 1
        return local

    def imported(self, frame: Any) -> None:
        """The end of a module; of the outermost one it is also the end of what is to be traced."""
        while not self.phase and frame.f_back is not None:
            frame = frame.f_back
            if frame.f_code.co_name == "<module>" and self.tracing.path(frame.f_code.co_filename):
                return
        if not self.phase and sys.gettrace() == self.on_call:
            self.set(None)

    def lines_of(self, code: Any) -> FrozenSet[int]:
        """All there are to see; the first stands for entering, unless it comes again."""
        if id(code) not in self.lines:
            starts = [line for _, line in dis.findlinestarts(code)]
            self.lines[id(code)] = frozenset(starts[1:] or starts)
        return self.lines[id(code)]

    def noting(self, seen: Set[int], code: Any) -> Callable[..., Any]:
        lines, calls, key = self.lines_of(code), self.calls, id(code)
        all_seen, idle = seen >= lines, 0

        def local(frame: Any, event: str, argument: object) -> Any:
            nonlocal all_seen, idle
            if event == "return" and frame.f_code.co_name == "<module>":
                self.imported(frame)
            if event == "line":
                if frame.f_lineno not in seen:
                    seen.add(frame.f_lineno)
                    all_seen, idle = seen >= lines, 0
                else:
                    idle += 1
                    if idle == MOST_IDLE and key in calls:
                        calls[key] = max(calls[key], OFTEN + 1)
            if all_seen:
                frame.f_trace_lines = False
            return local

        return local

    def observing(self, seen: Any) -> Callable[..., Any]:
        observer = self.tracing.observer

        def local(frame: Any, event: str, argument: Any) -> Any:
            if event == "line":
                seen.add(frame.f_lineno)
                return local
            with contextlib.suppress(Exception):
                if event == "exception":
                    observer.raises(frame, argument[1])
                elif event == "return":
                    observer.left(frame, argument)
            return local

        return local
