"""pytest: the arguments of a run, and what its process claims turned into a Report."""

from __future__ import annotations

import math
import signal
from typing import Any

from untilgreen_sandbox.box import BoxSpec, RunRequest
from untilgreen_sandbox.evaluating import EVENTS as EVALUATION_EVENTS
from untilgreen_sandbox.evaluating import EvaluationReading
from untilgreen_sandbox.inside import wire
from untilgreen_sandbox.report import OUTCOMES, CaseResult, Cause, Ended, Failure, Frame, Output, Report
from untilgreen_sandbox.text import clean
from untilgreen_sandbox.trace import EVENTS as TRACE_EVENTS
from untilgreen_sandbox.trace import TraceReading

MAX_LINE = 1 << 20
MAX_LINES = 500_000
MAX_TEXT = 5000
# Exit codes that mean "the session ran to its end": all passed, some failed, nothing collected.
FINISHED = (0, 1, 5)


def request_for(
    request: RunRequest,
    spec: BoxSpec,
    root: str,
    bundled: str,
    *,
    list_only: bool,
    pristine: bool,
    probes: bool = False,
) -> dict[str, object]:
    """What the test process is told; one that probes traces tests, or tries candidates beside them."""
    arguments = [
        f"--rootdir={root}",
        # One file that cannot be imported must not hide the others.
        "--continue-on-collection-errors",
    ]
    if request.config_file:
        arguments += ["-c", f"{root}/{request.config_file}"]
    if list_only:
        arguments.append("--collect-only")
    asked = () if request.all_files else request.ids
    files = dict.fromkeys(test_id.split("::")[0] for test_id in asked)
    arguments += files if request.shared else sorted(files)
    return {
        "root": root,
        # Of the user's own code only: what a candidate says may not decide what a template imports.
        "tell_imports": pristine and not list_only and not probes,
        "ids": [test_id.rstrip("/") for test_id in request.ids if test_id not in ("", ".")],
        "arguments": arguments,
        "extra": list(request.arguments),
        "import_roots": [f"{root}/{folder}".rstrip("/") for folder in spec.import_roots],
        "bundled": bundled,
        "anonymous": request.anonymous,
        "one_order": request.one_order,
        "probes": probes,
    }


class Reading:
    """Collects the lines of one run. All of them are claims of the code under test."""

    def __init__(self, evaluating: EvaluationReading | None = None) -> None:
        self._rest = b""
        self._n_lines = 0
        self._cases: list[CaseResult] = []
        self._planned: list[str] = []
        self.n_listed: int | None = None
        """How many tests there are, once all are known."""
        self._running = ""
        self._finish: int | None = None
        self._fault = ""
        self.hello: tuple[int, int] | None = None
        """The version of Python that ran; said before any code of the workspace, and only once."""
        self._config_file = ""
        self.imported: dict[str, list[str]] = {}
        """What a run of the user's own code imported, see `inside/ahead.py`."""
        self.tracing = TraceReading()
        self.evaluating = evaluating

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MAX_LINE:
            self._fault, self._rest = "a line of the test process was too long", b""
        for line in lines:
            self._take(line)

    def report(self, ended: dict[str, Any], *, list_only: bool) -> Report:
        kind, detail = self._ending(ended)
        cases = [] if list_only else self._cases
        if list_only:
            cases = [case for case in self._cases if case.outcome == "error"]
        return Report(
            ended=kind,
            cases=tuple(cases),
            planned=tuple(self._planned),
            detail=detail,
            seconds=float(ended.get("seconds", 0.0)),
            output=Output(
                clean(str(ended.get("head", ""))),
                clean(str(ended.get("tail", ""))),
                int(ended.get("dropped", 0)),
            ),
            config_file=self._config_file,
            rung="checkpoint" if ended.get("rung") == "checkpoint" else "cold",
            rung_reason=clean(str(ended.get("why", "")))[:MAX_TEXT],
        )

    def _ending(self, ended: dict[str, Any]) -> tuple[Ended, str]:
        how, status = ended.get("how"), int(ended.get("status", -1))
        during = f" while {self._running} was running" if self._running else ""
        if how == "timeout":
            return "timeout", f"the time limit was reached{during}"
        if ended.get("oom"):
            return "oom", f"the memory limit was reached{during}"
        if how == "flooded":
            return "crashed", "the test process sent more events than any suite has"
        if how == "signalled":
            name = _signal_name(status)
            polite = status in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
            return ("killed" if polite else "crashed"), f"the test process was ended by {name}{during}"
        if self._fault or self._rest:
            return "crashed", self._fault or "the last line of the test process was cut off"
        if self._finish is None:
            return (
                "crashed",
                f"the test process exited with code {status} before the session was finished{during}",
            )
        if self._finish != status:
            return (
                "crashed",
                f"the session finished with {self._finish}, but the process exited with {status}",
            )
        if status not in FINISHED:
            return "crashed", f"pytest stopped with exit code {status}"
        return "finished", ""

    def _take(self, line: bytes) -> None:
        if self._fault:
            return  # Whatever else it says, it is not believed.
        self._n_lines += 1
        if self._n_lines > MAX_LINES:
            self._fault = "the test process sent more events than any suite has"
            return
        if len(line) > MAX_LINE:
            self._fault = "a line of the test process was too long"
            return
        if self._finish is not None:
            self._fault = "the test process went on after the end of the session"
            return
        try:
            event: dict[str, Any] = wire.parse(line)
            self._read(event)
        except (wire.BadFrame, LookupError, TypeError, ValueError, OverflowError) as error:
            self._fault = f"the test process sent something unreadable ({type(error).__name__})"

    def _read(self, event: dict[str, Any]) -> None:
        kind = event["ev"]
        if kind == "hello" and self.hello is None:
            self.hello = _version(event["version"])
        elif kind == "planned":
            self._planned += [_text(test[0]) for test in event["tests"]]
        elif kind == "collected":
            self._config_file = _text(event["config"])
            self.n_listed = len(self._planned)
        elif kind == "imported":
            self.imported = {
                kind: [_text(name) for name in event[kind]] for kind in ("modules", "plain", "rewritten")
            }
        elif kind in TRACE_EVENTS:
            self.tracing.take(event)
        elif kind in EVALUATION_EVENTS and self.evaluating is not None:
            self.evaluating.take(event)
        elif kind == "start":
            self._running = _text(event["id"])
        elif kind == "case":
            self._running = ""
            self._cases.append(_case(event))
        elif kind == "finish":
            self._finish = int(event["status"])
        else:
            raise ValueError(kind)


def _version(told: list[Any]) -> tuple[int, int]:
    major, minor = told
    return int(major), int(minor)


def _case(event: dict[str, Any]) -> CaseResult:
    if event["outcome"] not in OUTCOMES:
        raise ValueError(event["outcome"])
    return CaseResult(
        id=_text(event["id"]),
        outcome=event["outcome"],
        seconds=_seconds(event.get("seconds", 0.0)),
        path=_text(event.get("path", "")),
        line=int(event.get("line", 0)),
        failure=_failure(event["failure"]) if event.get("failure") else None,
        reason=_text(event.get("reason", "")),
    )


def _failure(told: dict[str, Any]) -> Failure:
    return Failure(
        type=_text(told["type"]),
        message=_text(told["message"]),
        expected=None if told.get("expected") is None else _text(told["expected"]),
        actual=None if told.get("actual") is None else _text(told["actual"]),
        frames=tuple(
            Frame(
                path=None if frame["path"] is None else _text(frame["path"]),
                line=int(frame["line"]),
                function=_text(frame["function"]),
                source=_text(frame["source"]),
            )
            for frame in told.get("frames", [])
        ),
        causes=tuple(_cause(cause) for cause in told.get("causes", [])),
    )


def _cause(told: dict[str, Any]) -> Cause:
    return Cause(
        type=_text(told["type"]),
        kinds=tuple(_text(kind) for kind in told["kinds"]),
        message=_text(told["message"]),
        errno=int(told["errno"]),
        subject=_text(told["subject"]),
        place=_text(told["place"]),
        raised=told["raised"] is True,
    )


def _seconds(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("not a duration")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return clean(value[:MAX_TEXT])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
