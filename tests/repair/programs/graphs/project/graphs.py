"""Directed graphs with weights, and the usual questions about them."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator

Node = Hashable


class CycleError(ValueError):
    def __init__(self, nodes: list[Node]) -> None:
        super().__init__("the graph has a cycle: " + " -> ".join(str(node) for node in nodes))
        self.nodes = nodes


class Graph:
    def __init__(self, edges: Iterable[tuple] = ()) -> None:
        self._targets: dict[Node, dict[Node, float]] = {}
        for edge in edges:
            self.connect(*edge)

    def add(self, node: Node) -> None:
        self._targets.setdefault(node, {})

    def connect(self, source: Node, target: Node, weight: float = 1) -> None:
        if weight < 0:
            raise ValueError("weights are not negative")
        self.add(source)
        self.add(target)
        self._targets[source][target] = weight

    def __iter__(self) -> Iterator[Node]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)

    def targets(self, node: Node) -> list[Node]:
        return list(self._targets[node])

    def reversed(self) -> Graph:
        other = Graph()
        for node in self:
            other.add(node)
        for source, targets in self._targets.items():
            for target, weight in targets.items():
                other.connect(target, source, weight)
        return other

    def breadth_first(self, start: Node) -> Iterator[Node]:
        seen = {start}
        waiting = deque([start])
        while waiting:
            node = waiting.popleft()
            yield node
            for target in self._targets[node]:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)

    def depth_first(self, start: Node, seen: set[Node] | None = None) -> Iterator[Node]:
        if seen is None:
            seen = set()
        seen.add(start)
        yield start
        for target in self._targets[start]:
            if target not in seen:
                yield from self.depth_first(target, seen)

    def distances(self, start: Node) -> dict[Node, float]:
        """To all that can be reached, by weight."""
        best: dict[Node, float] = {start: 0}
        waiting: list[tuple[float, int, Node]] = [(0, 0, start)]
        done: set[Node] = set()
        pushed = 0
        while waiting:
            distance, _, node = heapq.heappop(waiting)
            if node in done:
                continue
            done.add(node)
            for target, weight in self._targets[node].items():
                through = distance + weight
                if target not in best or through < best[target]:
                    best[target] = through
                    pushed += 1
                    heapq.heappush(waiting, (through, pushed, target))
        return best

    def shortest(self, start: Node, goal: Node) -> list[Node] | None:
        """The path with the fewest edges."""
        came_from: dict[Node, Node | None] = {start: None}
        waiting = deque([start])
        while waiting and goal not in came_from:
            node = waiting.popleft()
            for target in self._targets[node]:
                if target not in came_from:
                    came_from[target] = node
                    waiting.append(target)
        if goal not in came_from:
            return None
        path = [goal]
        while path[-1] != start:
            path.append(came_from[path[-1]])
        path.reverse()
        return path

    def sorted(self) -> list[Node]:
        """Every node before those that it points to."""
        n_sources: dict[Node, int] = defaultdict(int)
        for node in self:
            for target in self._targets[node]:
                n_sources[target] += 1
        ready = deque(node for node in self if n_sources[node] == 0)
        order = []
        while ready:
            node = ready.popleft()
            order.append(node)
            for target in self._targets[node]:
                n_sources[target] -= 1
                if n_sources[target] == 0:
                    ready.append(target)
        if len(order) < len(self):
            raise CycleError([node for node in self if n_sources[node] > 0])
        return order

    def components(self) -> list[set[Node]]:
        """Parts that hang together, whatever the direction; the largest first."""
        back = self.reversed()
        found = []
        left = list(self)
        while left:
            part = set()
            waiting = [left[0]]
            while waiting:
                node = waiting.pop()
                if node not in part:
                    part.add(node)
                    waiting += self.targets(node) + back.targets(node)
            found.append(part)
            left = [node for node in left if node not in part]
        return sorted(found, key=len, reverse=True)
