"""A workspace with two failing tests, and a server for it that speaks over real stdio."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from lsp.editor import Editor, Manners, started

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


@pytest.fixture(params=["neovim", "visual_studio_code"])
def manners(request: pytest.FixtureRequest) -> Manners:
    name: Manners = request.param
    return name


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two tests fail, and the scripted solver beside the workspace knows the fix."""
    root = tmp_path / "work space"
    root.mkdir()
    (root / "calc.py").write_text(BROKEN)
    (root / "test_calc.py").write_text(TESTS)
    script(root, {"calc.py": FIXED})
    return root


def script(root: Path, files: Mapping[str, str | None]) -> None:
    """What the scripted solver will propose."""
    proposal = {"hypothesis": "the signs are swapped", "files": dict(files)}
    (root.parent / "script.json").write_text(json.dumps({"proposals": [proposal]}))


def slow(seconds: int) -> str:
    """The tests, and one more that takes its time."""
    return f"{TESTS}\n\ndef test_slow():\n    import time\n\n    time.sleep({seconds})\n"


def environment(root: Path, **settings: str) -> dict[str, str]:
    """The settings of a server under test; nothing of the user's own."""
    own = {
        "UNTILGREEN_SOLVER": f"scripted:{root.parent / 'script.json'}",
        "UNTILGREEN_STATE": str(root.parent / "state"),
        "UNTILGREEN_CONFIG": os.devnull,
    }
    return dict(os.environ) | own | {f"UNTILGREEN_{name.upper()}": value for name, value in settings.items()}


def server_command() -> list[str]:
    return [sys.executable, "-m", "untilgreen", "serve"]


@pytest.fixture
async def editor(project: Path, manners: Manners, backend: str) -> AsyncIterator[Editor]:
    async with started(server_command(), project, manners, environment(project, sandbox=backend)) as editor:
        yield editor
