"""Random numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    import stats

    for _ in range(200):
        n = chance.randint(0, 7)
        values = [chance.choice([chance.randint(-5, 5), chance.uniform(-9, 9)]) for _ in range(n)]
        others = [chance.randint(-5, 5) for _ in range(n if chance.random() < 0.8 else 3)]
        for function in (stats.mean, stats.median, stats.modes, stats.variance, stats.deviation):
            yield told(function, values)
            yield told(function, others)
        yield told(stats.variance, values, False)
        yield told(stats.percentile, values, chance.choice([0, 100, 50, -3, 103, chance.uniform(0, 100)]))
        yield told(stats.fit, values, others)
        yield told(stats.histogram, values, chance.randint(1, 6))
        yield told(stats.moving, values, chance.randint(1, 5))
        yield told(list, values)
        size = chance.randint(0, 4)
        rows = [
            [chance.randint(-4, 4) for _ in range(size)] for _ in range(size if chance.random() < 0.8 else 2)
        ]
        matrix = stats.Matrix(rows)
        yield told(lambda matrix=matrix: [matrix.shape, matrix.transposed().rows])
        yield told(matrix.determinant)
        yield told(lambda matrix=matrix: (matrix**3).rows)
        yield told(lambda matrix=matrix: (matrix @ matrix.transposed()).rows)
        yield told(lambda matrix=matrix: (matrix @ stats.Matrix([[1, 2], [3, 4]])).rows)
        yield told(lambda matrix=matrix: [matrix.rows, matrix == matrix.transposed(), matrix == 1])
    yield told(stats.Matrix, [[1], [1, 2]])
    yield told(lambda: stats.Matrix.identity(3).rows)
