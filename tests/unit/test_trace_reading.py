"""What the test process claims to have executed; it may say anything."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox import trace as reading_of
from untilgreen_sandbox.runners.pytest import Reading
from untilgreen_sandbox.trace import ENDED_EARLY, Executed, Trace, TraceReading

LINES: dict[str, Any] = {
    "ev": "traced",
    "of": "test",
    "id": "t.py::a",
    "lines": {"m.py": [[1, 3]]},
    "functions": ["m.py:f"],
}
END: dict[str, Any] = {"ev": "traced_test", "id": "t.py::a", "shares": ["db"], "incomplete": []}
SEEN: dict[str, Any] = {
    "ev": "observed",
    "n": 1,
    "id": "t.py::a",
    "function": "m.py:f",
    "arguments": [["x", "int", "1"]],
    "locals": [["x", "int", "2"]],
    "returned": ["int", "2"],
}
ALL: dict[str, Any] = {"ev": "traced_all", "incomplete": []}


def read(*events: dict[str, Any]) -> Trace:
    reading = TraceReading()
    for event in events:
        reading.take(event)
    return reading.trace()


def test_a_whole_trace() -> None:
    imports = {**LINES, "of": "import", "id": "", "functions": []}
    shared = {**LINES, "of": "shared", "id": "db", "functions": ["m.py:open"]}
    trace = read(imports, LINES, END, shared, SEEN, ALL)
    assert trace.incomplete == ()
    assert trace.at_import == Executed({"m.py": ((1, 3),)})
    assert [part.functions for part in trace.executed_by("t.py::a")] == [{"m.py:f"}, {"m.py:open"}]
    (seen,) = trace.observations
    assert (seen.arguments[0].name, seen.locals[0].shown, seen.returned and seen.returned.shown) == (
        *("x", "2", "2"),
    )


def test_a_test_that_did_not_end_is_incomplete() -> None:
    trace = read(LINES)
    assert trace.incomplete == trace.tests["t.py::a"].incomplete == (ENDED_EARLY,)


def test_a_call_that_ends_later_takes_the_place_of_its_beginning() -> None:
    begun = {key: value for key, value in SEEN.items() if key not in ("locals", "returned")}
    assert [seen.returned for seen in read(begun).observations] == [None]
    assert read(begun, SEEN).observations == read(SEEN).observations


@given(st.lists(st.lists(st.integers(1, 60), min_size=1), min_size=1))
def test_parts_make_the_whole(parts: list[list[int]]) -> None:
    events = [{**LINES, "lines": {"m.py": [[n, n] for n in part]}} for part in parts]
    executed = read(*events).tests["t.py::a"].executed
    lines = {n for part in parts for n in part}
    ranges = executed.lines["m.py"]
    assert {n for first, last in ranges for n in range(first, last + 1)} == lines
    assert all(one[1] + 1 < other[0] for one, other in itertools.pairwise(ranges))
    for n in range(62):
        assert executed.touches("m.py", n, n) == (n in lines)
    assert not executed.touches("other.py", 1, 99)


BROKEN: dict[str, dict[str, Any]] = {
    "for nobody": {**LINES, "of": "all"},
    "no name": {**LINES, "id": 7},
    "lines that are no table": {**LINES, "lines": [1]},
    "a row with one end": {**LINES, "lines": {"m.py": [[1]]}},
    "a row of texts": {**LINES, "lines": {"m.py": ["ab"]}},
    "a row that ends before it begins": {**LINES, "lines": {"m.py": [[3, 1]]}},
    "a row that never ends": {**LINES, "lines": {"m.py": [[1, 10**30]]}},
    "truth as a line": {**LINES, "lines": {"m.py": [[True, True]]}},
    "functions in one text": {**LINES, "functions": "m.py:f"},
    "a function that is no text": {**LINES, "functions": [1]},
    "no shares": {"ev": "traced_test", "id": "a", "incomplete": []},
    "a value without a text": {**SEEN, "arguments": [["x", "int"]]},
    "a call without a number": {**SEEN, "n": None},
    "a reason that is no text": {**ALL, "incomplete": [{}]},
}


@pytest.mark.parametrize("event", BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_read_ends_the_belief_in_the_run(event: dict[str, Any]) -> None:
    reading = Reading()
    reading.feed(json.dumps(event).encode() + b"\n")
    report = reading.report({"how": "exited", "status": 0}, list_only=False)
    assert report.ended == "crashed"
    assert "unreadable" in report.detail
    reading.tracing.trace()


def test_sizes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_RANGES", "MAX_BUCKETS", "MAX_OBSERVATIONS"):
        monkeypatch.setattr(reading_of, name, 3)
    for events in (
        [{**LINES, "lines": {"m.py": [[n, n] for n in range(9)]}}],
        [{**LINES, "id": str(n), "lines": {}} for n in range(9)],
        [{**END, "id": str(n)} for n in range(9)],
        [{**SEEN, "n": n} for n in range(9)],
    ):
        with pytest.raises(ValueError, match="larger than any"):
            read(*events)
    long = read({**SEEN, "arguments": [["x", "int", "9" * 10**6]] * 1000}).observations[0].arguments
    assert (len(long), len(long[0].shown)) == (reading_of.MAX_VALUES, reading_of.MAX_TEXT)
    assert read({**SEEN, "function": "m.py:\x1b[31mf"}).observations[0].function != "m.py:\x1b[31mf"
