"""Two windows side by side, whatever the user does to tabs and windows meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from neovim.nvim import Neovim

PLACE = "return { vim.fn.tabpagenr(), vim.fn.tabpagenr('$'), vim.fn.winnr(), vim.fn.expand('%:t') }"
FLOAT = {"relative": "editor", "row": 1, "col": 1, "width": 5, "height": 1}
COLUMNS = "return { vim.fn.win_screenpos(OPEN.before)[2] < vim.fn.win_screenpos(OPEN.after)[2] }"


@pytest.fixture
def nvim(shared: Callable[[str], Neovim], version: str, tmp_path: Path) -> Iterator[Neovim]:
    """The user is in the second window of the first of two tabs."""
    nvim = shared(version)
    nvim.command("silent! tabonly | silent! only | silent! %bwipeout! | messages clear")
    nvim.lua("SIDES = require('untilgreen.sides')")
    nvim.edit(tmp_path / "one.txt")
    nvim.command("split | wincmd j | tabnew | tabprevious")
    nvim.lua("OPEN = SIDES.open()")
    yield nvim
    assert nvim.messages() == []


def test_closing_leads_back_to_where_the_user_was(nvim: Neovim) -> None:
    assert nvim.lua(PLACE)[:3] == [2, 3, 2] and nvim.lua(COLUMNS) == [True]
    nvim.lua("SIDES.close(OPEN)")
    assert nvim.lua(PLACE) == [1, 2, 2, "one.txt"]
    nvim.lua("SIDES.close(OPEN)")
    assert nvim.lua(PLACE) == [1, 2, 2, "one.txt"]


def test_who_is_elsewhere_stays_there(nvim: Neovim) -> None:
    nvim.command("tablast")
    nvim.lua("SIDES.close(OPEN)")
    assert nvim.lua(PLACE) == [2, 2, 1, ""]


def test_the_window_may_be_gone_and_the_tab_still_there(nvim: Neovim) -> None:
    nvim.lua("vim.api.nvim_win_close(OPEN.home.window, true)")
    nvim.lua("SIDES.close(OPEN)")
    assert nvim.lua(PLACE) == [1, 2, 1, "one.txt"]


def test_the_last_tab_is_left_for_the_text_that_was_open(nvim: Neovim) -> None:
    nvim.command("tabonly")
    nvim.lua("vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, ...)", FLOAT)
    nvim.lua("SIDES.close(OPEN)")
    assert nvim.lua(PLACE) == [1, 1, 1, "one.txt"]
    assert nvim.lua("return { vim.wo.diff, vim.wo.winbar, #vim.api.nvim_list_wins() }") == [False, "", 1]


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_window_that_was_closed_is_made_again(nvim: Neovim, side: str) -> None:
    nvim.lua("vim.api.nvim_win_close(OPEN[...], true)", side)
    nvim.command("tabfirst")
    assert nvim.lua("return SIDES.compare(OPEN)") is False
    assert nvim.lua("return SIDES.enter(OPEN)") is True
    assert nvim.lua(PLACE)[:3] == [2, 3, 2] and nvim.lua(COLUMNS) == [True]
    assert nvim.lua("return { SIDES.compare(OPEN), vim.wo[OPEN.before].diff }") == [True, True]
    nvim.lua("SIDES.close(OPEN)")
    assert nvim.lua(PLACE) == [1, 2, 2, "one.txt"]


def test_windows_of_the_user_in_the_same_tab_stay(nvim: Neovim, tmp_path: Path) -> None:
    nvim.command(f"split {tmp_path}/two.txt")
    nvim.lua("vim.api.nvim_set_current_win(OPEN.before); SIDES.close(OPEN)")
    assert nvim.lua(PLACE) == [1, 3, 2, "one.txt"]
    nvim.command("tabnext")
    assert nvim.lua(PLACE) == [2, 3, 1, "two.txt"]


def test_there_may_be_nothing_left_to_enter(nvim: Neovim) -> None:
    nvim.command("tabclose")
    assert nvim.lua("return SIDES.enter(OPEN)") is False
    nvim.lua("SIDES.close(OPEN)")
    assert nvim.lua("return vim.fn.tabpagenr('$')") == 2
