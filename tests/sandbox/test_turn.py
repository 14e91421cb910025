"""Turns of a slow suite, in a real box: what a candidate cannot affect is left for those that look right."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest

from boxes import Rig, eventually
from untilgreen.model import FileChange, Patch
from untilgreen.solve.bench import Bench
from untilgreen.solve.judge import judge
from untilgreen.solve.plan import Plan
from untilgreen.solve.turn import Turns
from untilgreen.solve.verdicts import Start
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.report import Report

CODE = "def near():\n    return 1\n\n\ndef far():\n    return 10\n"
TESTS = """\
from code_ import far, near

def test_near():
    assert near() == 2

def test_near_again():
    assert near() > 0

def test_far():
    assert far() == 10
"""
NEAR, AGAIN, FAR = (f"test_code.py::test_{name}" for name in ("near", "near_again", "far"))


def patch(text: str) -> Patch:
    return Patch({"code_.py": FileChange(text.encode())})


class Watched:
    """A bench that tells which tests it was asked for."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.asked: list[tuple[str, ...]] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._bench, name)

    async def run(self, patch: Patch, ids: tuple[str, ...] = ()) -> Report:
        self.asked.append(ids)
        return await self._bench.run(patch, ids)


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_turns(rig: Rig) -> None:
    async with rig.bench({"code_.py": CODE, "test_code.py": TESTS}) as bench:
        baseline = await bench.baseline()
        start = Start(Plan(baseline.planned), baseline, (NEAR,), ())
        watched = Watched(bench)
        turns = Turns(watched, start, take_snapshot(rig.root), slow_seconds=0.0)  # type: ignore[arg-type]

        def judged(report: Report) -> tuple[bool, tuple[str, ...]]:
            judgement = judge(start.plan, baseline, start.failing, report)
            return judgement.green, judgement.broken

        bad = patch(CODE.replace("return 1\n", "return -2\n"))
        for _ in range(2):
            report = await turns.run(bad)
            assert judged(report) == (False, (AGAIN,))
            assert report.outcomes() == {NEAR: "failed", AGAIN: "failed", FAR: "passed"}
        assert judged(await turns.run(patch(CODE.replace("return 1\n", "return 2\n")))) == (True, ())
        # One function at a time looks right; the other one breaks what only it can break.
        both = patch(CODE.replace("return 1\n", "return 2\n").replace("return 10", "return 11"))
        assert judged(await turns.run(both)) == (False, (FAR,))
        assert not judged(await turns.run(patch("syntax error")))[0]
    first = (NEAR, AGAIN)
    assert [frozenset(ids) for ids in watched.asked[:4]] == [
        frozenset(),
        frozenset(first),
        frozenset(first),
        frozenset({FAR}),
    ]
    assert watched.asked[4:] == [(), ()], "all tests when all are affected, or in doubt"


BUSY = """\
import time
from code_ import near

def test_slow():
    time.sleep(0.2)
    assert near() == %s
"""
LEAVES = "import os\ndef test_leaves():\n    os.environ['LEFT'] = 'yes'\n"
FINDS = "import os\ndef test_finds():\n    assert 'LEFT' in os.environ\n"


REGISTERS = "from names_ import NAMES\nNAMES.append('two')\n"
REGISTERED = """\
import pytest
from names_ import NAMES

@pytest.mark.parametrize('name', NAMES)
def test_name(name):
    pass
"""
TOGETHER = {
    "nothing": ("", ""),
    "what a test leaves": (LEAVES, FINDS),
    "what an import does": (REGISTERS, REGISTERED),
}


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
@pytest.mark.parametrize("shared", TOGETHER)
async def test_turns_in_two_boxes(rig: Rig, shared: str) -> None:
    first, second = TOGETHER[shared]
    files = {"code_.py": CODE, "test_a.py": BUSY % 2 + first, "test_b.py": BUSY % 3 + second}
    async with rig.bench({**files, "names_.py": "NAMES = ['one']\n", "more_.py": ""}) as bench:
        baseline = await bench.baseline()
        start = Start(Plan(baseline.planned), baseline, ("test_a.py::test_slow",), ())
        watched = Watched(bench)
        turns = Turns(watched, start, take_snapshot(rig.root))  # type: ignore[arg-type]
        await asyncio.gather(bench.run(Patch()), bench.run(Patch()))
        assert bench.lanes == 2
        for value, expected in (
            (2, ["passed", "failed"]),
            (3, ["failed", "passed"]),
            (2, ["passed", "failed"]),
        ):
            report = await turns.run(patch(CODE.replace("return 1\n", f"return {value}\n")))
            outcomes = report.outcomes()
            assert [outcomes[f"test_{name}.py::test_slow"] for name in "ab"] == expected
            assert report.ended == "finished"
            assert set(report.planned) == set(baseline.planned) == set(outcomes)
            assert report.rung == "checkpoint"
        if shared == "nothing":
            # Of another file: what waits for it has to be asked about the user's own code, too.
            before = set(bench._checked)
            await turns.run(Patch({"more_.py": FileChange(b"more = 1\n")}))
            assert {(paths, in_order) for paths, _, in_order in bench._checked - before} == {
                (("more_.py",), True)
            }
    # Only where the tests say the same apart; and the first turn is whole in any case.
    assert watched.asked == ([()] if shared == "nothing" else [(), (), ()])


QUICK = """\
import pytest
from code_ import near

@pytest.mark.parametrize("n", range(%s))
def test_quick(n):
    assert near() == 2
"""


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
@pytest.mark.parametrize("many", [True, False])
async def test_what_pytest_does_for_each_of_many_tests_is_shared_too(rig: Rig, many: bool) -> None:
    files = {f"test_{name}.py": QUICK % (100 if many else 3) for name in "ab"}
    async with rig.bench({"code_.py": CODE} | files) as bench:
        baseline = await bench.baseline()
        # On a slow machine they take longer; here they are as quick as tests can be.
        cases = tuple(dataclasses.replace(case, seconds=0.0) for case in baseline.cases)
        baseline = dataclasses.replace(baseline, cases=cases)
        start = Start(Plan(baseline.planned), baseline, baseline.planned, ())
        watched = Watched(bench)
        turns = Turns(watched, start, take_snapshot(rig.root))  # type: ignore[arg-type]
        # Until there is another turn nobody waits: that is when the second box is opened.
        report = await turns.run(patch(CODE.replace("return 1\n", "return 3\n")))
        assert set(report.outcomes().values()) == {"failed"}
        if many:
            await asyncio.to_thread(eventually, lambda: bench.lanes == 2)
        report = await turns.run(patch(CODE.replace("return 1\n", "return 2\n")))
        assert set(report.outcomes().values()) == {"passed"}
        assert set(report.planned) == set(baseline.planned)
        assert bench.lanes == (2 if many else 1)
    assert watched.asked == ([()] if many else [(), ()])


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_no_second_box_is_opened_for_what_looks_green_at_once(rig: Rig) -> None:
    files = {f"test_{name}.py": QUICK % 100 for name in "ab"}
    async with rig.bench({"code_.py": CODE} | files) as bench:
        baseline = await bench.baseline()
        start = Start(Plan(baseline.planned), baseline, baseline.planned, ())
        turns = Turns(bench, start, take_snapshot(rig.root))
        assert not (await turns.run(patch(CODE.replace("return 1\n", "return 2\n")))).red
        assert bench._pool._widening is None
