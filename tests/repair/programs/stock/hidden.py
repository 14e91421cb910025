"""Random goods, sellers and arrivals."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from typing import Any

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from stock import Batch, Limiter, Stock, cheapest, chunks, merged, restock

    def batch() -> Any:
        return Batch(chance.choice("abc"), chance.randint(1, 9), chance.randint(0, 20), chance.randint(1, 30))

    for _ in range(80):
        stock = Stock(batch() for _ in range(chance.randint(0, 8)))
        for _ in range(15):
            item, n, deed = chance.choice("abcd"), chance.randint(0, 9), chance.randrange(5)
            if deed == 0:
                yield told(stock.receive, batch())
            elif deed < 3:
                yield told(stock.take, item, n)
            elif deed == 3:

                def inside(stock: Any = stock, item: str = item, n: int = n) -> list[int]:
                    with stock.reserved(item, n), stock.reserved(item, n // 2):
                        return [stock.count(item), stock.take(item, 1)]

                yield told(inside)
            else:
                yield told(stock.expired, chance.randint(0, 30), chance.randint(0, 9))
            yield told(lambda stock=stock: [stock.items(), sorted(stock.value().items())])
            yield told(lambda stock=stock: [stock.count(item) for item in "abcd"])
        needed = {item: chance.randint(0, 12) for item in chance.sample("abc", chance.randint(1, 3))}
        arrivals = [batch() for _ in range(6)]

        async def arriving(arrivals: list[Any] = arrivals) -> AsyncIterator[Any]:
            for one in arrivals:
                yield one

        yield told(lambda s=stock, a=arriving, needed=needed: asyncio.run(restock(s, a(), needed)))
        yield told(lambda stock=stock: sorted(stock.value().items()))
    yield told(lambda: Stock().receive(Batch("a", 0, 0, 0)))
    for _ in range(100):
        yield told(chunks, range(chance.randint(0, 9)), chance.randint(1, 4))
        series = [
            sorted(chance.choices(range(9), k=chance.randint(0, 4))) for _ in range(chance.randint(0, 4))
        ]
        yield told(merged, *series)
    for _ in range(20):
        quotes = {}
        for name in chance.sample("abcde", chance.randint(0, 4)):
            how = chance.choice(["price", "price", "gone", "slow", "wrong"])

            async def quote(item: str, how: str = how, price: int = chance.randint(1, 9)) -> int:
                if how == "slow":
                    await asyncio.sleep(5)
                if how == "gone":
                    raise ConnectionError
                if how == "wrong" and price > 7:
                    raise LookupError
                return price

            quotes[name] = quote
        yield told(lambda quotes=quotes: asyncio.run(cheapest("x", quotes, 0.02)))

    async def limited(most: int, n: int) -> list[object]:
        limiter = Limiter(most)

        async def work() -> int:
            await asyncio.sleep(0)
            return 1

        results = await asyncio.gather(*(limiter.run(work) for _ in range(n)))
        return [limiter.peak, limiter.running, results]

    for most in (1, 2, 3):
        yield told(lambda most=most: asyncio.run(limited(most, 4)))
