"""Three boxes for hostile code: both backends, and bubblewrap as a user without any rights."""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import pytest_asyncio

from boxes import HONEST, SEED, SOAK, Backend, Rig
from hostile.unprivileged import Unprivileged, opened
from untilgreen_sandbox.box import Box, Interpreter

# Long, and with protections switched off or another engine: only when asked for.
collect_ignore = [] if SOAK else ["test_switched_off.py", "test_newer_engine.py"]

NOT = SimpleNamespace(params={})


@pytest.fixture(scope="session", params=["cold", "forked"])
def rung(request: pytest.FixtureRequest) -> str:
    """Every test with a box runs in new processes, and in forks of a template."""
    return request.param  # type: ignore[no-any-return]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of those in forks a fifth, chosen by the seed; all of them when there is time."""
    if SOAK:
        return
    forked = [item for item in items if "forked" in getattr(item, "callspec", NOT).params.values()]
    chosen = set(random.Random(SEED).sample(forked, len(forked) // 5 + 1)) if forked else set()
    config.hook.pytest_deselected(items=[item for item in forked if item not in chosen])
    items[:] = [item for item in items if item not in forked or item in chosen]


@pytest.fixture
def rig(backend: Backend, rung: str, bare_environment: Interpreter, tmp_path: Path) -> Rig:
    return Rig(backend, tmp_path / "project", bare_environment, forked=rung == "forked")


@pytest.fixture(scope="module")
def shared_rig(
    backend: Backend, rung: str, bare_environment: Interpreter, tmp_path_factory: pytest.TempPathFactory
) -> Rig:
    folder = tmp_path_factory.mktemp("shared") / "project"
    return Rig(backend, folder, bare_environment, forked=rung == "forked")


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
def unprivileged(rung: str) -> Iterator[Unprivileged]:
    with opened(forked=rung == "forked") as run:
        yield run
