"""One box per module and backend: tests lay their files over its tree, which is honest and small."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from boxes import HONEST, Rig
from untilgreen_sandbox.box import Box


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def box(shared_rig: Rig) -> AsyncIterator[Box]:
    async with shared_rig.box(HONEST) as box:
        yield box
