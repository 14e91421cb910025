"""When watch mode holds back: git at work, floods, pauses, other modes."""

from __future__ import annotations

import pytest

from watch.moments import TESTS, Apply, Day, Look, Solve, Stop, Test


@pytest.mark.parametrize("seen", [{"under_way": "a rebase is under way"}, {"switched": "another branch"}])
def test_git_makes_it_pause_and_then_it_only_diagnoses(seen: dict[str, str]) -> None:
    day = Day()
    day.touch("a.py", **seen)
    assert day.steps(0.5) == [] and day.pilot.message.startswith("paused: a")
    if "under_way" in seen:
        assert day.step(1.6) == Look(frozenset())
        day.look(**seen)
        assert day.step(1.1) == Look(frozenset()), "as long as it takes"
        day.look()
    step = day.step(3)
    assert isinstance(step, Test) and step.cause == f"watch: {next(iter(seen.values()))}"
    day.red(*TESTS)
    assert day.steps(60) == []
    day.save("a.py")
    day.red(*TESTS)
    assert isinstance(day.step(), Solve), "the user's own next save brings fixes back"


def test_a_flood_makes_it_pause() -> None:
    day = Day()
    names = [f"m{n}.py" for n in range(500)]
    day.touch(*names)
    assert day.steps(1.9) == []
    assert day.step(0.2) == Test("first", "watch: 500 files changed at once")
    day.red(*TESTS)
    assert day.steps(60) == []


@pytest.mark.parametrize(
    ("seen", "said"), [({}, "500 files changed at once"), ({"switched": "a branch"}, "a branch")]
)
def test_what_comes_before_it_is_quiet_belongs_to_the_flood(seen: dict[str, str], said: str) -> None:
    day = Day()
    names = [f"m{n}.py" for n in range(500)]
    day.touch(*names[:490], **seen)
    assert day.steps(1) == []
    day.touch(*names[485:])
    assert day.steps(1.9) == [] and day.pilot.message.startswith(f"paused: {said};")
    assert day.step(0.2) == Test("first", f"watch: {said}")
    day.red(*TESTS)
    assert day.steps(60) == [], "the second half was nobody's save"
    day.save("a.py")
    day.red(*TESTS)
    assert isinstance(day.step(), Solve)


def test_a_save_after_a_flood_that_was_dropped_is_a_save() -> None:
    day = Day()
    day.touch(*(f"m{n}.py" for n in range(500)))
    day.pilot.drop()
    day.now += 60
    day.save("a.py")
    day.red(*TESTS)
    assert isinstance(day.step(), Solve)


def test_modes_are_switched_while_it_runs() -> None:
    day = Day("diagnose")
    day.save("a.py")
    day.red(*TESTS)
    assert day.steps(60) == []
    day.pilot.switch("suggest", day.now)
    assert isinstance(day.step(), Solve)
    day.pilot.switch("diagnose", day.now)
    assert isinstance(day.step(), Stop)
    day.pilot.interrupted()
    assert day.steps(60) == []
    day.pilot.switch("fix", day.now)
    assert isinstance(day.step(), Solve)
    job = day.fixed("a.py")
    assert day.step() == Apply(job)


def test_pause_stops_and_going_on_loses_nothing() -> None:
    day = Day()
    day.save("a.py")
    day.pilot.paused = "you pressed p"
    assert day.step() == Stop("paused")
    day.pilot.interrupted()
    day.pilot.touched(["b.py"], day.now)
    assert day.steps(60) == [] and day.pilot.message == "paused: you pressed p"
    day.pilot.paused = ""
    assert isinstance(day.step(), Look)
    day.look("b.py")
    assert day.step() == Test("first", "watch: saved a.py, b.py")


def test_somebody_else_at_work_is_waited_for() -> None:
    day = Day()
    day.save("a.py")
    day.pilot.failed("Another untilgreen is busy", day.now, again=True)
    assert day.steps(0.9) == []
    assert day.step(0.2) == Test("first", "watch: saved a.py")


def test_somebody_else_at_work_is_waited_for_whatever_is_left_to_do() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS, left=True)
    for _ in range(3):
        assert isinstance(day.step(), Solve)
        day.pilot.failed("Another untilgreen is busy", day.now, again=True)
        assert day.pilot.message == "Another untilgreen is busy"
        assert day.steps(0.9) == []
        day.now += 0.1
    assert isinstance(day.step(), Solve)
    job = day.fixed("a.py")
    assert day.step() == Apply(job)
    day.pilot.failed("Another untilgreen is busy", day.now, again=True)
    assert day.steps(0.9) == []
    assert day.step(0.2) == Apply(job)
    day.wrote("a.py")
    assert day.pilot.message == "watching", "what hindered it is over"
    day.save("b.py")
    day.red(affected=(), left=True)
    assert isinstance(day.step(5), Test)
    day.pilot.failed("Another untilgreen is busy", day.now, again=True)
    assert day.steps(0.9) == []
    assert isinstance(day.step(0.2), Test)


def test_nothing_begins_before_files_can_be_looked_at() -> None:
    day = Day()
    day.pilot.touched(["a.py"], day.now)
    assert day.step(0.3) == Look(frozenset({"a.py"}))
    day.pilot.looked_in_vain("The folder is gone.")
    assert day.steps(600) == [] and day.pilot.message == "The folder is gone."
    day.pilot.touched(["b.py"], day.now)
    assert day.step(0.3) == Look(None), "so that nothing is lost"
    day.look("a.py", "b.py")
    assert day.step() == Test("first", "watch: saved a.py, b.py")


def test_a_rebase_holds_back_a_fix_that_waits() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.pilot.typed("a.py", day.now)
    day.pilot.saved("a.py")
    job = day.fixed("a.py")
    day.pilot.touched(["b.py"], day.now)
    assert isinstance(day.step(0.3), Look)
    day.look(under_way="a rebase is under way")
    assert day.step(5) == Look(frozenset())
    day.look(under_way="a rebase is under way")
    assert day.step(1.1) == Look(frozenset())
    day.look()
    assert day.step() == Apply(job)


def test_a_run_that_the_user_stopped_is_not_known() -> None:
    day = Day()
    day.save("a.py")
    day.red()
    assert day.pilot.known.green
    day.save("a.py")
    day.pilot.drop()
    day.pilot.interrupted()
    assert day.steps(600) == [] and not day.pilot.known.green
    assert day.pilot.message == "stopped; your next save begins anew"


def test_what_cannot_be_done_is_not_tried_for_ever() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    assert isinstance(day.step(), Solve)
    day.pilot.failed("The script is wrong.", day.now, again=False)
    assert day.steps(60) == [] and day.pilot.message == "The script is wrong."
    day.save("a.py")
    day.pilot.failed("No sandbox.", day.now, again=False)
    assert day.steps(60) == []
