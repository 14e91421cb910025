"""A warehouse: goods come in batches, orders are filled from the oldest, prices are asked for meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


class OutOfStock(Exception):
    def __init__(self, item: str, missing: int) -> None:
        super().__init__(f"{missing} of {item} missing")
        self.item, self.missing = item, missing


@dataclass
class Batch:
    item: str
    n: int
    day: int
    price: int


class Stock:
    def __init__(self, batches: Iterable[Batch] = ()) -> None:
        self._batches = sorted(batches, key=lambda batch: batch.day)
        self._reserved: dict[str, int] = {}

    def receive(self, batch: Batch) -> None:
        if batch.n <= 0:
            raise ValueError("an empty batch")
        self._batches.append(batch)
        self._batches.sort(key=lambda batch: batch.day)

    def count(self, item: str) -> int:
        there = sum(batch.n for batch in self._batches if batch.item == item)
        return there - self._reserved.get(item, 0)

    def items(self) -> list[str]:
        return sorted({batch.item for batch in self._batches})

    def _of(self, item: str) -> Iterator[Batch]:
        return (batch for batch in self._batches if batch.item == item)

    def take(self, item: str, n: int) -> int:
        """What the goods cost, taken from the oldest batches."""
        if self.count(item) < n:
            raise OutOfStock(item, n - self.count(item))
        cost, left = 0, n
        for batch in self._of(item):
            used = min(batch.n, left)
            batch.n -= used
            left -= used
            cost += used * batch.price
            if left == 0:
                break
        self._batches = [batch for batch in self._batches if batch.n > 0]
        return cost

    @contextmanager
    def reserved(self, item: str, n: int) -> Iterator[None]:
        """Nobody else can take these meanwhile."""
        if self.count(item) < n:
            raise OutOfStock(item, n - self.count(item))
        self._reserved[item] = self._reserved.get(item, 0) + n
        try:
            yield
        finally:
            self._reserved[item] -= n

    def expired(self, today: int, days: int) -> Iterator[Batch]:
        for batch in self._batches:
            if today - batch.day > days:
                yield batch

    def value(self) -> dict[str, int]:
        worth: dict[str, int] = {}
        for batch in self._batches:
            worth[batch.item] = worth.get(batch.item, 0) + batch.n * batch.price
        return worth


def chunks(values: Iterable, size: int) -> Iterator[list]:
    """Lists of `size`, of which the last may be shorter."""
    chunk = []
    for value in values:
        chunk.append(value)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def merged(*series: Iterable) -> Iterator:
    """Sorted series as one."""
    iterators = [iter(one) for one in series]
    heads = []
    for n, iterator in enumerate(iterators):
        for value in iterator:
            heads.append((value, n))
            break
    while heads:
        value, n = min(heads)
        heads.remove((value, n))
        yield value
        for following in iterators[n]:
            heads.append((following, n))
            break


Quote = Callable[[str], Awaitable[int]]


async def cheapest(item: str, quotes: dict[str, Quote], seconds: float = 1.0) -> tuple[str, int]:
    """The seller with the lowest price; sellers that are too slow or fail do not count."""

    async def ask(seller: str) -> tuple[int, str] | None:
        try:
            return await asyncio.wait_for(quotes[seller](item), seconds), seller
        except (TimeoutError, ConnectionError):
            return None

    answers = await asyncio.gather(*(ask(seller) for seller in quotes))
    known = [answer for answer in answers if answer is not None]
    if not known:
        raise OutOfStock(item, 1)
    price, seller = min(known)
    return seller, price


async def restock(stock: Stock, arrivals: AsyncIterator[Batch], needed: dict[str, int]) -> list[str]:
    """Take in what arrives until there is enough of each; what is complete, in that order."""
    complete: list[str] = []
    async for batch in arrivals:
        stock.receive(batch)
        if batch.item not in complete and stock.count(batch.item) >= needed.get(batch.item, 0):
            complete.append(batch.item)
        if all(item in complete for item in needed):
            break
    return complete


class Limiter:
    """At most so many at once."""

    def __init__(self, most: int) -> None:
        self.running = 0
        self.peak = 0
        self._free = asyncio.Semaphore(most)

    async def run(self, work: Callable[[], Awaitable]) -> object:
        async with self._free:
            self.running += 1
            self.peak = max(self.peak, self.running)
            try:
                return await work()
            finally:
                self.running -= 1
