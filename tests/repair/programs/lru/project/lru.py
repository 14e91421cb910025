"""A cache that forgets what was not used for the longest time, and what is too old."""

from __future__ import annotations

import functools
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

_MISSING = object()


@dataclass
class Statistics:
    hits: int = 0
    misses: int = 0
    evicted: int = 0

    @property
    def rate(self) -> float:
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class Cache:
    def __init__(
        self,
        capacity: int,
        lifetime: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if capacity < 1:
            raise ValueError("a cache needs room for one")
        self.capacity = capacity
        self.lifetime = lifetime
        self.statistics = Statistics()
        self._clock = clock
        self._items: OrderedDict[Hashable, tuple[Any, float]] = OrderedDict()

    def get(self, key: Hashable, default: Any = None) -> Any:
        found = self._items.get(key)
        if found is not None and self._is_old(found[1]):
            del self._items[key]
            found = None
        if found is None:
            self.statistics.misses += 1
            return default
        self._items.move_to_end(key)
        self.statistics.hits += 1
        return found[0]

    def put(self, key: Hashable, value: Any) -> None:
        self._items[key] = (value, self._clock())
        self._items.move_to_end(key)
        while len(self._items) > self.capacity:
            self._items.popitem(last=False)
            self.statistics.evicted += 1

    def _is_old(self, since: float) -> bool:
        return self.lifetime is not None and self._clock() - since >= self.lifetime

    def purge(self) -> int:
        """Forget all that is too old; how many there were."""
        old = [key for key, (_, since) in self._items.items() if self._is_old(since)]
        for key in old:
            del self._items[key]
        return len(old)

    def pop(self, key: Hashable, default: Any = _MISSING) -> Any:
        if key not in self:
            if default is _MISSING:
                raise KeyError(key)
            return default
        value, _ = self._items.pop(key)
        return value

    def resize(self, capacity: int) -> None:
        self.capacity = capacity
        while len(self._items) > capacity:
            self._items.popitem(last=False)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._items and not self._is_old(self._items[key][1])

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Hashable]:
        """The keys, the one used last first."""
        return reversed(self._items)


def cached(capacity: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that remembers results by the arguments."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        cache = Cache(capacity)

        @functools.wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            key = (args, tuple(sorted(named.items())))
            value = cache.get(key, _MISSING)
            if value is _MISSING:
                value = function(*args, **named)
                cache.put(key, value)
            return value

        call.cache = cache  # type: ignore[attr-defined]
        return call

    return decorate
