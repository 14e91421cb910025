"""A queue that gives the smallest first, and equal ones in the order they came."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class PriorityQueue:
    def __init__(self, items: Iterable[tuple[Any, Any]] = ()) -> None:
        self._heap: list[tuple[Any, int, Any]] = []
        self._n = 0
        for priority, item in items:
            self.push(priority, item)

    def push(self, priority: Any, item: Any) -> None:
        self._heap.append((priority, self._n, item))
        self._n += 1
        self._up(len(self._heap) - 1)

    def pop(self) -> Any:
        if not self._heap:
            raise IndexError("the queue is empty")
        first = self._heap[0]
        last = self._heap.pop()
        if self._heap:
            self._heap[0] = last
            self._down(0)
        return first[2]

    def peek(self, default: Any = None) -> Any:
        return self._heap[0][2] if self._heap else default

    def remove(self, item: Any) -> bool:
        for n, (_, _, there) in enumerate(self._heap):
            if there == item:
                last = self._heap.pop()
                if n < len(self._heap):
                    self._heap[n] = last
                    self._down(n)
                    self._up(n)
                return True
        return False

    def _up(self, n: int) -> None:
        while n > 0:
            above = (n - 1) // 2
            if not self._before(n, above):
                break
            self._swap(n, above)
            n = above

    def _down(self, n: int) -> None:
        while True:
            smallest = n
            for below in (2 * n + 1, 2 * n + 2):
                if below < len(self._heap) and self._before(below, smallest):
                    smallest = below
            if smallest == n:
                return
            self._swap(n, smallest)
            n = smallest

    def _before(self, one: int, other: int) -> bool:
        return self._heap[one][:2] < self._heap[other][:2]

    def _swap(self, one: int, other: int) -> None:
        self._heap[one], self._heap[other] = self._heap[other], self._heap[one]

    def __len__(self) -> int:
        return len(self._heap)
