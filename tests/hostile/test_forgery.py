"""Programs that speak for pytest. What the test process says is a claim; a broken claim is never finished."""

from __future__ import annotations

import pytest

from boxes import assert_honest, run_one
from hostile.test_bombs import HONEST_OUTCOMES, honest_outcomes
from hostile.unprivileged import Unprivileged
from untilgreen_sandbox.box import Box

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEAD = """\
import glob, json, os, sys
def events():
    # The descriptor of the events is a number in the frame that runs everything.
    frame = sys._getframe()
    while frame:
        if "events" in frame.f_locals and isinstance(frame.f_locals["events"], int):
            return frame.f_locals["events"]
        frame = frame.f_back
    raise LookupError
def say(*lines):
    for line in lines:
        data = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\\n"
        while data:
            data = data[os.write(events(), data):]
"""
FINISH = '{"ev": "finish", "status": 0}'
CASE = '{"ev": "case", "id": "test_it.py::test_a", "outcome": "passed"'
# What is said on the channel of the events; many more are in the unit test of Reading.
BROKEN = {
    "no JSON": ('b"rubbish\\n"', "unreadable"),
    "second greeting": ('{"ev": "hello", "version": 5}', "unreadable"),
    "long line": ("b'x' * (2 << 20) + b'\\n'", "too long"),
    "a case after the end": (f"{FINISH}, {CASE}}}", "after the end of the session"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_claim(box: Box, name: str) -> None:
    said, fault = BROKEN[name]
    report = await run_one(box, f"{HEAD}def test_a():\n    say({said})\n")
    assert report.ended == "crashed"
    assert fault in report.detail
    assert report.faults(["test_it.py::test_a"])


async def test_an_end_without_the_right_exit_code(box: Box) -> None:
    claim = f'{{"ev": "planned", "tests": [["test_it.py::test_a", "test_it.py", 1]]}}, {CASE}}}, {FINISH}'
    report = await run_one(box, f"{HEAD}def test_a():\n    say({claim})\n    os._exit(1)\n")
    assert (report.ended, report.detail) == (
        "crashed",
        "the session finished with 0, but the process exited with 1",
    )


async def test_a_line_that_is_cut_off(box: Box) -> None:
    report = await run_one(box, f"{HEAD}def test_a():\n    say({FINISH}, b'{{\"ev\"')\n    os._exit(0)\n")
    assert (report.ended, report.detail) == ("crashed", "the last line of the test process was cut off")


async def test_a_flood_of_events(box: Box) -> None:
    flood = f"{HEAD}def test_a():\n    line = b'x' * 99 + b'\\n'\n    while True: say(line * 1000)\n"
    report = await run_one(box, flood, seconds=60)
    assert report.ended == "crashed"
    await assert_honest(box)


async def test_what_stands_on_the_output_is_no_result(box: Box) -> None:
    source = """\
        import os
        def test_a():
            os.write(1, b'{"ev": "case", "id": "test_it.py::test_b", "outcome": "passed"}\\n')
            print("=== 5 passed in 0.01s ===")
            open("junit.xml", "w").write("<testsuite tests='1' failures='0'/>")
            assert False
        """
    report = await run_one(box, source, arguments=("-s",))
    assert report.outcomes() == {"test_it.py::test_a": "failed"}


async def test_cases_that_were_not_planned_are_a_fault(box: Box) -> None:
    forged = '{"ev": "case", "id": "test_it.py::test_b", "outcome": "passed"}'
    report = await run_one(box, f"{HEAD}def test_a():\n    say({forged})\n")
    assert report.ended == "finished"
    assert report.faults(["test_it.py::test_a"]) == ("test_it.py::test_b was not planned",)


async def test_the_next_run_is_right(box: Box) -> None:
    await assert_honest(box)


async def test_unprivileged(unprivileged: Unprivileged) -> None:
    sources = [f"{HEAD}def test_a():\n    say({said})\n" for said, _ in BROKEN.values()]
    ids = ["test_it.py"] * len(sources)
    *broken, honest = unprivileged(*({"test_it.py": source} for source in sources), {}, ids=[*ids, ""])
    for (name, (_, fault)), outcome in zip(BROKEN.items(), broken, strict=True):
        assert (outcome.ended, fault in outcome.detail) == ("crashed", True), name
    assert honest_outcomes(honest.cases) == HONEST_OUTCOMES
