"""The whole story on a real screen: a failing test, a key, a diff, a fix. And a picture of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from boxes import eventually
from neovim.conftest import BROKEN, FIXED, project
from neovim.nvim import environment, install
from neovim.screen import screen

pytestmark = pytest.mark.timeout(400)
CONFIGURATION = """
vim.g.untilgreen = { settings = { apply = "ask" } }
vim.o.termguicolors = true
vim.o.background = "dark"
vim.o.number = true
vim.diagnostic.config({ virtual_text = true })
vim.keymap.set("n", "<Space>s", "<Plug>(untilgreen-solve)")
"""
STATUSLINE = """
vim.o.statusline = '%f %m %= %{v:lua.require("untilgreen").status()}'
"""


def test_a_save_is_mended_on_the_screen(version: str, tmp_path: Path) -> None:
    install(tmp_path, CONFIGURATION + STATUSLINE)
    root = project(tmp_path / "work")
    (root / "calc.py").write_text(FIXED)
    with screen(version, environment(tmp_path), root, "calc.py") as shown:
        shown.until("def add(a, b):")
        shown.say("Untilgreen watch fix")
        shown.until("watching (fix)")
        shown.type("2", "G", "f", "+", "r", "-")
        shown.say("silent write")
        shown.until("return a - b", "watching (fix)")
        shown.keep()
        shown.until("return a + b", "Fixed calc.py", ":Untilgreen undo", "watching (fix)", without="(fix) ·")
        shown.keep()
        if (target := os.environ.get("UNTILGREEN_SHOTS")) and version == "0.12":
            shown.draw(Path(target) / "neovim-watch.svg", "Neovim: a bug is saved, and mended")
        assert (root / "calc.py").read_text() == FIXED
        shown.type("u")
        shown.until("return a - b")


def test_a_key_solves_a_test_on_the_screen(version: str, tmp_path: Path) -> None:
    install(tmp_path, CONFIGURATION)
    root = project(tmp_path / "work")
    with screen(version, environment(tmp_path), root, "test_calc.py") as shown:
        # The lens comes from the server.
        shown.until("def test_add():", "Solve until green")
        shown.type("6", "G", "Space", "s")
        shown.until("Solve until green: test_add")
        shown.until("assert total == 3", "AssertionError", "attempt 1 of")
        shown.keep()
        # Typing goes on meanwhile.
        shown.type("i")
        shown.until("-- INSERT --")
        shown.type("Escape")
        shown.until("1 failing test passes now", ":Untilgreen apply|review|discard")
        shown.say("Untilgreen review")
        shown.until("return a - b", "return a + b", "after · a apply · d discard · ? help")
        shown.keep()
        if (target := os.environ.get("UNTILGREEN_SHOTS")) and version == "0.12":
            shown.draw(Path(target) / "neovim.svg", "Neovim: a job, and the fix that it found")
        shown.type("a")
        shown.until("1 failing test passes now", "def test_add():", without="AssertionError")
        shown.say("edit calc.py")
        shown.until("return a + b")
        assert (root / "calc.py").read_text() == FIXED
        shown.type("u")
        shown.until("return a - b")
        shown.say("write | quitall")
        eventually(lambda: (root / "calc.py").read_text() == BROKEN)
