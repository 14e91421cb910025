"""Questions of the real server to a user who wants to be asked."""

from __future__ import annotations

import pytest

from neovim.conftest import BROKEN, FIXED, Story

pytestmark = pytest.mark.timeout(400)
STATUS = "require('untilgreen').status()"
ANSWER = """
ASKED = nil
vim.ui.select = function(items, options, chosen)
  ASKED = vim.tbl_map(options.format_item, items)
  for n, item in ipairs(items) do
    if options.format_item(item) == WANTED then
      return chosen(item, n)
    end
  end
end
WANTED = ...
"""


def test_an_answer_is_about_the_fix_that_was_asked_about(story: Story) -> None:
    nvim = story.nvim
    nvim.lua("require('untilgreen').setup({ questions = 'select' })")
    story.open(story.code, solver=story.script({"calc.py": FIXED}), apply="ask")
    nvim.lua(ANSWER, "Review")
    nvim.command("Untilgreen solve all")
    # The server is told of the answer, and names the fix.
    nvim.until("vim.api.nvim_buf_get_name(0):find('^untilgreen://.+/1/after/calc.py$')")
    nvim.until("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') .. '\\n' == ...", FIXED)
    assert nvim.lua("return ASKED") == ["Apply", "Review", "Discard"]
    nvim.keys("q")
    nvim.until(f"{STATUS} == 'untilgreen: a fix waits'")
    # Edited where the fix is: the user decides again, and does not want it.
    nvim.lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, { '    return a * b' })")
    nvim.lua(ANSWER, "Discard")
    nvim.command("Untilgreen apply")
    nvim.until("ASKED")
    assert nvim.lua("return ASKED") == ["Review", "Solve again"] and nvim.text() != FIXED
    nvim.command("Untilgreen discard")
    nvim.until(f"{STATUS} == ''")
    nvim.lua("require('untilgreen').setup({ questions = 'message' })")
    assert nvim.messages() == [] and story.code.read_text() == BROKEN
