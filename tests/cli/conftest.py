"""A project on disk with one failing test."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.terminal import BROKEN, TESTS, Terminal


@pytest.fixture
def terminal(tmp_path: Path, backend: str) -> Terminal:
    root = tmp_path / "my project"
    root.mkdir()
    (root / "calc.py").write_text(BROKEN)
    (root / "test_calc.py").write_text(TESTS)
    return Terminal(root, tmp_path / "state", backend)
