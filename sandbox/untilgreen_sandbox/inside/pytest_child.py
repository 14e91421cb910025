"""Runs in the test process: starts pytest with a plugin that tells what happens, one JSON line per event.

Its source is given to the project's own interpreter as `-c`, so it imports nothing of ours. The code under
test shares this process and can forge every line; the host therefore treats them as claims.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
from collections.abc import Callable, Generator
from importlib.util import find_spec
from typing import Any, Dict

Event = Dict[str, Any]

MAX_TEXT = 4000
MAX_FRAMES = 40


class Reporter:
    """A pytest plugin."""

    def __init__(self, send: Callable[[Event], None], root: str, wanted: list[str]) -> None:
        self.send = send
        self.root = root
        self.wanted = frozenset(wanted)
        self.prefixes = tuple(path + end for path in wanted for end in ("::", "[", "/"))
        self.compared: tuple[str, str] | None = None
        self.collect_failures: dict[str, Event] = {}
        self.state: dict[str, Event] = {}

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        # Only called for an assertion that has just failed.
        if op == "==":
            self.compared = (shown(left), shown(right))

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
            {"ev": "collected", "n": len(listed), "config": self.relative(str(config_file or "")) or ""}
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
        self.state[nodeid] = {"outcome": None, "seconds": 0.0, "failure": None, "reason": ""}
        self.send({"ev": "start", "id": nodeid})

    def makereport(self, item: Any, call: Any, report: Any) -> None:
        """Called for each phase, with the exception at hand."""
        state = self.state.get(item.nodeid)
        if state is None:
            return
        state["seconds"] += report.duration
        state["place"] = self.place(item)
        outcome = phase_outcome(report)
        if outcome in ("failed", "error"):
            state["outcome"] = outcome if state["outcome"] != "failed" else "failed"
            if state["failure"] is None:
                if call.excinfo is None:
                    state["failure"] = {"type": "Failed", "message": str(report.longrepr)[:MAX_TEXT]}
                else:
                    message = strip_name(call.excinfo.exconly(), call.excinfo.typename)
                    state["failure"] = self.failure(call.excinfo.value, call.excinfo.tb, message)
        elif outcome and state["outcome"] in (None, "passed"):
            state["outcome"] = outcome
            if outcome != "passed":
                state["reason"] = skip_reason(report)

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
            state["seconds"] = round(state["seconds"], 6)
            self.send({"ev": "case", "id": nodeid, "path": path, "line": line, **state})

    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        self.send({"ev": "finish", "status": int(exitstatus)})

    def failure(self, error: BaseException, traceback: Any, message: str) -> Event:
        told: Event = {
            "type": type(error).__name__,
            "message": message[:MAX_TEXT],
            "frames": self.frames(error, traceback),
        }
        actual, expected = self.compared or unittest_values(traceback)
        if isinstance(error, AssertionError) and actual is not None:
            told.update(actual=actual, expected=expected)
        return told

    def frames(self, error: BaseException, traceback: Any) -> list[Event]:
        frames: list[Event] = []
        while traceback is not None:
            code = traceback.tb_frame.f_code
            path = self.relative(code.co_filename)
            # What lies between the runner and the first line of the workspace is nobody's business.
            if path is not None or frames:
                frames.append(frame(path, code.co_filename, traceback.tb_lineno, code.co_name))
            traceback = traceback.tb_next
        if isinstance(error, SyntaxError) and error.filename and error.lineno:
            frames.append(frame(self.relative(error.filename), error.filename, error.lineno, "<module>"))
        return frames[:10] + frames[10:][-(MAX_FRAMES - 10) :]

    def place(self, item: Any) -> tuple[str, int]:
        path, line, _ = item.location
        return self.relative(os.path.join(self.root, path)) or path, (line or 0) + 1

    def relative(self, path: str) -> str | None:
        # `<string>` and `<frozen importlib._bootstrap>` are no files.
        full = os.path.normpath(os.path.join(self.root, path)) if path and path[0] != "<" else ""
        if not full.startswith(self.root + os.sep) or "site-packages" in full:
            return None
        return full[len(self.root) + 1 :].replace(os.sep, "/")


def phase_outcome(report: Any) -> str | None:
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed" if report.passed and report.when == "call" else None
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if report.skipped:
        return "skipped"
    return "passed" if report.when == "call" else None


def skip_reason(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return str(report.wasxfail)[:MAX_TEXT]
    longrepr = report.longrepr
    return str(longrepr[2] if isinstance(longrepr, tuple) else longrepr)[:MAX_TEXT]


def strip_name(message: str, name: str) -> str:
    return message[len(name) + 2 :] if message.startswith(name + ": ") else message


def frame(path: str | None, file: str, line: int, function: str) -> Event:
    return {
        "path": path,
        "line": line,
        "function": function,
        "source": linecache.getline(file, line).strip()[:200],
    }


def unittest_values(traceback: Any) -> tuple[str | None, str | None]:
    """`first` and `second` of a failed assertEqual, taken from unittest's own frame."""
    while traceback is not None:
        local = traceback.tb_frame
        if local.f_code.co_name == "assertEqual" and "first" in local.f_locals and "second" in local.f_locals:
            return shown(local.f_locals["first"]), shown(local.f_locals["second"])
        traceback = traceback.tb_next
    return None, None


def shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception as error:
        text = "<%s whose repr fails: %s>" % (type(value).__name__, type(error).__name__)
    return text[:MAX_TEXT]


def lay_paths(import_roots: list[str]) -> None:
    """After the standard library, which no file may shadow, and before what is installed."""
    installed = [n for n, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages"))]
    at = installed[0] if installed else len(sys.path)
    sys.path[at:at] = import_roots


def whole_plan() -> list[str]:
    """Options of the project that would keep a run from telling about every planned test, taken back."""
    taken_back = ["--maxfail=0"]
    if find_spec("xdist") is not None:
        taken_back.append("-n0")
    if find_spec("pytest_cov") is not None:
        taken_back.append("--no-cov")
    return taken_back


def main() -> None:
    with os.fdopen(int(sys.argv[1])) as file:
        request = json.load(file)
    events = int(sys.argv[2])
    os.set_inheritable(events, False)
    this_process = os.getpid()

    def send(event: Event) -> None:
        if os.getpid() != this_process:
            return  # A test forked; only the first process speaks.
        view = memoryview(json.dumps(event).encode() + b"\n")
        while view:
            view = view[os.write(events, view) :]

    sys.argv[:] = ["pytest"]
    try:
        import pytest
    except ImportError:
        sys.path.append(request["bundled"])
        import pytest
    send(
        {
            "ev": "hello",
            "version": list(sys.version_info[:2]),
            "prefix": sys.prefix,
            "pytest": pytest.__version__,
        }
    )
    taken_back = whole_plan()
    lay_paths(request["import_roots"])

    class Plugin(Reporter):
        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
            answer = yield
            self.makereport(item, call, answer.get_result())

    reporter = Plugin(send, request["root"], request["ids"])
    status = pytest.main([*request["arguments"], *taken_back], plugins=[reporter])
    sys.stdout.flush()
    sys.stderr.flush()
    raise SystemExit(int(status))


if __name__ == "__main__":
    main()
