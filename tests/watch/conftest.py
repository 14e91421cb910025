"""Projects that somebody works in: files, a watcher, a sandbox and a solver, all of them real."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lsp.editor import Editor
from lsp.starting import environment, started
from untilgreen.lsp.folders import uri_of
from watch.project import CALC, GOOD, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """All its tests are green."""
    project = Project(tmp_path / "my work", tmp_path / "state")
    project.write(GOOD)
    return project


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """A server that the tests of a file share."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "nothing").mkdir()
    settings = environment(folder / "state", sandbox="bubblewrap", solver="offline")
    async with started(folder / "nothing", "visual_studio_code", settings) as editor:
        yield editor


@pytest_asyncio.fixture(loop_scope="module")
async def editor(server: Editor, project: Project) -> AsyncIterator[Editor]:
    """The project is open, and its fix is known; in the end watch mode is off."""
    await server.begin(project.root, solver=project.propose({"calc.py": CALC}))
    yield server
    off = await server.run("untilgreen.watch", uri=uri_of(project.root), mode="off")
    assert off == {"mode": "off"}
    await server.run("untilgreen.stop")
