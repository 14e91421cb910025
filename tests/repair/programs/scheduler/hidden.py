"""Random tasks, of which some fail a few times."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from scheduler import PriorityQueue, Scheduler, State, Task

    for _ in range(60):
        queue = PriorityQueue((chance.randint(0, 9), n) for n in range(chance.randint(0, 12)))
        for _ in range(20):
            deed = chance.randrange(4)
            if deed == 0:
                yield told(queue.push, chance.randint(0, 9), chance.randint(0, 99))
            elif deed == 1:
                yield told(queue.pop)
            elif deed == 2:
                yield told(queue.remove, chance.randint(0, 12))
            else:
                yield told(lambda queue=queue: [queue.peek("-"), len(queue)])
        yield told(lambda queue=queue: [queue.pop() for _ in range(len(queue))])

    def work(n_failures: int, value: int) -> object:
        left = [n_failures]

        def once() -> int:
            left[0] -= 1
            if left[0] >= 0:
                raise OSError
            return value

        return once

    for _ in range(80):
        scheduler = Scheduler()
        tasks = []
        for n in range(chance.randint(1, 9)):
            needs = tuple(
                chance.sample([task.name for task in tasks], min(len(tasks), chance.choice([0, 0, 1, 2])))
            )
            task = Task(
                f"t{n}",
                work(chance.choice([0, 0, 0, 1, 2]), n),
                chance.randint(0, 3),
                needs,
                chance.randint(0, 2),
            )
            tasks.append(task)
            yield told(scheduler.add, task)
            if chance.random() < 0.3:
                yield told(scheduler.run, chance.randint(0, 2))
            if chance.random() < 0.15:
                yield told(scheduler.cancel, chance.choice(tasks).name)
        yield told(scheduler.add, Task("t0", work(0, 0)))
        yield told(scheduler.add, Task("other", work(0, 0), needs=("t0", "nobody")))
        yield told(scheduler.run)
        yield told(lambda scheduler=scheduler: scheduler.order)
        yield told(
            lambda scheduler=scheduler: sorted((state.value, n) for state, n in scheduler.count().items())
        )
        yield told(lambda tasks=tasks: [(task.state.value, task.tries, task.log) for task in tasks])
    for one in State:
        for other in State:
            yield told(Task("a", work(0, 0), state=one).move, other)
