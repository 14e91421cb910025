import asyncio

import pytest
from mail.outbox import retried


async def test_sent(outbox):
    assert await outbox.put("a@X.y", "hello")
    assert outbox.sent == [("x.y", "hello")]


async def test_failed(outbox):
    assert not await outbox.put("a@x", "bad")
    assert outbox.failed == {"a@x": "gone"}


async def test_all(outbox, wire):
    assert await outbox.put_all([("a@x", "1"), ("b@x", "bad"), ("c@x", "2")]) == 2
    assert wire.seen == ["a@x", "c@x"]


async def test_not_an_address(outbox):
    with pytest.raises(ValueError):
        await outbox.put("nobody", "x")


async def test_retried():
    async def action(n):
        if n < 2:
            raise ConnectionError(n)
        return n

    assert await retried(action, 3) == 2
    with pytest.raises(ConnectionError):
        await retried(action, 2)


async def test_own_loop():
    assert asyncio.get_running_loop().time() > 0


def test_without_a_loop():
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"
