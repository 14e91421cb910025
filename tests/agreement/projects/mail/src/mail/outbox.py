"""Sends what is put into it, some at a time."""

import asyncio

from mail.address import split


class Outbox:
    def __init__(self, send, at_once=2):
        self.send = send
        self.free = asyncio.Semaphore(at_once)
        self.sent = []
        self.failed = {}

    async def put(self, address, text):
        _, host = split(address)
        async with self.free:
            try:
                await asyncio.wait_for(self.send(address, text), 1.0)
            except OSError as error:
                self.failed[address] = str(error)
                return False
        self.sent.append((host, text))
        return True

    async def put_all(self, messages):
        results = await asyncio.gather(*(self.put(address, text) for address, text in messages))
        return sum(results)


async def retried(action, times):
    for n in range(times):
        try:
            return await action(n)
        except ConnectionError:
            if n + 1 >= times:
                raise
            await asyncio.sleep(0)
    return None
