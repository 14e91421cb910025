"""What a traced run tells besides its Report: which test executed what, and values that were seen.

All of it is claimed by the test process: it is limited in size, and only ever decides what is tried first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from untilgreen_sandbox.report import Report
from untilgreen_sandbox.text import clean

EVENTS = frozenset({"traced", "traced_test", "traced_all", "observed"})
MAX_TEXT = 1000
MAX_RANGES = 2_000_000
MAX_BUCKETS = 200_000
MAX_OBSERVATIONS = 5000
MAX_VALUES = 64
MAX_LINE_NUMBER = 1 << 30
ENDED_EARLY = "the run ended early"

Ranges = tuple[tuple[int, int], ...]
"""First and last line of each row without a gap, 1-based, in order."""


@dataclass(frozen=True, slots=True)
class Executed:
    """Lines and functions of the workspace."""

    lines: Mapping[str, Ranges] = field(default_factory=dict)
    """By path, relative to the root."""
    functions: frozenset[str] = frozenset()
    """Those that were entered, as `path:qualified.name`."""

    def touches(self, path: str, first: int, last: int) -> bool:
        """Whether any of these lines was executed."""
        return any(start <= last and end >= first for start, end in self.lines.get(path, ()))


@dataclass(frozen=True, slots=True)
class TestTrace:
    """What one test executed, without what only had to be executed once for all who need it."""

    __test__ = False

    id: str
    executed: Executed
    shares: tuple[str, ...] = ()
    """Names of the shared fixtures that it used."""
    incomplete: tuple[str, ...] = ()
    """Why more may have been executed than is told: child processes, another tracer, the end of the run."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value, as a short text that no code of the project has written."""

    type: str
    shown: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """One call of a function that was asked about."""

    test: str
    """Empty for a call that belongs to no single test."""
    function: str
    arguments: tuple[Value, ...]
    locals: tuple[Value, ...] = ()
    """At its end."""
    returned: Value | None = None
    raised: Value | None = None
    """Neither when it was not seen to end."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One traced run."""

    at_import: Executed = field(default_factory=Executed)
    """While modules were imported, and outside of any test."""
    shared: Mapping[str, Executed] = field(default_factory=dict)
    """By name of a fixture that several tests use, while it was set up."""
    tests: Mapping[str, TestTrace] = field(default_factory=dict)
    observations: tuple[Observation, ...] = ()
    incomplete: tuple[str, ...] = ()

    def executed_by(self, test_id: str) -> tuple[Executed, ...]:
        """What the test and the fixtures that it shares executed; not what imports did."""
        test = self.tests[test_id]
        return (test.executed, *(self.shared[name] for name in test.shares if name in self.shared))


@dataclass(frozen=True, slots=True)
class TraceReport:
    """A run and its trace."""

    report: Report
    trace: Trace


class TraceReading:
    """Collects the events of one run; raises ValueError, TypeError or LookupError on what is none."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], dict[str, set[tuple[int, int]]]] = {}
        self._functions: dict[tuple[str, str], set[str]] = {}
        self._ended: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._observed: dict[int, Observation] = {}
        self._incomplete: tuple[str, ...] = (ENDED_EARLY,)
        self._n_ranges = 0

    def take(self, event: dict[str, Any]) -> None:
        kind = event["ev"]
        if kind == "traced":
            self._take_executed(event)
        elif kind == "traced_test":
            self._limit(len(self._ended), MAX_BUCKETS)
            self._ended[_text(event["id"])] = (_texts(event["shares"]), _texts(event["incomplete"]))
        elif kind == "observed":
            self._limit(len(self._observed), MAX_OBSERVATIONS)
            self._observed[int(event["n"])] = _observation(event)
        else:
            self._incomplete = _texts(event["incomplete"])

    def trace(self) -> Trace:
        tests = [name for of, name in self._lines if of == "test"]
        return Trace(
            at_import=self._executed(("import", "")),
            shared={name: self._executed((of, name)) for of, name in self._lines if of == "shared"},
            tests={test_id: self._test(test_id) for test_id in dict.fromkeys([*self._ended, *tests])},
            observations=tuple(self._observed.values()),
            incomplete=self._incomplete,
        )

    def _take_executed(self, event: dict[str, Any]) -> None:
        if event["of"] not in ("test", "shared", "import") or not isinstance(event["lines"], dict):
            raise ValueError("not what was executed")
        key = event["of"], _text(event["id"])
        self._limit(len(self._lines), MAX_BUCKETS)
        lines = self._lines.setdefault(key, {})
        for path, ranges in event["lines"].items():
            self._n_ranges += len(ranges)
            self._limit(self._n_ranges, MAX_RANGES)
            lines.setdefault(_text(path), set()).update(_range(first, last) for first, last in ranges)
        self._functions.setdefault(key, set()).update(_texts(event["functions"]))

    def _executed(self, key: tuple[str, str]) -> Executed:
        lines = {path: _joined(found) for path, found in self._lines.get(key, {}).items()}
        return Executed(lines, frozenset(self._functions.get(key, ())))

    def _test(self, test_id: str) -> TestTrace:
        shares, incomplete = self._ended.get(test_id, ((), (ENDED_EARLY,)))
        return TestTrace(test_id, self._executed(("test", test_id)), shares, incomplete)

    def _limit(self, n: int, most: int) -> None:
        if n >= most:
            raise ValueError("a trace that is larger than any")


def _observation(event: dict[str, Any]) -> Observation:
    returned, raised = event.get("returned"), event.get("raised")
    return Observation(
        test=_text(event["id"]),
        function=_text(event["function"]),
        arguments=_values(event["arguments"]),
        locals=_values(event.get("locals", [])),
        returned=None if returned is None else _value("", *returned),
        raised=None if raised is None else _value("", *raised),
    )


def _values(told: list[Any]) -> tuple[Value, ...]:
    return tuple(_value(*one) for one in told[:MAX_VALUES])


def _value(name: object, kind: object, shown: object) -> Value:
    return Value(_text(kind), _text(shown), _text(name))


def _range(first: object, last: object) -> tuple[int, int]:
    if type(first) is not int or type(last) is not int or not 0 <= first <= last <= MAX_LINE_NUMBER:
        raise ValueError("not a row of lines")
    return first, last


def _joined(ranges: set[tuple[int, int]]) -> Ranges:
    """What was told in parts, without gaps and overlaps."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return tuple(joined)


def _texts(told: list[Any]) -> tuple[str, ...]:
    if not isinstance(told, list):
        raise TypeError("not a list")
    return tuple(map(_text, told))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return clean(value[:MAX_TEXT])
