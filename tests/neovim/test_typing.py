"""What is typed counts: before it is saved, and while a job runs. And a job can be stopped from anywhere."""

from __future__ import annotations

import pytest

from neovim.conftest import BROKEN, FIXED, TESTS, Story

ON_DISK = "def add(a, b):\n    return a * b\n"
FLOATS = """vim.tbl_filter(function(window)
  return vim.api.nvim_win_get_config(window).relative ~= ""
end, vim.api.nvim_list_wins())"""
TYPED_MEANWHILE = """
local wanted, mine = ...
vim.ui.select = function(items, options, chosen)
  for n, item in ipairs(items) do
    if options.format_item(item):find(wanted, 1, true) then
      vim.api.nvim_buf_set_lines(0, 0, 0, false, { mine })
      return chosen(item, n)
    end
  end
end
vim.lsp.buf.code_action()
"""
REST = "\n\ndef first(items):\n    return items[0]\n"
NUMBERS = "import sys\n\nLIMIT = sys.maxsize\nFACTOR = {}\n"
MINE = "\n\n# Mine.\n"

# Several jobs, on a machine that may be busy.
pytestmark = pytest.mark.timeout(400)


def test_unsaved_text_is_tested_and_typing_meanwhile_stays(story: Story) -> None:
    nvim = story.nvim
    story.code.write_text(ON_DISK + REST)
    solver = story.script({"calc.py": FIXED + REST}, delay=2.0)
    story.open(story.code, solver=solver, apply="auto")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, { '    return a - b' })")
    nvim.command("Untilgreen solve all")
    nvim.until("#vim.diagnostic.get(vim.fn.bufadd(...)) > 0", str(story.tests))
    [told] = nvim.lua("return vim.diagnostic.get(vim.fn.bufadd(...))", str(story.tests))
    assert "assert -1 == 3" in told["message"] and "unsaved changes in calc.py" in told["message"]
    assert nvim.text() == BROKEN + REST
    nvim.keys("Go<CR><CR># Mine.<Esc>")
    nvim.until("vim.fn.getline(2) == '    return a + b'")
    assert nvim.text() == FIXED + REST + MINE
    story.until_said("1 failing test passes now")
    # What was not saved before is not saved now.
    assert story.code.read_text() == ON_DISK + REST and nvim.lua("return vim.bo.modified")
    nvim.command("silent undo")
    assert nvim.text() == BROKEN + REST + MINE
    assert nvim.messages() == []


def test_what_is_typed_in_any_file_while_a_menu_is_open_stays(story: Story) -> None:
    """Neovim itself looks at the first document of an edit only."""
    nvim, more = story.nvim, story.root / "more.py"
    more.write_text(NUMBERS.format(1) + REST)
    story.tests.write_text(
        f"{TESTS}\n\ndef test_factor():\n    from more import FACTOR\n    assert FACTOR == 2\n"
    )
    solver = story.script({"calc.py": FIXED, "more.py": NUMBERS.format(2) + REST})
    story.open(story.code, solver=solver, apply="never")
    nvim.edit(more, 1)
    nvim.command("Untilgreen solve all")
    story.until_said("2 failing tests pass now")
    nvim.lua(TYPED_MEANWHILE, "Apply verified fix", "# Mine.")
    nvim.until("vim.fn.getline(5) == 'FACTOR = 2'")
    assert nvim.text() == "# Mine.\n" + NUMBERS.format(2) + REST
    nvim.until(
        "vim.api.nvim_buf_get_lines(vim.fn.bufadd(...), 1, 2, true)[1]:find('+', 1, true)", str(story.code)
    )
    story.until_said("2 failing tests pass now")


def test_a_job_is_stopped_from_anywhere(story: Story) -> None:
    nvim = story.nvim
    nvim.lua("require('untilgreen').setup({ progress = 'float' })")
    story.open(story.code, solver=story.script({"calc.py": FIXED}, delay=600.0), apply="auto")
    nvim.command("Untilgreen solve")
    nvim.until("require('untilgreen').status():find('looking for a fix', 1, true)")
    nvim.command("Untilgreen solve")
    story.until_said("already running")
    # The small window tells the same, and is in nobody's way.
    [window] = nvim.lua(f"return {FLOATS}")
    lines = "vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(...), 0, -1, false)"
    title, doing = nvim.lua(f"return {lines}", window)
    assert title == "Solve until green" and doing.startswith("  attempt 1 of")
    assert nvim.lua("return vim.api.nvim_get_current_win() ~= ...", window)
    nvim.command("help help")
    nvim.command("Untilgreen stop")
    nvim.until(f"require('untilgreen').status() == '' and #{FLOATS} == 0")
    assert nvim.text(story.code) == BROKEN == story.code.read_text()
    nvim.command("Untilgreen review")
    story.until_said("no fix is waiting")
    assert nvim.messages() == []
