"""Turns of a slow suite, in a real box: what a candidate cannot affect is left for those that look right."""

from __future__ import annotations

import pytest

from boxes import Rig
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
