"""Chance is named and never decides: neither for a fix nor against it."""

from __future__ import annotations

from typing import Any, cast

import pytest

from untilgreen.events import Event, FlakyFound, Rerunning, Verifying
from untilgreen.model import NO_PATCH, FileChange, Patch, Proposal
from untilgreen.solve.bench import Bench
from untilgreen.solve.confirm import confirm
from untilgreen.solve.flaky import (
    AGAIN,
    MOST_FLICKERS,
    Flickers,
    find_flaky,
    may_be_chance,
    shaken_by,
    with_second_chance,
)
from untilgreen.solve.judge import Judgement, judge
from untilgreen.solve.plan import Plan
from untilgreen.solve.proof import Proof
from untilgreen.solve.trial import Trial
from untilgreen.solve.trials import Trials
from untilgreen.solve.verdicts import Start
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

    async def rerun(self, ids: tuple[str, ...] = (), *, one_order: bool = True) -> Report:
        # Sets have their first order where all tests run as they did first, and another one elsewhere.
        assert one_order == (not ids)
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
    found = await find_flaky(cast(Bench, bench), report("ab"), (A, B), heard.append)
    assert (found.flaky, found.unsteady) == (flaky, ())
    passed = {case.id for case in answers[0].cases if case.outcome == "passed"} if len(answers) > 1 else set()
    assert set(found.swayed) == passed - set(flaky)
    assert bench.ids == asked
    assert [event.tests for event in heard if isinstance(event, FlakyFound)] == ([flaky] if flaky else [])


async def test_when_all_tests_failed_sets_still_had_another_order() -> None:
    bench = Asked(report("b"), report("bc"))
    found = await find_flaky(cast(Bench, bench), report("abc"), PLAN.ids, lambda _event: None)
    assert (found.flaky, found.swayed) == ((A,), (C,))


@pytest.mark.parametrize(
    ("answers", "flaky"),
    [
        ([report("a", (A, B))], ()),
        ([report("ab", (A, B)), report("ab")], (B,)),
        ([report("ab", (A, B)), report("a")], ()),
    ],
)
async def test_a_test_of_the_goal_that_passed_may_be_flaky_as_well(
    answers: list[Report], flaky: tuple[str, ...]
) -> None:
    found = await find_flaky(cast(Bench, Asked(*answers)), report("a"), (A,), lambda _event: None, (B,))
    assert (found.flaky, found.swayed) == (flaky, ())
    assert tuple(case.id for case in found.unsteady) == flaky


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ([report("a")], Flickers()),
        ([report("ab"), report("a")], Flickers()),
        ([report("ab"), report("ab")], Flickers((B,), (), (CaseResult(B, "failed"),))),
        ([report(""), report("a")], Flickers((), (A,))),
        ([report(""), report("")], Flickers((A,))),
        ([report("a", (A, B)), report("a")], Flickers()),
        ([report("a", ended="timeout"), report("a")], Flickers()),
    ],
)
async def test_of_a_small_suite_one_more_run_is_enough_unless_it_says_something_else(
    answers: list[Report], found: Flickers
) -> None:
    class Whole:
        """All tests: first with sets in another order, then as at first."""

        n_run = 0

        async def rerun(self, ids: tuple[str, ...] = (), *, one_order: bool = True) -> Report:
            assert (ids, one_order) == ((), self.n_run > 0)
            self.n_run += 1
            return answers[self.n_run - 1]

    bench = Whole()
    told = await find_flaky(cast(Bench, bench), report("a"), (A,), lambda _event: None, whole=True)
    assert (told, bench.n_run) == (found, len(answers))


@pytest.mark.parametrize(
    ("with_it", "without", "shaken"),
    [("", "", ()), ("b", "", (B,)), ("bc", "c", (B,)), ("b", "b", ())],
)
async def test_who_fails_now_and_then_with_a_patch_only_was_shaken_by_it(
    with_it: str, without: str, shaken: tuple[str, ...]
) -> None:
    class Rolling:
        """Whose tests fail in the last of several runs."""

        n_asked = n_rerun = 0

        async def ask(self, patch: Patch, ids: tuple[str, ...], *, anonymous: bool) -> Report:
            self.n_asked += 1
            return report(with_it if self.n_asked == AGAIN else "", ids)

        async def rerun(self, ids: tuple[str, ...]) -> Report:
            self.n_rerun += 1
            return report(without if self.n_rerun == AGAIN else "", ids)

    assert await shaken_by(cast(Bench, Rolling()), NO_PATCH, (B, C)) == shaken
    assert await shaken_by(cast(Bench, Rolling()), NO_PATCH, ()) == ()


async def test_what_never_ran_is_not_run_again() -> None:
    hung = Report("timeout", (CaseResult(B, "passed"),), PLAN.ids)
    uncollected = Report("finished", (CaseResult("u.py", "error"),))
    for baseline, failing in ((hung, (A,)), (uncollected, ("u.py",))):
        assert await find_flaky(cast(Bench, Asked()), baseline, failing, lambda _event: None) == Flickers()


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


@pytest.mark.parametrize(("again", "doubted"), [("b", True), ("", False)])
async def test_a_fix_that_makes_a_test_flaky_needs_eyes(again: str, doubted: bool) -> None:
    patch = Patch({"calc.py": FileChange(b"x = 1\n\n\ndef f():\n    return 2\n")})
    left = [report("b"), report("")]

    class Scripted:
        """A verifier, a bench and eyes."""

        async def verify(self, *_: Any) -> Proof:
            told = left.pop(0)
            return Proof(judge(PLAN, report("a"), (A,), told), told)

        async def ask(self, patch: Patch, ids: tuple[str, ...], *, anonymous: bool) -> Report:
            return report(again, ids)

        async def rerun(self, ids: tuple[str, ...]) -> Report:
            return report("", ids)

        def before(self, path: str) -> bytes:
            return b"x = 1\n\n\ndef f():\n    return 1\n"

    some: Any = Scripted()
    start = Start(PLAN, report("a"), (A,))
    trials = Trials(some, start, some, some, some, some, some, lambda _event: None)
    trial = Trial(1, "x", Proposal(patch, "it"), "", judge(PLAN, report("a"), (A,), report()), report())
    proved = await trials.prove(trial, (A,))
    assert (proved.green, proved.flaky) == (True, (B,))
    places = [(finding.path, finding.line, finding.rule) for finding in proved.doubts]
    assert places == ([("calc.py", 4, "unproven")] if doubted else [])
