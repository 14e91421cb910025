"""What the test process claims, turned into a Report; it may say anything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox.report import OUTCOMES, Report
from untilgreen_sandbox.runners.pytest import MAX_TEXT, Reading

HELLO = {"ev": "hello", "version": [3, 11], "prefix": "/p", "pytest": "9"}
PLANNED = {"ev": "planned", "tests": [["a.py::test_a", "a.py", 1]]}
CASE: dict[str, Any] = {"ev": "case", "id": "a.py::test_a", "outcome": "passed", "path": "a.py", "line": 1}
FINISH = {"ev": "finish", "status": 0}
EXITED = {"how": "exited", "status": 0, "seconds": 0.5}


def lines(*events: object) -> bytes:
    return b"".join(
        event if isinstance(event, bytes) else json.dumps(event).encode() + b"\n" for event in events
    )


def read(*events: object, ended: dict[str, Any] = EXITED, list_only: bool = False) -> Report:
    reading = Reading()
    reading.feed(lines(*events))
    return reading.report(ended, list_only=list_only)


def test_a_whole_session() -> None:
    report = read(HELLO, PLANNED, {"ev": "collected", "config": "pytest.ini"}, CASE, FINISH)
    assert (report.ended, report.detail, report.config_file) == ("finished", "", "pytest.ini")
    assert report.outcomes() == {"a.py::test_a": "passed"}
    assert report.faults(report.planned) == ()


@given(st.lists(st.integers(1, 40)))
def test_pieces_of_any_size_make_the_same_report(sizes: list[int]) -> None:
    data = lines(HELLO, PLANNED, CASE, FINISH)
    reading = Reading()
    for size in sizes:
        reading.feed(data[:size])
        data = data[size:]
    reading.feed(data)
    assert reading.report(EXITED, list_only=False) == read(HELLO, PLANNED, CASE, FINISH)
    assert reading.hello == (3, 11)


BROKEN: dict[str, object] = {
    "no JSON": b"rubbish\n",
    "no object": b"[]\n",
    "empty line": b"\n",
    "not UTF-8": b"\xff\xfe\n",
    "unknown event": {"ev": "green"},
    "no event": {},
    "no outcome": {"ev": "case", "id": "x"},
    "bad outcome": {**CASE, "outcome": "fine"},
    "outcome of another type": {**CASE, "outcome": ["passed"]},
    "id of another type": {**CASE, "id": 7},
    "endless line": b'{"ev": "case", "id": "x", "outcome": "passed", "line": 1e999}\n',
    "no number": b'{"ev": "case", "id": "x", "outcome": "passed", "seconds": NaN}\n',
    "endless time": b'{"ev": "case", "id": "x", "outcome": "passed", "seconds": Infinity}\n',
    "huge number": b'{"ev": "case", "id": "x", "outcome": "passed", "line": ' + b"9" * 5000 + b"}\n",
    "text for a time": {**CASE, "seconds": "1"},
    "failure of another type": {**CASE, "failure": "x"},
    "failure without a message": {**CASE, "failure": {"type": "E"}},
    "frames of another type": {**CASE, "failure": {"type": "", "message": "", "frames": 7}},
    "frame of another type": {**CASE, "failure": {"type": "", "message": "", "frames": [1]}},
    "plan of another type": {"ev": "planned", "tests": 5},
    "empty plan entry": {"ev": "planned", "tests": [[]]},
    "status of another type": {"ev": "finish", "status": None},
    "endless status": b'{"ev": "finish", "status": 1e999}\n',
    "second greeting": HELLO,
    "deep": b"[" * 100_000 + b"\n",
    "deep object": b'{"ev":' * 500 + b"1" + b"}" * 500 + b"\n",
    "long line": b"x" * (2 << 20) + b"\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_never_finished(name: str) -> None:
    report = read(HELLO, PLANNED, BROKEN[name], CASE, FINISH)
    assert report.ended == "crashed"
    assert report.faults(["a.py::test_a"])


@pytest.mark.parametrize("version", [5, None, [3], [3, 11, 7], ["a", "b"], [3, 1e999], {"a": 1, "b": 2}])
def test_a_broken_greeting(version: object) -> None:
    report = read(lines({"ev": "hello", "version": version}), CASE, FINISH)
    assert report.ended == "crashed"


@pytest.mark.parametrize("after", [FINISH, CASE, HELLO, b"x\n"])
def test_nothing_comes_after_the_end(after: object) -> None:
    report = read(HELLO, PLANNED, CASE, FINISH, after)
    assert (report.ended, report.detail) == (
        "crashed",
        "the test process went on after the end of the session",
    )


def test_a_line_that_is_cut_off() -> None:
    assert read(HELLO, PLANNED, CASE, FINISH, b'{"ev"').ended == "crashed"


def test_a_line_without_an_end_is_not_kept() -> None:
    reading = Reading()
    for _ in range(40):
        reading.feed(b"x" * (1 << 16))
    assert len(reading._rest) <= (1 << 20) + (1 << 16)
    assert reading.report(EXITED, list_only=False).detail == "a line of the test process was too long"


def test_a_flood_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untilgreen_sandbox.runners.pytest.MAX_LINES", 100)
    report = read(HELLO, PLANNED, *[CASE] * 200, FINISH)
    assert (report.ended, report.detail) == (
        "crashed",
        "the test process sent more events than any suite has",
    )
    assert len(report.cases) < 100


ENDINGS: list[tuple[dict[str, Any], tuple[object, ...], str, str]] = [
    ({"how": "timeout", "status": 9}, (), "timeout", "the time limit was reached"),
    ({"how": "signalled", "status": 9}, (), "killed", "the test process was ended by SIGKILL"),
    ({"how": "signalled", "status": 11}, (), "crashed", "the test process was ended by SIGSEGV"),
    ({"how": "signalled", "status": 64}, (), "crashed", "the test process was ended by SIGRTMAX"),
    ({"how": "signalled", "status": 9, "oom": True}, (), "oom", "the memory limit was reached"),
    ({"how": "exited", "status": 0, "oom": True}, (FINISH,), "oom", "the memory limit was reached"),
    ({"how": "flooded", "status": 9}, (), "crashed", "the test process sent more events than any suite has"),
    (
        {"how": "exited", "status": 0},
        (),
        "crashed",
        "the test process exited with code 0 before the session was finished",
    ),
    (
        {"how": "exited", "status": 0},
        ({"ev": "finish", "status": 1},),
        "crashed",
        "the session finished with 1, but the process exited with 0",
    ),
    (
        {"how": "exited", "status": 4},
        ({"ev": "finish", "status": 4},),
        "crashed",
        "pytest stopped with exit code 4",
    ),
    ({"how": "exited", "status": 5}, ({"ev": "finish", "status": 5},), "finished", ""),
    ({"how": "exited", "status": 1}, ({"ev": "finish", "status": 1},), "finished", ""),
]


@pytest.mark.parametrize(("ended", "events", "kind", "detail"), ENDINGS)
def test_endings(ended: dict[str, Any], events: tuple[object, ...], kind: str, detail: str) -> None:
    report = read(HELLO, PLANNED, CASE, *events, ended=ended)
    assert (report.ended, report.detail) == (kind, detail)


def test_the_running_test_is_named() -> None:
    report = read(HELLO, {"ev": "start", "id": "a.py::test_a"}, ended={"how": "timeout", "status": 9})
    assert report.detail == "the time limit was reached while a.py::test_a was running"


def test_a_plan_has_no_cases_but_errors() -> None:
    error = {**CASE, "id": "b.py", "outcome": "error", "failure": {"type": "E", "message": "m"}}
    report = read(HELLO, PLANNED, CASE, error, FINISH, list_only=True)
    assert report.outcomes() == {"b.py": "error"}


def test_texts_are_cleaned_and_cut() -> None:
    failure = {
        "type": "\x1b[31mE",
        "message": "\u202e" + "x" * 9000,
        "expected": "\x00",
        "actual": "\ud800",
        "frames": [{"path": None, "line": 3, "function": "f\r", "source": "\x1b]0;t\x07s"}],
    }
    told = read(HELLO, PLANNED, {**CASE, "outcome": "failed", "failure": failure}, FINISH).cases[0].failure
    assert told is not None
    assert (told.type, told.expected, told.actual) == ("E", "\\x00", "\\ud800")
    assert told.message.startswith("\\u202exxx") and len(told.message) <= MAX_TEXT + 6
    assert (told.frames[0].path, told.frames[0].function, told.frames[0].source) == (None, "f\\x0d", "s")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(OUTCOMES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = "ev id outcome path line failure reason seconds tests config status version type message frames"
keys = st.sampled_from(KEYS.split())
kinds = st.sampled_from(["hello", "planned", "collected", "start", "case", "finish"])


@given(
    st.lists(st.builds(lambda ev, rest: {**rest, "ev": ev}, kinds, st.dictionaries(keys, values)), max_size=4)
)
def test_nothing_that_is_said_can_raise(events: list[dict[str, object]]) -> None:
    report = read(*events)
    json.dumps(report.outcomes())
    str(report.detail).encode("utf-8")


@given(st.binary(max_size=200))
def test_no_bytes_can_raise(data: bytes) -> None:
    assert read(data).ended == "crashed"
