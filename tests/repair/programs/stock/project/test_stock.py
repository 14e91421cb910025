import asyncio
import unittest

import pytest
from stock import Batch, Limiter, OutOfStock, Stock, cheapest, chunks, merged, restock


@pytest.fixture
def stock():
    return Stock([Batch("nut", 10, day=3, price=5), Batch("nut", 4, day=1, price=2), Batch("oil", 2, 2, 90)])


class TestCounting:
    def test_count(self, stock):
        assert (stock.count("nut"), stock.count("oil"), stock.count("tin")) == (14, 2, 0)

    def test_items(self, stock):
        assert stock.items() == ["nut", "oil"]

    def test_value(self, stock):
        assert stock.value() == {"nut": 58, "oil": 180}

    def test_receive(self, stock):
        stock.receive(Batch("oil", 1, 0, 50))
        assert stock.take("oil", 1) == 50

    @pytest.mark.parametrize("n", [0, -1])
    def test_an_empty_batch(self, stock, n):
        with pytest.raises(ValueError):
            stock.receive(Batch("oil", n, 0, 50))

    def test_expired(self, stock):
        assert [batch.day for batch in stock.expired(today=10, days=7)] == [1, 2]


class TestTaking:
    def test_the_oldest_first(self, stock):
        assert stock.take("nut", 6) == 4 * 2 + 2 * 5
        assert stock.count("nut") == 8

    def test_a_part_of_a_batch(self, stock):
        assert stock.take("nut", 3) == 6
        assert stock.take("nut", 3) == 2 + 10

    def test_all(self, stock):
        stock.take("oil", 2)
        assert stock.items() == ["nut"]

    def test_too_much(self, stock):
        with pytest.raises(OutOfStock, match="3 of oil missing") as caught:
            stock.take("oil", 5)
        assert (caught.value.item, caught.value.missing) == ("oil", 3)
        assert stock.count("oil") == 2


class TestReserving:
    def test_nobody_else(self, stock):
        with stock.reserved("oil", 2):
            assert stock.count("oil") == 0
            with pytest.raises(OutOfStock):
                stock.take("oil", 1)
        assert stock.take("oil", 1) == 90

    def test_several(self, stock):
        with stock.reserved("nut", 4), stock.reserved("nut", 5):
            assert stock.count("nut") == 5
        assert stock.count("nut") == 14

    def test_given_back_after_an_error(self, stock):
        with pytest.raises(RuntimeError), stock.reserved("oil", 1):
            raise RuntimeError
        assert stock.count("oil") == 2

    def test_too_much(self, stock):
        with pytest.raises(OutOfStock), stock.reserved("oil", 3):
            pass


@pytest.mark.parametrize(
    ("n", "size", "expected"),
    [(0, 2, []), (4, 2, [[0, 1], [2, 3]]), (5, 2, [[0, 1], [2, 3], [4]]), (2, 5, [[0, 1]])],
)
def test_chunks(n, size, expected):
    assert list(chunks(range(n), size)) == expected


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ((), []),
        (([1, 4], [2, 3]), [1, 2, 3, 4]),
        (([], [1], [0, 5]), [0, 1, 5]),
        (([1, 1], [1]), [1, 1, 1]),
    ],
)
def test_merged(series, expected):
    assert list(merged(*series)) == expected


def seller(price, delay=0.0):
    async def quote(item):
        await asyncio.sleep(delay)
        if price is None:
            raise ConnectionError
        return price

    return quote


class TestAsking(unittest.IsolatedAsyncioTestCase):
    async def test_the_lowest(self):
        self.assertEqual(await cheapest("nut", {"a": seller(5), "b": seller(3), "c": seller(9)}), ("b", 3))

    async def test_slow_and_broken_ones_do_not_count(self):
        quotes = {"slow": seller(1, delay=5), "broken": seller(None), "fine": seller(7)}
        self.assertEqual(await cheapest("nut", quotes, seconds=0.02), ("fine", 7))

    async def test_nobody(self):
        with self.assertRaises(OutOfStock):
            await cheapest("nut", {"broken": seller(None)})

    async def test_other_errors_are_told(self):
        async def wrong(item):
            raise LookupError(item)

        with self.assertRaises(LookupError):
            await cheapest("nut", {"a": wrong, "b": seller(1)})


async def arriving(*batches):
    for batch in batches:
        await asyncio.sleep(0)
        yield batch


def test_restock(stock):
    batches = [Batch("tin", 2, 5, 1), Batch("oil", 1, 5, 1), Batch("tin", 2, 6, 1), Batch("nut", 9, 9, 9)]
    complete = asyncio.run(restock(stock, arriving(*batches), {"tin": 4, "oil": 3}))
    assert complete == ["oil", "tin"]
    assert (stock.count("tin"), stock.count("nut")) == (4, 14)


def test_restock_with_too_little(stock):
    assert asyncio.run(restock(stock, arriving(Batch("tin", 1, 5, 1)), {"tin": 4})) == []


def test_what_is_not_needed_is_complete_at_once(stock):
    batches = [Batch("can", 1, 5, 1), Batch("can", 1, 5, 1)]
    assert asyncio.run(restock(stock, arriving(*batches), {"tin": 4})) == ["can"]


def test_limiter():
    async def several():
        limiter = Limiter(2)

        async def work():
            await asyncio.sleep(0)
            return limiter.running

        results = await asyncio.gather(*(limiter.run(work) for _ in range(5)))
        return limiter, results

    limiter, results = asyncio.run(several())
    assert (limiter.peak, limiter.running) == (2, 0)
    assert max(results) == 2


def test_limiter_after_an_error():
    async def once():
        limiter = Limiter(1)

        async def work():
            raise RuntimeError

        with pytest.raises(RuntimeError):
            await limiter.run(work)
        return limiter.running

    assert asyncio.run(once()) == 0
