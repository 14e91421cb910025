import asyncio

import pytest
import pytest_asyncio
from hypothesis import settings

settings.register_profile("here", deadline=None, max_examples=40, database=None)
settings.load_profile("here")


class Wire:
    def __init__(self):
        self.seen = []

    async def send(self, address, text):
        await asyncio.sleep(0)
        if text == "bad":
            raise ConnectionResetError("gone")
        self.seen.append(address)


@pytest.fixture
def wire():
    return Wire()


@pytest_asyncio.fixture
async def outbox(wire):
    from mail.outbox import Outbox

    outbox = Outbox(wire.send)
    yield outbox
    assert len(outbox.sent) == len(wire.seen)
