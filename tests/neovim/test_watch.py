"""Watch mode from Neovim: switched by a command, told in the status, and a save is enough."""

from __future__ import annotations

import pytest

from neovim.conftest import BROKEN, FIXED, Story

pytestmark = pytest.mark.timeout(400)
STATUS = "require('untilgreen').status()"


def test_a_save_is_enough_while_a_folder_is_watched(story: Story) -> None:
    nvim = story.nvim
    story.code.write_text(FIXED)
    story.open(story.code, apply="ask")
    nvim.command("Untilgreen watch")
    story.until_said("not watching")
    nvim.command("Untilgreen watch fix")
    story.until_said("watching (fix)")
    nvim.until(f"{STATUS}:find('watching (fix)', 1, true)")
    nvim.command("Untilgreen watch")
    story.until_said("watching (fix)")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, { '    return a - b' })")
    nvim.command("silent write")
    assert story.code.read_text() == BROKEN
    story.until_saved(story.code, FIXED)
    assert nvim.text(story.code) == FIXED
    nvim.until(f"{STATUS}:find('watching (fix)', 1, true)")
    nvim.command("Untilgreen undo")
    story.until_saved(story.code, BROKEN)
    # What was taken back is not written again: that would be a fight.
    nvim.lua("vim.api.nvim_buf_set_lines(0, 2, 2, false, { '# mine' })")
    nvim.command("silent write")
    nvim.until("#vim.diagnostic.get() > 0 and vim.fn.execute('messages'):find('You took this fix', 1, true)")
    assert story.code.read_text() == BROKEN + "# mine\n"
    story.code.write_text(FIXED)
    nvim.command("silent edit!")
    nvim.command("messages clear")
    nvim.command("Untilgreen watch off")
    story.until_said("not watching")
    nvim.until(f"{STATUS} == ''")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, { '    return a - b' })")
    nvim.command("silent write")
    # Whatever began because of that save would be seen by now.
    nvim.command("Untilgreen test")
    nvim.until("#vim.diagnostic.get() > 0")
    assert story.code.read_text() == BROKEN
