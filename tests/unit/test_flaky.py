"""Chance is named and never decides: neither for a fix nor against it."""

from __future__ import annotations

from typing import Any, cast

import pytest

from untilgreen.events import Event, FlakyFound, Rerunning, Verifying
from untilgreen.model import NO_PATCH
from untilgreen.solve.bench import Bench
from untilgreen.solve.confirm import confirm
from untilgreen.solve.flaky import MOST_FLICKERS, find_flaky, may_be_chance, with_second_chance
from untilgreen.solve.judge import Judgement, judge
from untilgreen.solve.plan import Plan
from untilgreen.solve.proof import Proof
from untilgreen.solve.verify import Verifier
from untilgreen_sandbox.report import CaseResult, Report

A, B, C = "t.py::a", "t.py::b", "t.py::c"
PLAN = Plan((A, B, C))


def report(red: str = "", ids: tuple[str, ...] = PLAN.ids, ended: Any = "finished") -> Report:
    cases = tuple(CaseResult(one, "failed" if one[-1] in red else "passed") for one in ids)
    return Report(ended, cases, ids)


class Asked:
    """A bench whose reruns say this, one after the other."""

    def __init__(self, *answers: Report) -> None:
        self.answers = list(answers)
        self.ids: list[tuple[str, ...]] = []

    async def rerun(self, ids: tuple[str, ...] = ()) -> Report:
        self.ids.append(ids)
        return self.answers.pop(0)


@pytest.mark.parametrize(
    ("answers", "flaky", "asked"),
    [
        ([report("ab", (A, B))], (), [(A, B)]),
        ([report("a", (A, B)), report("a")], (B,), [(A, B), ()]),
        ([report("a", (A, B)), report("ab")], (), [(A, B), ()]),
        ([report("", (A, B)), report("b")], (A,), [(A, B), ()]),
        ([report("", (A, B), ended="timeout")], (), [(A, B)]),
        ([Report("finished", (CaseResult(A, "skipped"), CaseResult(B, "failed")))], (), [(A, B)]),
    ],
)
async def test_which_failing_tests_pass_by_themselves(
    answers: list[Report], flaky: tuple[str, ...], asked: list[tuple[str, ...]]
) -> None:
    heard: list[Event] = []
    bench = Asked(*answers)
    assert await find_flaky(cast(Bench, bench), report("ab"), (A, B), heard.append) == flaky
    assert bench.ids == asked
    assert [event.tests for event in heard if isinstance(event, FlakyFound)] == ([flaky] if flaky else [])


async def test_when_all_tests_failed_they_ran_among_all_others_already() -> None:
    bench = Asked(report("b"))
    assert await find_flaky(cast(Bench, bench), report("abc"), PLAN.ids, lambda _event: None) == (A, C)


async def test_what_never_ran_is_not_run_again() -> None:
    hung = Report("timeout", (CaseResult(B, "passed"),), PLAN.ids)
    uncollected = Report("finished", (CaseResult("u.py", "error"),))
    for baseline, failing in ((hung, (A,)), (uncollected, ("u.py",))):
        assert await find_flaky(cast(Bench, Asked()), baseline, failing, lambda _event: None) == ()


def test_many_at_once_are_no_chance() -> None:
    ids = tuple(f"t.py::{n}" for n in range(MOST_FLICKERS + 1))
    told = report("", ids)
    assert may_be_chance(Judgement((A,), ids[1:], (), ()), told)
    assert not may_be_chance(Judgement((A,), ids, (), ()), told)
    assert not may_be_chance(Judgement((), ids[1:], (), ()), told), "there is nothing to gain"
    assert not may_be_chance(Judgement((A,), ("t.py::gone",), (), ()), told), "absent is not failed"
    assert not may_be_chance(Judgement((A,), ids[1:], (), ()), report("", ids, ended="oom"))


def test_a_second_chance_is_for_those_who_pass() -> None:
    told, flaky = with_second_chance(report("bc"), report("c", (B, C)), (B, C))
    assert flaky == (B,)
    assert told.outcomes() == {A: "passed", B: "passed", C: "failed"}
    assert with_second_chance(report("b"), report("", (B,), ended="killed"), (B,))[1] == ()


@pytest.mark.parametrize(
    ("goal", "runs", "green", "flaky"),
    [
        ("a", [""], True, ()),
        ("a", ["b", ""], True, (B,)),
        ("a", ["b", "b"], False, ()),
        ("a", ["b", "c"], False, ()),
        ("a", ["a"], False, ()),
        ("a", ["ab"], False, ()),
        ("ab", ["bc"], False, ()),
    ],
)
async def test_green_rests_on_one_run_that_is_green_by_itself(
    goal: str, runs: list[str], green: bool, flaky: tuple[str, ...]
) -> None:
    baseline = report(goal)
    failing = tuple(f"t.py::{name}" for name in goal)
    left = [report(red) for red in runs]

    class Scripted:
        async def verify(self, *_: Any) -> Proof:
            told = left.pop(0)
            return Proof(judge(PLAN, baseline, failing, told), told)

    heard: list[Event] = []
    verifier = cast(Verifier, Scripted())
    proof, chance = await confirm(verifier, failing, NO_PATCH, report(), lambda _path: None, 3, heard.append)
    assert (proof.judgement.green, chance) == (green, flaky)
    assert left == []
    assert proof.report.red == () or not green
    assert [type(event) for event in heard] == [Verifying, Rerunning, Verifying][: 2 * len(runs) - 1]
