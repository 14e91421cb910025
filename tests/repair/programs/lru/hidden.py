"""Long series of calls with a clock that goes on by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from lru import Cache, cached

    now = [0.0]
    for _ in range(40):
        lifetime = chance.choice([None, 3, 8])
        cache = Cache(chance.randint(1, 4), lifetime, lambda: now[0])
        for _ in range(60):
            key = chance.choice("abcdef")
            now[0] += chance.choice([0, 0, 1, 2])
            deed = chance.choice(["get", "get", "put", "put", "pop", "pop default", "in", "purge", "resize"])
            if deed == "get":
                yield told(cache.get, key, chance.choice([None, "-"]))
            elif deed == "put":
                yield told(cache.put, key, chance.choice([None, 0, 1, 2]))
            elif deed == "pop":
                yield told(cache.pop, key)
            elif deed == "pop default":
                yield told(cache.pop, key, "-")
            elif deed == "in":
                yield told(lambda cache=cache, key=key: key in cache)
            elif deed == "purge":
                yield told(cache.purge)
            elif chance.random() < 0.3:
                yield told(cache.resize, chance.randint(1, 4))
            yield told(lambda cache=cache: [list(cache), len(cache), cache.statistics, cache.statistics.rate])
    yield told(Cache, 0)
    calls: list[object] = []

    @cached(3)
    def remembered(*args: object, **named: object) -> object:
        calls.append((args, sorted(named.items())))
        return len(calls) if chance.random() < 0.7 else None

    for _ in range(200):
        n = chance.randint(0, 4)
        yield told(chance.choice([lambda n=n: remembered(n), lambda n=n: remembered(a=n, b=1)]))
        yield told(lambda: remembered(b=1, a=2))
    yield told(lambda: [calls, remembered.__name__])
