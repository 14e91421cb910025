"""Runs in the test process: what became of a test, and exceptions told in values, with their causes.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import linecache
import os
from typing import Any, Dict, List, Optional, Tuple

Event = Dict[str, Any]

MAX_TEXT = 4000
MAX_FRAMES = 40
MAX_CAUSES = 8
MAX_CAUSE_TEXT = 600


class Failures:
    """Tells failures of the workspace under one root."""

    def __init__(self, root: str) -> None:
        self.root = root

    def told(
        self, error: BaseException, traceback: Any, message: str, compared: Optional[Tuple[str, str]]
    ) -> Event:
        kind = type(error).__name__
        if kind == "MultipleDoctestFailures" and getattr(error, "failures", None):
            return self.doctest(error.failures[0])  # type: ignore[attr-defined]
        if kind in ("DocTestFailure", "UnexpectedException") and hasattr(error, "example"):
            return self.doctest(error)
        told: Event = {
            "type": kind,
            "message": message[:MAX_TEXT],
            "frames": self.frames(error, traceback),
        }
        actual, expected = compared or unittest_values(traceback)
        if isinstance(error, AssertionError) and actual is not None:
            told.update(actual=actual, expected=expected)
        causes = self.causes(error)
        if causes:
            told["causes"] = causes
        return told

    def doctest(self, failure: Any) -> Event:
        """One example of a docstring: what it wanted and what it got, or what it raised."""
        test, example = failure.test, failure.example
        line = (test.lineno or 0) + example.lineno + 1
        place = frame(self.relative(test.filename or ""), "", line, test.name)
        place["source"] = example.source.strip()[:200]
        if hasattr(failure, "exc_info"):
            _, error, traceback = failure.exc_info
            told = self.told(error, traceback, str(error), None)
            told["frames"].insert(0, place)
            return told
        actual, expected = failure.got.rstrip("\n")[:MAX_TEXT], example.want.rstrip("\n")[:MAX_TEXT]
        message = "%s\nExpected:\n%s\nGot:\n%s" % (place["source"], expected, actual)
        return {
            "type": "DocTestFailure",
            "message": message[:MAX_TEXT],
            "frames": [place],
            "actual": actual,
            "expected": expected,
        }

    def frames(self, error: BaseException, traceback: Any) -> List[Event]:
        frames: List[Event] = []
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

    def causes(self, error: BaseException) -> List[Event]:
        """The exception and those it came from, for whoever sorts failures; nothing for plain ones."""
        causes: List[Event] = []
        seen: List[BaseException] = []
        current: Optional[BaseException] = error
        while current is not None and current not in seen and len(seen) < MAX_CAUSES:
            seen.append(current)
            innermost = last(current.__traceback__)
            own = innermost is not None and self.relative(innermost.tb_frame.f_code.co_filename) is not None
            if telling(current):
                causes.append(self.cause(current, innermost, own))
            following = current.__cause__
            # A library that raises its own error while it handles another one wraps it. The workspace's code
            # has to say `from`: what it raises otherwise in a handler is a failure of that handler.
            if following is None and not own and not current.__suppress_context__:
                following = current.__context__
            current = following
        return causes

    def cause(self, error: BaseException, innermost: Any, own: bool) -> Event:
        kind = type(error)
        told: Event = {
            "type": "%s.%s" % (kind.__module__, kind.__qualname__),
            "kinds": [base.__name__ for base in kind.__mro__[:-1]][:12],
            "message": safe_text(error)[:MAX_CAUSE_TEXT],
            "errno": 0,
            "subject": "",
            "place": "",
            "raised": False,
        }
        if innermost is not None:
            code = innermost.tb_frame.f_code
            told["place"] = "%s:%s" % (os.path.basename(code.co_filename), code.co_name)
            source = linecache.getline(code.co_filename, innermost.tb_lineno).strip()
            told["raised"] = own and source.startswith("raise")
        if isinstance(error, ImportError):
            told["subject"] = str(error.name or "")[:MAX_CAUSE_TEXT]
        elif isinstance(error, OSError):
            told["errno"] = error.errno if isinstance(error.errno, int) else 0
            told["subject"] = self.subject(error, innermost)[:MAX_CAUSE_TEXT]
        return told

    def subject(self, error: OSError, innermost: Any) -> str:
        """The file it speaks of: relative to the root when it lies there, else as the code named it."""
        name = error.filename
        if isinstance(name, bytes):
            name = os.fsdecode(name)
        if not isinstance(name, (str, os.PathLike)):
            return ""
        text = os.fspath(name)
        local = innermost.tb_frame.f_locals if innermost is not None else {}
        if innermost is not None and innermost.tb_frame.f_code.co_name == "_execute_child":
            # subprocess names the folder to start in when that is what is missing.
            folder = local.get("cwd")
            return "" if folder is not None and os.fspath(folder) == text else text
        full = os.path.normpath(os.path.join(os.getcwd() if os.path.isdir(self.root) else "/", text))
        return full[len(self.root) + 1 :] if full.startswith(self.root + os.sep) else text

    def relative(self, path: str) -> Optional[str]:
        # `<string>` and `<frozen importlib._bootstrap>` are no files.
        full = os.path.normpath(os.path.join(self.root, path)) if path and path[0] != "<" else ""
        if not full.startswith(self.root + os.sep) or "site-packages" in full:
            return None
        return full[len(self.root) + 1 :].replace(os.sep, "/")


def telling(error: BaseException) -> bool:
    """Whether the surroundings could be the reason; an assertion or a KeyError has none but the code."""
    if isinstance(error, (OSError, ImportError, MemoryError)):
        return True
    return type(error).__module__.split(".")[0] not in ("builtins", "_pytest", "unittest")


def last(traceback: Any) -> Any:
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback


def frame(path: Optional[str], file: str, line: int, function: str) -> Event:
    return {
        "path": path,
        "line": line,
        "function": function,
        "source": linecache.getline(file, line).strip()[:200],
    }


def unittest_values(traceback: Any) -> Tuple[Optional[str], Optional[str]]:
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


def safe_text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""


def phase_outcome(report: Any) -> Optional[str]:
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
    """The message alone; the name before it may have its module in front."""
    before, colon, after = message.partition(": ")
    return after if colon and (before == name or before.endswith("." + name)) else message
