import pytest
from scheduler import Scheduler, State, Task, TransitionError


def nothing():
    return None


def failing():
    raise RuntimeError("no")


@pytest.fixture
def scheduler():
    return Scheduler()


def states(scheduler):
    return {name: task.state.value for name, task in scheduler._tasks.items()}


def test_higher_priority_first(scheduler):
    for name, priority in (("low", 1), ("high", 9), ("middle", 5), ("middle too", 5)):
        scheduler.add(Task(name, nothing, priority))
    assert scheduler.run() == 4
    assert scheduler.order == ["high", "middle", "middle too", "low"]


def test_needs_come_first(scheduler):
    scheduler.add(Task("a", nothing, 1))
    scheduler.add(Task("b", nothing, 2))
    scheduler.add(Task("c", nothing, 9, needs=("a", "b")))
    scheduler.run()
    assert scheduler.order == ["b", "a", "c"]


def test_needs_that_are_done_already(scheduler):
    scheduler.add(Task("a", nothing))
    scheduler.run()
    scheduler.add(Task("b", nothing, needs=("a",)))
    assert scheduler.run() == 1
    assert states(scheduler) == {"a": "done", "b": "done"}


def test_results(scheduler):
    task = Task("a", lambda: 42)
    scheduler.add(task)
    assert scheduler.step() is task
    assert (task.result, task.tries, task.state) == (42, 1, State.DONE)
    assert task.log == ["ready", "running", "done"]


def test_nothing_to_do(scheduler):
    assert scheduler.step() is None
    assert scheduler.run() == 0


def test_limit(scheduler):
    for name in "abc":
        scheduler.add(Task(name, nothing))
    assert scheduler.run(2) == 2
    assert scheduler.order == ["a", "b"]


def test_limit_of_nothing(scheduler):
    scheduler.add(Task("a", nothing))
    assert scheduler.run(0) == 0


def test_same_name(scheduler):
    scheduler.add(Task("a", nothing))
    with pytest.raises(ValueError, match="a is there already"):
        scheduler.add(Task("a", nothing))


def test_unknown_needs(scheduler):
    with pytest.raises(ValueError, match="a needs x, y"):
        scheduler.add(Task("a", nothing, needs=("x", "y")))
    assert scheduler.count() == {}


class TestFailing:
    def test_fails(self, scheduler):
        scheduler.add(Task("a", failing))
        task = scheduler.step()
        assert task.state is State.FAILED
        assert isinstance(task.result, RuntimeError)

    def test_what_needs_it_is_cancelled(self, scheduler):
        scheduler.add(Task("a", failing))
        scheduler.add(Task("b", nothing, needs=("a",)))
        scheduler.add(Task("c", nothing, needs=("b",)))
        scheduler.add(Task("d", nothing))
        scheduler.run()
        assert states(scheduler) == {"a": "failed", "b": "cancelled", "c": "cancelled", "d": "done"}

    @pytest.mark.parametrize(("retries", "tries"), [(0, 1), (1, 2), (3, 4)])
    def test_retries(self, scheduler, retries, tries):
        task = Task("a", failing, retries=retries)
        scheduler.add(task)
        assert scheduler.run() == tries
        assert (task.tries, task.state) == (tries, State.FAILED)

    def test_the_second_try_may_work(self, scheduler):
        outcomes = iter([False, True])

        def work():
            if not next(outcomes):
                raise OSError
            return "fine"

        task = Task("a", work, retries=1)
        scheduler.add(task)
        scheduler.run()
        assert (task.result, task.state) == ("fine", State.DONE)
        assert task.log == ["ready", "running", "ready", "running", "done"]


class TestCancel:
    def test_ready(self, scheduler):
        scheduler.add(Task("a", nothing))
        scheduler.add(Task("b", nothing, needs=("a",)))
        scheduler.cancel("a")
        assert scheduler.run() == 0
        assert states(scheduler) == {"a": "cancelled", "b": "cancelled"}

    def test_waiting(self, scheduler):
        scheduler.add(Task("a", nothing))
        scheduler.add(Task("b", nothing, needs=("a",)))
        scheduler.cancel("b")
        assert scheduler.run() == 1

    def test_done(self, scheduler):
        scheduler.add(Task("a", nothing))
        scheduler.run()
        with pytest.raises(TransitionError, match="a: done to cancelled"):
            scheduler.cancel("a")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (State.WAITING, State.RUNNING),
        (State.DONE, State.READY),
        (State.READY, State.DONE),
        (State.CANCELLED, State.READY),
    ],
)
def test_forbidden(one, other):
    with pytest.raises(TransitionError):
        Task("a", nothing, state=one).move(other)


def test_a_log_for_each():
    Task("a", nothing).move(State.READY)
    assert Task("b", nothing).log == []


def test_count(scheduler):
    scheduler.add(Task("a", nothing))
    scheduler.add(Task("b", failing))
    scheduler.add(Task("c", nothing, needs=("a",)))
    scheduler.run(2)
    assert scheduler.count() == {State.DONE: 1, State.FAILED: 1, State.READY: 1}
