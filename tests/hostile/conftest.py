"""Three boxes for hostile code: both backends, and bubblewrap as a user without any rights."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from boxes import HONEST, Rig
from hostile.unprivileged import Unprivileged, opened
from untilgreen_sandbox.box import Box

# Long, and with protections switched off or another engine: only when asked for.
collect_ignore = [] if os.environ.get("UNTILGREEN_SOAK") else ["test_switched_off.py", "test_newer_engine.py"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def box(shared_rig: Rig) -> AsyncIterator[Box]:
    async with shared_rig.box(HONEST) as box:
        yield box


@pytest.fixture(scope="session", autouse=True)
def secret() -> Iterator[None]:
    """Something that the boxes must not show."""
    os.environ["UNTILGREEN_FAKE_SECRET"] = "not a real one"
    yield
    del os.environ["UNTILGREEN_FAKE_SECRET"]


@pytest.fixture(scope="session")
def unprivileged() -> Iterator[Unprivileged]:
    with opened() as run:
        yield run
