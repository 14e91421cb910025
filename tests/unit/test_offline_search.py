"""The search itself, with a workbench that answers by script."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from untilgreen.model import NO_PATCH, Patch
from untilgreen.solvers.offline.allowance import Allowance
from untilgreen.solvers.offline.checking import Checker
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.offline.queue import Option, Queue, Scene
from untilgreen.solvers.offline.search import (
    BATCH_SECONDS,
    FIRST_BATCH,
    MOST_DISK_RIVALS,
    NO_TIME,
    NOT_ASKED,
    Search,
)
from untilgreen.solvers.offline.site import sites
from untilgreen.solvers.offline.tree import Tree
from untilgreen.solvers.solver import Workbench
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.evaluation import Evaluation, EvaluationRequest, Tried
from untilgreen_sandbox.report import CaseResult, Report

TEXT = "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"


class ScriptedBench:
    """Candidates are called `f0`, `f1` …; `tried` says what becomes of each for some tests."""

    def __init__(self) -> None:
        self.tried: dict[str, Tried] = {}
        self.then: dict[str, Tried] = {}
        """When it is asked for the second time."""
        self.asked: set[str] = set()
        self.only_for: dict[str, str] = {}
        """The one test that a candidate mends."""
        self.good_on_disk: set[str] = set()
        self.problems: tuple[str, ...] = ()
        self.requests: list[EvaluationRequest] = []
        self.ran: list[str] = []

    async def evaluate(self, request: EvaluationRequest, patch: Patch = NO_PATCH) -> Evaluation:
        self.requests.append(request)
        names = [candidate.source.rpartition("#")[2].strip() for candidate in request.candidates]
        return Evaluation(tuple(self._answer(name, request) for name in names), 0.6, problems=self.problems)

    def _answer(self, name: str, request: EvaluationRequest) -> Tried:
        if self.only_for.get(name):
            mended = request.failing == (self.only_for[name],)
            return Tried("plausible") if mended else Tried("failed")
        again = name in self.asked
        self.asked.add(name)
        return (self.then if again and name in self.then else self.tried).get(name, Tried("failed"))

    async def run(
        self,
        patch: Patch,
        ids: tuple[str, ...] = (),
        seconds: float | None = None,
        one_test: float | None = None,
        *,
        alone: bool = False,
    ) -> Report:
        [(_, change)] = patch
        name = str((change.content or b"").decode()).partition("#")[2].partition("\n")[0]
        self.ran.append(name)
        how = "passed" if name in self.good_on_disk else "failed"
        return Report("finished", tuple(CaseResult(test, how) for test in ids))  # type: ignore[arg-type]


class Setting:
    def __init__(self, folder: Path, n: int = 4, tests: tuple[str, ...] = ("t::1", "t::2")) -> None:
        (folder / "a.py").write_text(TEXT)
        self.bench = ScriptedBench()
        self.now = 0.0
        f, g, _ = sites("a.py", TEXT)
        self.n = n
        self.scenes = [Scene(f, tests), Scene(g, tests[:1], penalty=1.0)]
        self.tree = Tree(take_snapshot(folder), NO_PATCH, ())
        self.tests = tests
        self.seconds: dict[str, float] = {}

    def search(self, groups: tuple[tuple[str, ...], ...] = ()) -> Search:
        bench = cast(Workbench, self.bench)
        checker = Checker(bench, self.tests, Knowledge(seconds=self.seconds), 500)
        self.allowance = Allowance(1000.0, clock=self._clock)
        nothing = Queue([], self._edits, lambda _scene, _edit: None)
        queue = Queue(self.scenes, self._edits, lambda scene, _edit: scene.penalty)
        needed = frozenset(self.tests)
        return Search(bench, self.tree, queue, nothing, checker, self.allowance, needed, groups)

    def _clock(self) -> float:
        return self.now

    def _edits(self, scene: Scene, tier: int) -> Iterator[Edit]:
        name = scene.site.name
        for n in range(self.n if tier == 1 else 0):
            end = scene.site.end
            yield Edit("a.py", end - 1, end, f"  #{name}{n}\n", f"t{n // 50}", 1, 1.0 + n / 100)


def names(options: list[object]) -> list[str]:
    return [cast("str", option.source).rpartition("#")[2].strip() for option in options]  # type: ignore[attr-defined]


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(tmp_path)


def look(search: Search) -> None:
    asyncio.run(search.look())


def test_slow_tests_are_left_to_the_runner_where_quick_ones_can_say_no(setting: Setting) -> None:
    setting.seconds = {"t::1": 1.5, "t::2": 0.01}
    look(setting.search())
    asked = {request.failing: request.slowest_seconds for request in setting.bench.requests}
    assert asked == {("t::2",): 0.0, ("t::1",): 1.5}, "the second function is reached by the slow one only"
    slow = [request for request in setting.bench.requests if request.slowest_seconds]
    assert all(request.seconds > 4 * 1.5 for request in slow), "there is time to try something, too"


def test_everything_is_tried_once_when_nothing_helps(setting: Setting) -> None:
    search = setting.search()
    look(search)
    assert setting.allowance.candidates == 8
    assert search.take_plausible() == [] == search.partial


def test_a_change_and_its_rivals_are_found(setting: Setting) -> None:
    good = Tried("plausible")
    setting.bench.tried = {"f1": good, "f3": good, "f2": Tried("failed", passed=1)}
    search = setting.search()
    look(search)
    assert names([*search.take_plausible()]) == ["f1", "f3"]
    assert [option.edit.text.strip() for *_, option in search.near] == ["#f2"]
    assert search.take_plausible() == [], "each is told once"


@pytest.mark.parametrize("by", ["its own word", "a test that was not asked"])
def test_what_was_not_asked_about_passing_tests_is_asked_again(tmp_path: Path, by: str) -> None:
    setting = Setting(tmp_path)
    setting.scenes = [dataclasses.replace(setting.scenes[0], covering=("t::3",))]
    if by == "its own word":
        setting.bench.tried = {"f1": Tried("plausible", detail=NOT_ASKED), "f2": Tried("plausible")}
    else:
        setting.bench.tried = {"f1": Tried("plausible"), "f2": Tried("plausible")}
        setting.bench.problems = (f"t::3: {NO_TIME}",)
    setting.bench.then = {"f1": Tried("failed")}
    search = setting.search()
    look(search)
    assert names([*search.take_plausible()]) == ["f2"], "with time it is seen that f1 breaks a test"
    assert setting.bench.requests[1].seconds == BATCH_SECONDS


def test_what_there_is_never_time_for_is_left_to_the_runner(setting: Setting) -> None:
    setting.bench.tried = {"f1": Tried("plausible", detail=NOT_ASKED)}
    search = setting.search()
    look(search)
    assert names([*search.take_plausible()]) == ["f1"]


def test_what_helps_only_the_tests_that_reach_it_is_a_part(setting: Setting) -> None:
    setting.bench.tried = {"g1": Tried("plausible")}
    search = setting.search()
    look(search)
    assert search.take_plausible() == []
    assert names([*search.partial]) == ["g1"]


def test_batches_grow(tmp_path: Path) -> None:
    setting = Setting(tmp_path, n=300)
    setting.scenes = setting.scenes[:1]
    look(setting.search())
    assert [len(request.candidates) for request in setting.bench.requests] == [FIRST_BATCH, 128, 108]


def test_what_cannot_be_exchanged_goes_to_the_runner(setting: Setting) -> None:
    setting.bench.tried = dict.fromkeys(("f0", "f1", "f2", "f3"), Tried("unfit"))
    setting.bench.good_on_disk = {"f2"}
    search = setting.search()
    look(search)
    assert names([*search.take_plausible()]) == ["f2"]
    assert "f2" in setting.bench.ran


def test_tests_that_cannot_be_asked_go_to_the_runner(setting: Setting) -> None:
    setting.bench.problems = ("t::1: it starts processes", "t::2: it starts processes")
    setting.bench.tried = dict.fromkeys(("f0", "f1", "f2", "f3"), Tried("untried"))
    setting.bench.good_on_disk = {"f3"}
    search = setting.search()
    look(search)
    assert names([*search.take_plausible()]) == ["f3"]


def test_a_fast_way_that_never_answers_is_given_up(setting: Setting) -> None:
    setting.bench.tried = {f"{name}{n}": Tried("untried") for name in "fg" for n in range(4)}
    setting.bench.good_on_disk = {"f0"}
    search = setting.search()
    look(search)
    assert names([*search.take_plausible()]) == ["f0"]
    assert len(setting.bench.requests) < 10


def test_a_test_that_fails_for_another_reason_does_not_hide_a_fix(setting: Setting) -> None:
    setting.bench.only_for = {"f2": "t::2"}
    search = setting.search(groups=(("t::1",), ("t::2",)))
    look(search)
    assert names([*search.partial]) == ["f2"]
    assert search.partial[0].target == ("t::2",)


def test_what_ran_out_of_time_gets_more_of_it_in_the_end(setting: Setting) -> None:
    setting.bench.tried = {"f1": Tried("timeout")}
    look(setting.search())
    last = setting.bench.requests[-1]
    assert [candidate.source.rpartition("#")[2].strip() for candidate in last.candidates] == ["f1"]
    assert last.test_seconds > setting.bench.requests[0].test_seconds


def test_time_is_over(setting: Setting) -> None:
    search = setting.search()
    setting.now = 1001.0
    look(search)
    assert setting.bench.requests == []


def test_rivals_are_looked_for_no_farther_than_they_can_be_rivals(tmp_path: Path) -> None:
    setting = Setting(tmp_path, n=600)
    setting.bench.tried = {"f1": Tried("plausible")}
    look(setting.search())
    tried = sum(len(request.candidates) for request in setting.bench.requests)
    assert FIRST_BATCH < tried < 500, "of 1,200, with costs from 1 to 8 bits"
    assert setting.bench.requests[1].seconds < setting.bench.requests[0].seconds


def test_another_box_is_for_long_searches_only(tmp_path: Path) -> None:
    setting = Setting(tmp_path, n=600)
    search = setting.search()
    assert search._lanes() == 1
    setting.allowance.cpu_seconds = 60.0
    assert search._lanes() == 2


def test_few_that_only_the_runner_can_try_are_rivals_of_what_was_found(setting: Setting) -> None:
    search = setting.search()
    scene = setting.scenes[0]
    likely, found = (
        Option(order, scene, next(setting._edits(scene, 1)), scene.target) for order in (1.0, 5.0)
    )
    search._disk.push(likely)
    search._winners.add(found)
    assert search._disk_is_due()
    search._disk_rivals = MOST_DISK_RIVALS
    assert not search._disk_is_due()
