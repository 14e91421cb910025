"""Fixtures for all rooms of tests."""

from __future__ import annotations

import os
import random
import re
import sys
import venv
from pathlib import Path

import pytest
from hypothesis import settings

from boxes import BACKENDS, SEED, SOAK, Backend, Rig, environment_at
from neovim.nvim import VERSIONS
from untilgreen_sandbox.box import Interpreter

# A machine that does other things as well is slow; how long something takes is for the benchmark.
settings.register_profile("test", deadline=None)
settings.register_profile("soak", max_examples=2000, deadline=None)
settings.load_profile("soak" if SOAK else "test")
# Nobody's key is used here, and no service is asked: what a test needs of these it sets itself.
for name in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]:
    del os.environ[name]


WAITING = ("vscode", "watch", "neovim", "lsp")
"""Rooms whose tests wait more than they work, in long files: they begin first, and others fill the gaps."""
KINDS = "|".join((*BACKENDS, *map(re.escape, VERSIONS)))


def pytest_report_header() -> str:
    return f"seed: {SEED}" + (", the whole of it" if SOAK else "")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Cases that are dealt run on one backend or in one editor each, so that there is time for all."""
    rooms = {room: n for n, room in enumerate(WAITING)}
    items.sort(key=lambda item: rooms.get(item.path.parent.name, len(rooms)))
    if SOAK:
        return
    dealt: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("dealt"):
            dealt.setdefault(re.sub(KINDS, "", item.nodeid), []).append(item)
    keys = sorted(dealt)
    random.Random(f"{SEED} dealt").shuffle(keys)
    left_out = {
        item
        for n, key in enumerate(keys)
        for item in dealt[key]
        if item is not dealt[key][n % len(dealt[key])]
    }
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Backend:
    """Every test that asks for it runs on each backend."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def bare_environment(tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    """A Python with nothing installed, so that plugins of this machine cannot change what a test sees."""
    folder = tmp_path_factory.mktemp("python") / "environment"
    venv.create(folder, symlinks=True, with_pip=False)
    assert (folder / "bin/python").resolve() == Path(sys.executable).resolve()
    return environment_at(folder)


@pytest.fixture
def rig(backend: Backend, bare_environment: Interpreter, tmp_path: Path) -> Rig:
    """Opens boxes on one backend."""
    return Rig(backend, tmp_path / "project", bare_environment)


@pytest.fixture(scope="module")
def shared_rig(
    backend: Backend, bare_environment: Interpreter, tmp_path_factory: pytest.TempPathFactory
) -> Rig:
    """The same, for a box that a whole module uses."""
    return Rig(backend, tmp_path_factory.mktemp("shared") / "project", bare_environment)
