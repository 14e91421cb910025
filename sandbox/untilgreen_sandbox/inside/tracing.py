"""Runs in the test process: which lines and functions of the workspace each test executed.

What imports execute belongs to every test that needs the module, and what a fixture of a wider scope executes
to every test that uses it, whichever came first; both are kept apart. Its source comes to that process in its
request, so it imports nothing of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import Any, Dict, List, Optional

Event = Dict[str, Any]

MAX_PLACES = 100_000
MAX_BYTES = 24 << 20
FIRST_LOOK, NEXT_LOOK = 0.2, 0.4
"""Seconds after which what a test has executed so far is told, as it may never end."""
MOST_LOOKS = 2
"""So often; then it goes on untraced, up to a hundred times as fast."""
CHILDREN, TAKEN, LIMITS = "child processes", "another tracer", "limits reached"
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system")
HEARD = frozenset((*STARTS, "exec", "sys.settrace"))
_IS_FUNCTION = 1  # CO_OPTIMIZED: neither a module nor the body of a class.


class Tracing:
    """One in a test process. Everything belongs to imports until a test begins."""

    def __init__(self, root: str, speaker: Any, modules: Dict[str, Any], asked: List[str]) -> None:
        self.root = root
        self.speaker = speaker
        self.observer = modules["observing"].Observer(asked) if asked else None
        self.files: Dict[str, Optional[str]] = {}
        self.places: Dict[int, Any] = {}
        self.names: Dict[Any, str] = {}
        self.buckets = modules["buckets"]
        self.imports = self.buckets.Bucket("import")
        self.current = self.imports
        self.shared: Dict[str, Any] = {}
        self.importing = False
        """Whether this test imported something of the workspace, so that it has to be asked who called."""
        self.sent = self.looks = 0
        self.stopped = False
        self.clock = modules["clock"].Clock(self.look)
        self.collector = modules["collectors"].collector(self)

    def start(self) -> None:
        def hook(event: str, arguments: Any) -> None:
            # Every look at the code of a frame is an event, too: millions of them in a traced test.
            if event in HEARD and not self.stopped:
                self.hear(event, arguments)

        # A function, as the interpreter takes ten times as long to call a method for each of them.
        sys.addaudithook(hook)
        self.collector.start()

    def stop(self) -> None:
        """For good: in this process something else is done."""
        self.stopped = True
        self.collector.stop()

    def observe(self, asked: List[str]) -> None:
        """Other functions than those that were asked for at first."""
        self.observer = self.observer.asking(asked) if asked and self.observer else None

    def hear(self, event: str, arguments: Any) -> None:
        if event in STARTS:
            # What a plugin starts before any test does not run code of the workspace.
            if self.current is not self.imports or self.called_here(sys._getframe(1)):
                self.current.incomplete.add(CHILDREN)
        else:
            self.collector.hear(event, arguments)

    def called_here(self, frame: Any) -> bool:
        """Whether code of the workspace is among the callers."""
        while frame is not None and self.path(frame.f_code.co_filename) is None:
            frame = frame.f_back
        return frame is not None

    def lost(self) -> None:
        """Somebody else traces, or did so for a while."""
        self.current.incomplete.add(TAKEN)

    def path(self, file: str) -> Optional[str]:
        try:
            return self.files[file]
        except KeyError:
            full = os.path.normpath(os.path.join(self.root, file)) if file and file[0] != "<" else ""
            own = full.startswith(self.root + os.sep) and "site-packages" not in full
            path = full[len(self.root) + 1 :].replace(os.sep, "/") if own else None
            self.files[file] = path
            return path

    def place(self, code: Any, path: str) -> Any:
        found = self.places.get(id(code))
        if found is None and len(self.places) < MAX_PLACES:
            qualname = getattr(code, "co_qualname", None) or self.qualname(code)
            found = self.places[id(code)] = self.buckets.Place(code, path, qualname)
        elif found is None:
            self.imports.incomplete.add(LIMITS)
        return found

    def qualname(self, code: Any) -> str:
        """Before Python 3.11 only the code around it knows where a function stands."""
        if code.co_name == "<module>":
            name_all(code, "", self.names)
        return self.names.get(code) or str(code.co_name)

    def bucket(self, frame: Any) -> Any:
        """Who is to have what this frame executes."""
        while self.importing and frame is not None:
            code = frame.f_code
            if code.co_name == "<module>" and self.files.get(code.co_filename):
                return self.imports
            frame = frame.f_back
        return self.current

    def begin(self, test: str) -> None:
        self.collector.check()
        self.switch(self.buckets.Bucket("test", test))
        self.looks = 0
        if self.observer:
            self.observer.begin()

    def end(self) -> None:
        self.collector.check()
        bucket = self.current
        self.switch(self.imports)
        self.tell(bucket)
        shares = [name for name in bucket.shares if name in self.shared]
        incomplete = bucket.incomplete.union(*(self.shared[name].incomplete for name in shares))
        self.tell_one(
            {
                "ev": "traced_test",
                "id": bucket.name,
                "shares": shares,
                "incomplete": sorted(incomplete),
            }
        )

    def switch(self, bucket: Any) -> Any:
        before, self.current = self.current, bucket
        self.importing = False
        self.collector.renew()
        return before

    def share(self, name: str) -> Any:
        return self.shared.setdefault(name, self.buckets.Bucket("shared", name))

    def look(self) -> None:
        """From a signal, in the middle of a test."""
        self.looks += 1
        if self.looks == MOST_LOOKS and self.collector.rest():
            self.current.incomplete.add(LIMITS)
        self.tell(self.current, unfinished=True)
        self.speaker.write()

    def tell(self, bucket: Any, unfinished: bool = False) -> None:
        for event in bucket.news():
            self.tell_one(event)
        if self.observer:
            for event in self.observer.take(unfinished):
                self.tell_one(event)

    def tell_one(self, event: Event) -> None:
        self.sent += 100 + sum(map(len, event.get("functions", ())))
        self.sent += sum(len(path) + 12 * len(found) for path, found in event.get("lines", {}).items())
        self.sent += 2000 * (event["ev"] == "observed")
        if self.sent < MAX_BYTES:
            self.speaker.send(event)
        else:
            self.imports.incomplete.add(LIMITS)

    def tell_shared(self) -> None:
        for bucket in (self.imports, *self.shared.values()):
            self.tell(bucket)

    def finish(self) -> None:
        self.tell_shared()
        reasons = set(self.imports.incomplete)
        if self.observer and self.observer.limited:
            reasons.add(LIMITS)
        self.speaker.send({"ev": "traced_all", "incomplete": sorted(reasons)})


def name_all(code: Any, prefix: str, names: Dict[Any, str]) -> None:
    for inner in code.co_consts:
        if type(inner) is type(code):
            names[inner] = prefix + inner.co_name
            locals_part = ".<locals>." if inner.co_flags & _IS_FUNCTION else "."
            name_all(inner, names[inner] + locals_part, names)


def plugin(pytest: Any, tracing: Tracing) -> Any:
    """What tells the tracing which test runs, and which fixture outlives it."""

    class Plugin:
        @pytest.hookimpl(hookwrapper=True, tryfirst=True)  # type: ignore[untyped-decorator]
        def pytest_runtest_protocol(self, item: Any) -> Generator[None, None, None]:
            tracing.begin(item.nodeid)
            tracing.current.shares = list(getattr(item, "fixturenames", ()))
            yield
            tracing.end()

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)  # type: ignore[untyped-decorator]
        def pytest_runtest_setup(self) -> Generator[None, None, None]:
            # Until the end of the teardown nothing else is sent, so that a signal cuts no line in two.
            tracing.clock.set(FIRST_LOOK, NEXT_LOOK)
            tracing.collector.on()
            yield
            tracing.collector.off()

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)  # type: ignore[untyped-decorator]
        def pytest_runtest_teardown(self, item: Any) -> Generator[None, None, None]:
            # Those that were asked for by name while the test ran are among these.
            asked = getattr(getattr(item, "_request", None), "_fixture_defs", None) or ()
            tracing.current.shares += [name for name in asked if name not in tracing.current.shares]
            tracing.collector.on()
            yield
            tracing.collector.off()
            tracing.clock.set(0, 0)

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)  # type: ignore[untyped-decorator]
        def pytest_runtest_call(self) -> Generator[None, None, None]:
            tracing.collector.on()
            yield
            tracing.collector.off()

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)  # type: ignore[untyped-decorator]
        def pytest_generate_tests(self) -> Generator[None, None, None]:
            # Names of parameters may be made by a function.
            tracing.collector.on()
            yield
            tracing.collector.off()

        def pytest_plugin_registered(self, plugin: Any) -> None:
            # Hooks of the workspace may be called at any time.
            file = getattr(plugin, "__file__", None)
            hooks = [name for name in dir(plugin) if name.startswith("pytest_") and name != "pytest_plugins"]
            if hooks and isinstance(file, str) and tracing.path(file) is not None:
                tracing.collector.stay()

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)  # type: ignore[untyped-decorator]
        def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, None, None]:
            if fixturedef.scope == "function":
                yield
                return
            before = tracing.switch(tracing.share(fixturedef.argname))
            yield
            tracing.switch(before)

        def pytest_collection_finish(self) -> None:
            if not tracing.stopped:
                tracing.tell_shared()

    return Plugin()
