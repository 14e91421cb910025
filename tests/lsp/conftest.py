"""A workspace with two failing tests, and servers for it that speak over real stdio.

Servers are shared by the tests of a file: each test has a folder of its own in them. Which editor and which
sandbox a test sees is sampled; the whole of it is for the long run.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from boxes import BACKENDS, SEED, Backend
from lsp.editor import Editor, Manners
from lsp.starting import environment, started

BROKEN = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a + b\n"
FIXED = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
TESTS = """\
from calc import add, sub


def test_add():
    total = add(1, 2)
    assert total == 3


def test_sub():
    assert sub(3, 2) == 1
"""
EDITORS: tuple[Manners, ...] = ("neovim", "visual_studio_code", "minimal")
TAKING_EDITS = EDITORS[:2]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Which editor talks to a server, and where its tests run."""

    manners: Manners
    backend: Backend

    def __str__(self) -> str:
        return f"{self.backend}-{self.manners}"


ALL = tuple(Surroundings(manners, backend) for backend in BACKENDS for manners in EDITORS)
NEEDS_EDITS = "needs_edits"


def pytest_configure(config: pytest.Config) -> None:
    told = "for editors that take edits and answer questions; the others have a test of their own"
    config.addinivalue_line("markers", f"{NEEDS_EDITS}: {told}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    name, whole = metafunc.function.__name__, bool(os.environ.get("UNTILGREEN_SOAK"))
    if "surroundings" in metafunc.fixturenames:
        all_editors = metafunc.definition.get_closest_marker(NEEDS_EDITS) is None
        known = [one for one in ALL if all_editors or one.manners in TAKING_EDITS]
        metafunc.parametrize(
            "surroundings", known if whole else sampled(name, all_editors=all_editors), ids=str
        )
    if "manners" in metafunc.fixturenames:
        chosen = EDITORS if whole else [random.Random(f"{SEED} {name}").choice(EDITORS)]
        metafunc.parametrize("manners", chosen)


def sampled(name: str, *, all_editors: bool) -> list[Surroundings]:
    """One of the editors, in bubblewrap; one test in five sees Docker, too, and three in ten an editor that
    supports nothing optional."""
    chance = random.Random(f"{SEED} {name}")
    chosen = [Surroundings(chance.choice(TAKING_EDITS), "bubblewrap")]
    if chance.random() < 0.2:
        chosen.append(Surroundings(chance.choice(TAKING_EDITS), "docker"))
    if all_editors and chance.random() < 0.3:
        chosen.append(Surroundings("minimal", "bubblewrap"))
    return chosen


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two tests fail, and the scripted solver beside the workspace knows the fix."""
    root = tmp_path / "work space"
    root.mkdir()
    (root / "calc.py").write_text(BROKEN)
    (root / "test_calc.py").write_text(TESTS)
    script(root, {"calc.py": FIXED})
    return root


def script(root: Path, files: Mapping[str, str | None], name: str = "scripted", **more: object) -> None:
    """What the scripted solver will propose."""
    proposal = {"hypothesis": "the signs are swapped", "files": dict(files), **more}
    (root.parent / "script.json").write_text(json.dumps({"name": name, "proposals": [proposal]}))


def scripted(root: Path) -> str:
    return f"scripted:{root.parent / 'script.json'}"


def slow(seconds: float) -> str:
    """The tests, and one more that takes its time."""
    return f"{TESTS}\n\ndef test_slow():\n    import time\n\n    time.sleep({seconds})\n"


Share = Callable[[Surroundings], Awaitable[Editor]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Share]:
    """Servers that the tests of a file share, started when they are first needed."""
    running: dict[Surroundings, Editor] = {}
    async with AsyncExitStack() as stack:

        async def share(wanted: Surroundings) -> Editor:
            if wanted not in running:
                folder = tmp_path_factory.mktemp("server")
                (folder / "nothing").mkdir()
                settings = environment(folder / "state", sandbox=wanted.backend)
                # What supports nothing optional cannot change its folders: each test's files are without one.
                folders = [] if wanted.manners == "minimal" else None
                server = started(folder / "nothing", wanted.manners, settings, folders=folders)
                running[wanted] = await stack.enter_async_context(server)
            return running[wanted]

        yield share


@pytest_asyncio.fixture(loop_scope="module")
async def editor(servers: Share, surroundings: Surroundings, project: Path) -> AsyncIterator[Editor]:
    """An editor with the project open."""
    editor = await servers(surroundings)
    await editor.begin(project, solver=scripted(project), apply="auto")
    yield editor
    await editor.run("untilgreen.stop")
