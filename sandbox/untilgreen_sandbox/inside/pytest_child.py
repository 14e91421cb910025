"""Runs in the test process: starts pytest with a plugin that tells what happens, one JSON line per event.

Its source is given to the project's own interpreter as a word, so it imports nothing of ours. The code under
test shares this process and can forge every line; the host therefore treats them as claims.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import sys
import threading
import types
from collections.abc import Callable, Generator
from typing import Any, Dict

Event = Dict[str, Any]

MAX_TEXT = 4000
TOLD_LATER = ("case", "planned", "traced", "traced_test", "observed")


class Reporter:
    """A pytest plugin."""

    def __init__(
        self, send: Callable[[Event], None], root: str, wanted: list[str], failures: Any, options: Any
    ) -> None:
        self.send = send
        self.options = options
        self.failures = failures.Failures(root)
        self.telling = failures
        self.root = root
        self.want(wanted)
        self.compared: tuple[str, str] | None = None
        self.places: dict[str, str] = {}
        self.collect_failures: dict[str, Event] = {}
        self.state: dict[str, Event] = {}

    def want(self, ids: list[str]) -> None:
        self.wanted = frozenset(ids)
        self.prefixes = tuple(path + end for path in ids for end in ("::", "[", "/"))

    def pytest_addoption(self, parser: Any) -> None:
        # The settings and marks of a plugin that is kept out are known all the same, for strict projects.
        for name in self.options.BLOCKED_SETTINGS:
            parser.addini(name, "unused here", default=None)

    def pytest_configure(self, config: Any) -> None:
        for mark in self.options.BLOCKED_MARKERS:
            config.addinivalue_line("markers", mark)

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        # Only called for an assertion that has just failed.
        if op == "==":
            self.compared = (self.telling.shown(left), self.telling.shown(right))

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        if self.wanted:
            dropped = [item for item in items if not self.asked_for(item.nodeid)]
            items[:] = [item for item in items if self.asked_for(item.nodeid)]
            if dropped:
                config.hook.pytest_deselected(items=dropped)

    def asked_for(self, test_id: str) -> bool:
        return test_id in self.wanted or test_id.startswith(self.prefixes)

    def pytest_collection_finish(self, session: Any) -> None:
        listed = [[item.nodeid, *self.place(item)] for item in session.items]
        for start in range(0, len(listed), 500):
            self.send({"ev": "planned", "tests": listed[start : start + 500]})
        config_file = session.config.inipath
        self.send(
            {
                "ev": "collected",
                "n": len(listed),
                "config": self.failures.relative(str(config_file or "")) or "",
            }
        )

    def pytest_exception_interact(self, node: Any, call: Any, report: Any) -> None:
        if report.nodeid not in self.state:
            cause = call.excinfo.value.__cause__ or call.excinfo.value
            self.collect_failures[report.nodeid] = self.failure(cause, cause.__traceback__, str(cause))

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            text = str(report.longrepr)[-MAX_TEXT:]
            failure = self.collect_failures.pop(report.nodeid, None) or {
                "type": "CollectError",
                "message": text,
            }
            case = {
                "id": report.nodeid,
                "outcome": "error",
                "path": report.nodeid.split("::")[0],
                "failure": failure,
            }
            self.send({"ev": "case", **case})

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        self.compared = None
        self.state[nodeid] = {"outcome": None, "phases": {}, "failure": None, "reason": ""}
        self.send({"ev": "start", "id": nodeid})

    def makereport(self, item: Any, call: Any, report: Any) -> None:
        """Called for each phase, with the exception at hand."""
        state = self.state.get(item.nodeid)
        if state is None:
            return
        # A subtest is reported as one more call, before the call of its test, whose time it is part of.
        state["phases"][report.when] = report.duration
        state["place"] = self.place(item)
        outcome = self.telling.phase_outcome(report)
        if outcome in ("failed", "error"):
            state["outcome"] = outcome if state["outcome"] != "failed" else "failed"
            if state["failure"] is None:
                if call.excinfo is None:
                    state["failure"] = {"type": "Failed", "message": str(report.longrepr)[:MAX_TEXT]}
                else:
                    message = self.telling.strip_name(call.excinfo.exconly(), call.excinfo.typename)
                    state["failure"] = self.failure(call.excinfo.value, call.excinfo.tb, message)
        elif outcome and state["outcome"] not in ("failed", "error"):
            state["outcome"] = outcome
            state["reason"] = self.telling.skip_reason(report) if outcome != "passed" else ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        # A subtest reports under its parent's id; one that failed makes the parent fail.
        state = self.state.get(report.nodeid)
        if state is not None and report.failed and state["outcome"] in (None, "passed"):
            state["outcome"] = "failed"
            state["failure"] = {"type": "Failed", "message": str(report.longrepr)[-MAX_TEXT:]}

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        state = self.state.pop(nodeid, None)
        if state is not None and state["outcome"]:
            path, line = state.pop("place")
            state["seconds"] = round(sum(state.pop("phases").values()), 6)
            self.send({"ev": "case", "id": nodeid, "path": path, "line": line, **state})

    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        self.send({"ev": "finish", "status": int(exitstatus)})

    def failure(self, error: BaseException, traceback: Any, message: str) -> Event:
        told: Event = self.failures.told(error, traceback, message, self.compared)
        return told

    def place(self, item: Any) -> tuple[str, int]:
        path, line, _ = item.location
        if path not in self.places:
            self.places[path] = self.failures.relative(os.path.join(self.root, path)) or path
        return self.places[path], (line or 0) + 1


def load(name: str, code: types.CodeType) -> Any:
    """A module of ours that no code under test finds, not even when it is our own."""
    module = types.ModuleType("_untilgreen_" + name)
    exec(code, module.__dict__)
    return module


def lay_paths(import_roots: list[str]) -> None:
    """After the standard library, which no file may shadow, and before what is installed."""
    installed = [n for n, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages"))]
    at = installed[0] if installed else len(sys.path)
    sys.path[at:at] = import_roots


class Speaker:
    """The line to the host. A process that others are forked from keeps what each of them has to say."""

    def __init__(self, events: int, holds: bool) -> None:
        self.events = events
        self.holds = holds
        self.lines: list[bytes] = []
        self.process = os.getpid()

    def send(self, event: Event) -> None:
        if os.getpid() != self.process:
            return  # A test forked; only the first process speaks.
        self.lines.append(json.dumps(event).encode() + b"\n")
        # What ended is told together with what comes next, before that runs any code of the workspace.
        if not self.holds and event["ev"] not in TOLD_LATER:
            self.write()

    def begin(self) -> None:
        """This process is the one that runs the tests."""
        self.holds, self.process = False, os.getpid()
        self.write()

    def write(self) -> None:
        view = memoryview(b"".join(self.lines))
        self.lines = []
        while view:
            view = view[os.write(self.events, view) :]


def end(status: int, say: Callable[[int], None] | None) -> None:
    """As an interpreter ends, but for taking modules apart, which no test can see and which takes time."""
    with contextlib.suppress(Exception):
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    if say is not None:
        with contextlib.suppress(OSError):
            say(status)
    os._exit(status)


def main(request: dict[str, Any], code: dict[str, types.CodeType]) -> None:
    """Called by the first that the process runs, with all that it was given."""
    events = int(sys.argv[2])
    os.set_inheritable(events, False)
    modules = {name: load(name, one) for name, one in code.items() if name != "pytest_child"}
    options = modules["options"]
    speaker = Speaker(events, holds=request["checkpoint"] is not None)

    sys.argv[:] = ["pytest"]
    try:
        import pytest
    except ImportError:
        sys.path.append(request["bundled"])
        import pytest
    speaker.send(
        {
            "ev": "hello",
            "version": list(sys.version_info[:2]),
            "prefix": sys.prefix,
            "pytest": pytest.__version__,
        }
    )
    lay_paths(request["import_roots"])

    class Plugin(Reporter):
        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
            answer = yield
            self.makereport(item, call, answer.get_result())

        @pytest.hookimpl(tryfirst=True)
        def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
            # At the latest: what comes next depends on which tests are wanted, and then they run.
            if checkpoint is not None:
                checkpoint.arrive("all tests are collected")
            super().pytest_collection_modifyitems(config, items)

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtestloop(self, session: Any) -> None:
            modules["drawing"].leave_out(session.config)

        @pytest.hookimpl(tryfirst=True)
        def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
            if checkpoint is not None:
                checkpoint.miss()
            if probing is not None:
                probing.finish()
            if request["tell_imports"]:
                speaker.send({"ev": "imported", **modules["ahead"].imported(request["root"])})
            super().pytest_sessionfinish(session, exitstatus)

    reporter = Plugin(speaker.send, request["root"], request["ids"], modules["failures"], options)

    def begin(ids: list[str], evaluation: str) -> None:
        request["evaluation"] = evaluation
        if probing is not None:
            probing.begin(evaluation)
        reporter.want(ids)
        speaker.begin()

    probing: Any = None
    if request["probes"]:
        probing = modules["probing"].Probing(pytest, request, modules, speaker, reporter)
    checkpoint: Any = None
    if told := request["checkpoint"]:
        parts = modules["ahead"], modules["open_files"]
        checkpoint = modules["checkpoint"].Checkpoint(told, (0, 1, 2, events), begin, *parts)
    options.filter_addopts(pytest)
    if request.get("anonymous"):
        options.hide_current_test()
    extra = options.kept(request["extra"])
    arguments = [*extra, *options.own_arguments(request["root"]), *request["arguments"]]
    plugins: list[Any] = [reporter]
    if probing is not None:
        plugins += probing.plugins
        probing.start()
    if checkpoint is not None:
        checkpoint.arm()
    status = int(pytest.main(arguments, plugins=plugins))
    if checkpoint is not None:
        checkpoint.leave()
    # A process that a test forked may come here, too; only the first one speaks.
    speaks = checkpoint is not None and os.getpid() == speaker.process
    end(status, checkpoint.say_end if speaks else None)
