"""What watch mode decides, moment by moment; milliseconds, and no file is touched."""

from __future__ import annotations

import pytest

from untilgreen.watching import causes
from untilgreen.watching.modes import Mode
from watch.moments import PACE, TESTS, Apply, Day, Look, Offer, Solve, Solved, Stop, Test


def test_from_a_save_to_a_fix() -> None:
    day = Day()
    assert day.save("a.py") == Test("first", "watch: saved a.py")
    day.red(*TESTS)
    assert day.step() == Solve(TESTS, "watch: saved a.py; tests fail")
    job = day.fixed("a.py")
    assert day.step() == Apply(job)
    day.wrote("a.py")
    assert day.steps(60) == [] and day.pilot.message == "watching"


@pytest.mark.parametrize(
    ("mode", "does"), [("diagnose", []), ("suggest", [Solve]), ("fix", [Solve]), ("off", [])]
)
def test_each_mode_does_no_more_than_it_says(mode: Mode, does: list[type]) -> None:
    day = Day(mode)
    day.pilot.touched(["a.py"], day.now)
    if mode == "off":
        assert day.steps(60) == []
        return
    day.steps(PACE.settle)
    day.look("a.py")
    day.step()
    day.red(*TESTS)
    assert [type(step) for step in day.steps(60)] == does


def test_suggest_offers_and_never_writes() -> None:
    day = Day("suggest")
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    job = day.fixed("a.py")
    assert day.step() == Offer(job, "")
    day.pilot.offered()
    assert day.steps(60) == []


def test_a_fix_that_needs_eyes_is_offered() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    assert day.fixed("a.py", why_not="something in it needs your eyes")
    assert isinstance(day.step(), Offer)


def test_saves_in_quick_succession_are_one() -> None:
    day = Day()
    for n in range(30):
        day.pilot.touched([f"m{n}.py"], day.now)
        assert day.step(0.05) is None
    assert day.step(PACE.settle) == Look(frozenset(f"m{n}.py" for n in range(30)))
    day.look(*(f"m{n}.py" for n in range(30)))
    assert day.step() == Test("first", "watch: saved m0.py, m1.py, m2.py, 27 more")


def test_somebody_who_never_pauses_is_looked_at_all_the_same() -> None:
    day = Day()
    looks = 0
    for _ in range(200):
        day.pilot.touched(["a.py"], day.now)
        looks += len(day.steps(0.1))
    assert looks >= 1


def test_what_is_written_but_not_changed_is_nothing() -> None:
    day = Day()
    day.pilot.touched(["a.py"], day.now)
    assert isinstance(day.step(PACE.settle), Look)
    day.look()
    assert day.steps(60) == []


def test_a_change_supersedes_what_runs_and_nothing_is_lost() -> None:
    day = Day()
    day.save("a.py")
    day.pilot.touched(["b.py"], day.now)
    assert isinstance(day.step(PACE.settle), Look), "what runs goes on until it is known to be a change"
    day.look("b.py")
    assert day.step() == Stop("superseded")
    assert day.steps(60) == [], "once is enough"
    day.pilot.interrupted()
    assert day.step() == Test("first", "watch: saved a.py, b.py")


def test_a_solve_gives_way_to_a_save() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    assert isinstance(day.step(), Solve)
    day.touch("a.py")
    assert day.step() == Stop("superseded")
    day.pilot.interrupted()
    assert day.step() == Test("first", "watch: saved a.py")


def test_the_other_tests_run_when_nobody_waits() -> None:
    day = Day()
    day.save("a.py")
    day.red(affected=(TESTS[0],), left=True)
    assert day.steps(PACE.idle - PACE.settle - 0.1) == []
    assert day.step(0.3) == Test("rest", "watch: the other tests")
    day.red(affected=())
    assert day.steps(60) == []


def test_who_asks_for_all_tests_gets_them_whatever_is_saved_meanwhile() -> None:
    day = Day("diagnose")
    day.pilot.begin(day.now, causes.ASKED, may_solve=True)
    assert day.step() == Test("all", causes.ASKED)
    assert day.pilot.message == "running all tests"
    day.touch("a.py")
    assert day.step() == Stop("superseded")
    day.pilot.interrupted()
    assert day.step() == Test("all", causes.ASKED)
    day.red()
    assert day.save("a.py").part == "first"


def test_nobody_is_changed_under_the_cursor() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.pilot.typed("a.py", day.now)
    job = day.fixed("a.py")
    assert day.steps(1.0) == []
    day.pilot.typed("a.py", day.now)
    assert day.steps(1.9) == [], "each key counts"
    assert day.step(0.2) == Offer(job, "a.py has unsaved changes")


def test_a_fix_waits_for_an_idle_moment_when_all_is_saved() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.pilot.typed("a.py", day.now)
    day.pilot.saved("a.py")
    job = day.fixed("a.py")
    assert day.steps(1.9) == []
    assert day.step(0.2) == Apply(job)


def test_typing_elsewhere_does_not_matter() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.pilot.typed("b.py", day.now)
    assert day.step() is None
    job = day.fixed("a.py")
    assert day.step() == Apply(job)


def test_a_fix_that_waits_moves_along_with_a_save_of_its_own_file() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.pilot.typed("a.py", day.now)
    job = day.fixed("a.py")
    day.pilot.saved("a.py")
    day.touch("a.py")
    assert day.step(2.0) == Apply(job)
    day.pilot.not_applied("You changed a.py meanwhile")
    assert isinstance(day.step(), Test)


def test_a_fix_that_waits_is_dropped_when_something_else_changes() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.pilot.typed("a.py", day.now)
    day.fixed("a.py")
    day.touch("b.py")
    assert isinstance(day.step(5), Test)


def test_after_some_fixes_of_one_file_it_goes_quiet_for_ten_minutes() -> None:
    day = Day()
    written = []
    for _ in range(5):
        day.save("a.py")
        day.red(*TESTS)
        day.step()
        day.fixed("a.py")
        step = day.step()
        if isinstance(step, Apply):
            day.wrote("a.py")
            written.append(day.now)
        else:
            assert isinstance(step, Offer) and step.why.startswith("quiet: a.py was fixed 3 times")
            day.pilot.offered()
    assert len(written) == 3
    assert day.pilot.message.startswith("quiet: ")
    day.now = written[0] + 601
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.fixed("a.py")
    assert isinstance(day.step(), Apply)


def test_code_that_does_not_parse_is_tested_and_not_solved() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS, unread="a.py does not parse yet (line 3)")
    assert day.steps(600) == []
    assert day.pilot.message == "waiting: a.py does not parse yet (line 3)"
    day.save("b.py")
    day.red(TESTS[0], affected=(TESTS[0],))
    assert isinstance(day.step(), Solve), "no test fails any more because of it"
    day.pilot.solved(Solved(None, "Not green."))
    day.save("a.py")
    day.red(*TESTS)
    assert isinstance(day.step(), Solve)


def test_a_function_that_was_just_begun_is_waited_for_a_minute() -> None:
    day = Day()
    day.save("a.py", unfinished={"a.py": "hook in a.py has just been begun"})
    day.red(*TESTS)
    assert day.steps(30) == []
    assert day.pilot.message == "waiting: hook in a.py has just been begun"
    day.save("b.py")
    day.red(*TESTS)
    assert day.steps(20) == [], "a.py is as it was"
    assert day.step(11) == Solve(TESTS, "watch: saved b.py; tests fail"), "and was left so"
    day.pilot.solved(Solved(None, "Not green."))
    assert day.steps(600) == []


def test_a_fix_that_is_refused_is_offered_once() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    job = day.fixed("a.py")
    assert day.step() == Apply(job)
    day.pilot.failed("Permission denied.", day.now, again=False)
    assert day.step() == Offer(job, "Permission denied")
    day.pilot.offered()
    assert day.steps(600) == []


def test_somebody_who_drops_what_was_typed_gets_the_fix_after_all() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.pilot.typed("a.py", day.now)
    job = day.fixed("a.py")
    assert day.step(2.1) == Offer(job, "a.py has unsaved changes")
    day.pilot.offered()
    day.pilot.closed("a.py", day.now)
    assert day.step() == Test("first", "watch: a.py was closed without saving")
    day.red(*TESTS, affected=())
    assert isinstance(day.step(), Solve)
    job = day.fixed("a.py")
    assert day.step() == Apply(job), "nobody types there any more"
    day.wrote("a.py")
    day.pilot.closed("b.py", day.now)
    assert day.steps(600) == [], "nothing was lost with it"


def test_what_nobody_could_fix_is_not_tried_again_until_it_is_affected() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS, affected=TESTS)
    day.step()
    day.pilot.solved(Solved(None, "Not green: nothing helped."))
    assert day.steps(60) == []
    day.save("b.py")
    day.red(*TESTS, affected=())
    assert day.steps(60) == []
    day.save("a.py")
    day.red(*TESTS, affected=(TESTS[1],))
    assert day.step() == Solve((TESTS[1],), "watch: saved a.py; tests fail")


def test_a_part_of_a_fix_is_looked_for_alone() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.fixed("a.py", tests=TESTS[:1], partial=True, why_not="it fixes some of the tests only")
    assert day.step() == Solve(TESTS[:1], "watch: saved a.py; tests fail")
    job = day.fixed("a.py", tests=TESTS[:1])
    assert day.step() == Apply(job)


def test_an_undone_fix_leaves_the_tests_red() -> None:
    day = Day()
    day.save("a.py")
    day.red(*TESTS)
    day.step()
    day.fixed("a.py")
    day.step()
    day.wrote("a.py")
    assert day.pilot.known.green
    day.pilot.taken_back()
    assert day.step() == Test("first", "watch: a fix was taken back")
    day.red(*TESTS)
    assert day.steps(60) == [] and not day.pilot.known.green
    assert day.pilot.message == "a fix was taken back; it is not made again"
