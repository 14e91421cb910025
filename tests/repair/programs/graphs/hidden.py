"""Random graphs."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from graphs import Graph

    for _ in range(120):
        n = chance.randint(1, 8)
        edges = [
            (chance.randrange(n), chance.randrange(n), chance.randint(0, 5))
            for _ in range(chance.randint(0, 2 * n))
        ]
        if chance.random() < 0.5:
            edges = [(one, other, weight) for one, other, weight in edges if one < other]
        graph = Graph(edges)
        for node in chance.sample(range(n), n):
            graph.add(node)
        yield told(list, graph)
        yield told(graph.sorted)
        yield told(lambda graph=graph: [sorted(part) for part in graph.components()])
        yield told(lambda graph=graph: {node: graph.reversed().targets(node) for node in graph})
        for start in range(n):
            yield told(graph.breadth_first, start)
            yield told(graph.depth_first, start)
            yield told(lambda graph=graph, start=start: sorted(graph.distances(start).items()))
            yield told(lambda graph=graph, start=start: sorted(graph.reversed().distances(start).items()))
            for goal in range(n):
                yield told(graph.shortest, start, goal)
    yield told(lambda: len(Graph([("a", 1, 5), ("a", None, 5), ("a", "b", 5)]).distances("a")))
    yield told(lambda: Graph([(1, 2, -1)]))
    yield told(lambda: Graph([(1, 2)]).distances(1))
