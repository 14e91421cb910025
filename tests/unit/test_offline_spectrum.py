"""Where to look first."""

from __future__ import annotations

import ast

import pytest

from untilgreen.solvers.offline.knowledge import Knowledge, by_signature
from untilgreen.solvers.offline.localise import sample
from untilgreen.solvers.offline.spectrum import Spectrum, spectrum, spread
from untilgreen_sandbox.report import CaseResult, Failure, Frame
from untilgreen_sandbox.trace import Executed, TestTrace, Trace

PATHS = ("a.py", "b.py")


def traced(**tests: dict[str, list[int]]) -> Trace:
    return Trace(
        tests={
            name: TestTrace(
                name, Executed({path: tuple((line, line) for line in lines) for path, lines in told.items()})
            )
            for name, told in tests.items()
        }
    )


def frame(path: str | None, line: int) -> Frame:
    return Frame(path, line, "f", "")


def made(trace: Trace, frames: dict[str, tuple[Frame, ...]] | None = None) -> Spectrum:
    failing = [name for name in trace.tests if name.startswith("bad")]
    passing = [name for name in trace.tests if name.startswith("good")]
    return spectrum(trace, failing, passing, PATHS, frames or {})


def test_what_only_failing_tests_execute_is_most_suspicious() -> None:
    found = made(
        traced(
            bad={"a.py": [1, 2, 3], "tests.py": [9]}, good={"a.py": [1, 2]}, good2={"a.py": [1], "b.py": [1]}
        )
    )
    assert [found.score("a.py", line, line) for line in (3, 2, 1)] == pytest.approx([1, 2**-0.5, 3**-0.5])
    assert found.score("b.py", 1, 1) == 0
    assert found.paths == ("a.py",), "neither tests nor what no failing test executes"
    assert found.penalty("a.py", 3, 3, 1) < found.penalty("a.py", 2, 2, 1) < found.penalty("a.py", 1, 1, 1)


def test_tests_that_reach_a_place() -> None:
    found = made(traced(bad={"a.py": [1, 5]}, bad2={"a.py": [1]}, good={"a.py": [5]}))
    assert found.reaching("a.py", 4, 6) == {"bad"}
    assert found.covering("a.py", 4, 6) == ("good",)
    assert found.penalty("a.py", 5, 5, 1) >= found.penalty("a.py", 1, 1, 2) + 2, "not by every failing test"


def test_a_traceback_counts_even_where_the_trace_is_silent() -> None:
    frames = {"bad": (frame("tests.py", 3), frame("a.py", 1), frame("a.py", 2), frame(None, 7))}
    found = made(traced(good={"a.py": [1, 2, 3]}), frames)
    assert found.reaching("a.py", 1, 2) == {"bad"}
    assert found.penalty("a.py", 2, 2, 1) < found.penalty("a.py", 1, 1, 1)


def test_all_lines_of_a_statement_are_as_suspicious_and_its_block_is_not() -> None:
    source = (
        "def f(x,\n    y):\n    z = g(\n        x,\n        y)\n    if (z\n        and x):\n        return 1"
    )
    found = spread(made(traced(bad={"a.py": [3, 6]})), "a.py", ast.parse(source))
    assert [line for line in range(1, 9) if found.score("a.py", line, line)] == [1, 2, 3, 4, 5, 6, 7]
    assert found.score("a.py", 1, 1) < found.score("a.py", 4, 4) == 1


def case(kind: str, message: str, *places: Frame) -> CaseResult:
    return CaseResult("", "failed", failure=Failure(kind, message, frames=places))


def test_tests_that_seem_to_fail_for_one_reason_stand_together() -> None:
    cases = {
        "k1": case("KeyError", "'a'", frame("t.py", 1), frame("a.py", 5)),
        "k2": case("KeyError", "'b'", frame("t.py", 9), frame("a.py", 5)),
        "v": case("ValueError", "no 7", frame("t.py", 1), frame("a.py", 5)),
    }
    known = Knowledge(cases, hanging=("h",))
    assert by_signature(["v", "k1", "h", "k2"], known) == (("k1", "k2"), ("v",), ("h",))


def test_passing_tests_beside_failing_ones_are_traced_first_and_slow_ones_never() -> None:
    known = Knowledge(
        passing=("other.py::a", "bad.py::slow", "bad.py::b", "bad.py::a"),
        seconds={"bad.py::slow": 60.0, "bad.py::a": 0.01, "bad.py::b": 0.02, "other.py::a": 0.03},
    )
    assert sample(known, ["bad.py::x"]) == ("bad.py::a", "bad.py::b", "other.py::a")


def test_a_busy_machine_makes_no_test_slow() -> None:
    tests = tuple(f"bad.py::{n}" for n in range(20))
    known = Knowledge(passing=tests, seconds={**dict.fromkeys(tests, 0.1), "bad.py::0": 3.0})
    assert sample(known, ["bad.py::x"]) == tests[1:]
