"""Tasks with priorities that wait for other tasks, are tried again, and follow allowed states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from scheduler.queue import PriorityQueue


class State(Enum):
    WAITING = "waiting"
    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ALLOWED = {
    State.WAITING: {State.READY, State.CANCELLED},
    State.READY: {State.RUNNING, State.CANCELLED},
    State.RUNNING: {State.DONE, State.FAILED, State.READY},
    State.DONE: set(),
    State.FAILED: {State.READY},
    State.CANCELLED: set(),
}


class TransitionError(RuntimeError):
    pass


@dataclass
class Task:
    name: str
    work: Callable[[], object]
    priority: int = 0
    needs: tuple[str, ...] = ()
    retries: int = 0
    state: State = State.WAITING
    result: object = None
    tries: int = 0
    log: list[str] = field(default_factory=list)

    def move(self, state: State) -> None:
        if state not in ALLOWED[self.state]:
            raise TransitionError(f"{self.name}: {self.state.value} to {state.value}")
        self.log.append(state.value)
        self.state = state


class Scheduler:
    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._queue = PriorityQueue()
        self.order: list[str] = []

    def add(self, task: Task) -> None:
        if task.name in self._tasks:
            raise ValueError(f"{task.name} is there already")
        unknown = [name for name in task.needs if name not in self._tasks]
        if unknown:
            raise ValueError(f"{task.name} needs {', '.join(unknown)}")
        self._tasks[task.name] = task
        self._offer(task)

    def _offer(self, task: Task) -> None:
        """Into the queue when all that it needs is done."""
        if task.state is State.WAITING and all(self._tasks[name].state is State.DONE for name in task.needs):
            task.move(State.READY)
            self._queue.push(-task.priority, task.name)

    def step(self) -> Task | None:
        """Run the next task; nothing when none is ready."""
        if not self._queue:
            return None
        task = self._tasks[self._queue.pop()]
        task.move(State.RUNNING)
        self.order.append(task.name)
        task.tries += 1
        try:
            task.result = task.work()
        except Exception as error:
            task.result = error
            if task.tries <= task.retries:
                task.move(State.READY)
                self._queue.push(-task.priority, task.name)
            else:
                task.move(State.FAILED)
                self._cancel_after(task.name)
            return task
        task.move(State.DONE)
        for other in self._tasks.values():
            if task.name in other.needs:
                self._offer(other)
        return task

    def run(self, limit: int | None = None) -> int:
        """How many steps were done."""
        n = 0
        while limit is None or n < limit:
            if self.step() is None:
                break
            n += 1
        return n

    def cancel(self, name: str) -> None:
        task = self._tasks[name]
        if task.state is State.READY:
            self._queue.remove(name)
        task.move(State.CANCELLED)
        self._cancel_after(name)

    def _cancel_after(self, name: str) -> None:
        for task in self._tasks.values():
            if name in task.needs and task.state is State.WAITING:
                task.move(State.CANCELLED)
                self._cancel_after(task.name)

    def count(self) -> dict[State, int]:
        counted: dict[State, int] = {}
        for task in self._tasks.values():
            counted[task.state] = counted.get(task.state, 0) + 1
        return counted
