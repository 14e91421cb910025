"""Looking at a fix before it is written: side by side, file by file, attempt by attempt."""

from __future__ import annotations

import pytest

from neovim.conftest import BROKEN, Story

# Several jobs, on a machine that may be busy.
pytestmark = pytest.mark.timeout(400)
TOTALS = "def total(numbers):\n    return 0\n"
FIXED = "from lib.signs import plus\n\n\ndef add(a, b):\n    return plus(a, b)\n"
FIXED_TOTALS = "def total(numbers):\n    return sum(numbers)\n"
RIVAL = "from lib.signs import plus\n\n\ndef add(a, b):\n    return plus(b, a)\n"
SIGNS = "def plus(a, b):\n    return a + b\n"
MORE_TESTS = """\
from totals import total


def test_total():
    assert total([1, 2]) == 3
    assert total([5]) == 5
"""
SIDES = """(function()
  local found = {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.api.nvim_win_get_config(window).relative == "" then
      table.insert(found, {
        (vim.api.nvim_buf_get_name(buffer):gsub("^untilgreen://[^/]+/", "")),
        table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\\n") .. "\\n",
        vim.wo[window].diff,
      })
    end
  end
  return found
end)()"""
FLOATS = """(function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    local is_float = vim.api.nvim_win_get_config(window).relative ~= ""
    if is_float and table.concat(lines, "\\n"):find(WANTED, 1, true) then
      return lines
    end
  end
end)()"""


def sides(story: Story, attempt: str, path: str, before: str, after: str) -> None:
    """Until both texts are there, compared."""
    wanted = [[f"{attempt}/before/{path}", before, True], [f"{attempt}/after/{path}", after, True]]
    story.nvim.until(f"vim.deep_equal({SIDES}, ...)", wanted)


def test_a_fix_is_reviewed_discarded_and_applied_after_all(story: Story) -> None:
    nvim = story.nvim
    (story.root / "totals.py").write_text(TOTALS)
    (story.root / "test_totals.py").write_text(MORE_TESTS)
    whole = {"calc.py": FIXED, "lib/signs.py": SIGNS, "totals.py": FIXED_TOTALS}
    solver = story.script(
        {"calc.py": "def add(a, b):\n    return 3\n"}, whole, rivals=[{**whole, "calc.py": RIVAL}]
    )
    story.open(story.root / "totals.py", solver=solver)
    story.open(story.code, solver=solver)
    nvim.command("Untilgreen solve all make the sums right")
    nvim.until("require('untilgreen').status():find('attempt', 1, true)")
    story.until_said(":Untilgreen apply|review|discard")
    nvim.until("require('untilgreen').status() == 'untilgreen: a fix waits'")
    assert nvim.text() == BROKEN == story.code.read_text()

    # The user's own tabs: one to the left of the review, and one to its right.
    nvim.command("tabnew | tabprevious")
    story.act("Review verified fix")
    sides(story, "2", "calc.py", BROKEN, FIXED)
    assert nvim.lua("return { vim.bo.modifiable, vim.bo.buftype, vim.bo.syntax }") == [
        False,
        "nofile",
        "python",
    ]
    nvim.keys("]f")
    sides(story, "2", "lib/signs.py", "\n", SIGNS)
    nvim.keys("]f")
    sides(story, "2", "totals.py", TOTALS, FIXED_TOTALS)
    nvim.keys("]f")
    sides(story, "2", "calc.py", BROKEN, FIXED)
    nvim.keys("[f")
    sides(story, "2", "totals.py", TOTALS, FIXED_TOTALS)
    nvim.keys("p")
    sides(story, "1", "calc.py", BROKEN, "def add(a, b):\n    return 3\n")
    nvim.keys("p")
    story.until_said("there is no earlier attempt")
    # What was found wanting is not written, and neither is what is not shown.
    nvim.keys("a")
    story.until_said("attempt 1 is not the fix; n and p lead to it")
    assert "attempt 1, not the fix" in nvim.lua("return vim.wo[vim.api.nvim_tabpage_list_wins(0)[1]].winbar")
    nvim.keys("n")
    sides(story, "2", "calc.py", BROKEN, FIXED)
    # A window that was closed comes back with the next file.
    nvim.command("wincmd h | close")
    nvim.keys("]f")
    sides(story, "2", "lib/signs.py", "\n", SIGNS)
    nvim.command("wincmd l | close")
    nvim.command("Untilgreen review")
    sides(story, "2", "calc.py", BROKEN, FIXED)
    nvim.keys("?")
    nvim.lua("WANTED = 'apply the fix'")
    nvim.until(FLOATS)
    nvim.keys("d")
    nvim.until("#vim.api.nvim_list_tabpages() == 2")
    assert nvim.lua("return vim.fn.tabpagenr()") == 1 and nvim.text() == BROKEN
    nvim.command("tabonly")
    nvim.until("require('untilgreen').status() == ''")
    nvim.command("Untilgreen apply")
    story.until_said("no fix is waiting")

    [job] = nvim.lua("return vim.fn.getcompletion('Untilgreen review ', 'cmdline')")
    nvim.command(f"Untilgreen review {job}")
    sides(story, "2", "calc.py", BROKEN, FIXED)
    nvim.lua("vim.ui.select = function(items, _, chosen) CHOICES = items; chosen(items[2], 2) end")
    nvim.keys("r")
    sides(story, "rival1", "calc.py", BROKEN, RIVAL)
    assert nvim.lua("return CHOICES") == ["the fix", "rival 1"]
    # Neovim does not close its last tab.
    nvim.command("tabonly")
    nvim.keys("a")
    story.until_saved(story.code, RIVAL)
    story.until_saved(story.root / "totals.py", FIXED_TOTALS)
    story.until_saved(story.root / "lib/signs.py", SIGNS)
    story.until_said("2 of 2 tests pass with rival 1")
    assert nvim.lua("return #vim.api.nvim_list_tabpages()") == 1 and nvim.text() == RIVAL
    assert nvim.lua("return vim.api.nvim_buf_get_name(0)") == str(story.code)
    # One step in each buffer.
    for path, old, new in ((story.code, BROKEN, RIVAL), (story.root / "totals.py", TOTALS, FIXED_TOTALS)):
        nvim.command(f"buffer {nvim.lua('return vim.fn.bufnr(...)', str(path))}")
        assert nvim.text() == new
        nvim.command("silent undo")
        assert nvim.text() == old
        nvim.command("silent redo")
        assert nvim.text() == new and not nvim.lua("return vim.bo.modified")

    # Edited where the fix is.
    nvim.lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, { '    return 0 + sum(numbers)' })")
    nvim.command("silent write")
    nvim.lua("CHOICES = nil")
    nvim.command("Untilgreen undo")
    # The second choice is to keep what was edited.
    nvim.until("CHOICES and CHOICES[1].title == 'Undo all the same'")
    assert story.code.read_text() == RIVAL
    nvim.command("Untilgreen undo force")
    story.until_saved(story.code, BROKEN)
    story.until_saved(story.root / "totals.py", TOTALS)
    story.until_said("Undone in")
    assert nvim.text(story.code) == BROKEN and not (story.root / "lib/signs.py").exists()

    nvim.command("Untilgreen history")
    nvim.until("vim.api.nvim_buf_get_name(0) == 'untilgreen://history'")
    undone, solved = nvim.text().splitlines()
    assert "undo" in undone and "green" in solved and "undone" in solved
    nvim.keys("G<CR>")
    nvim.until("vim.api.nvim_buf_get_name(0):find('^untilgreen://job/')")
    assert "change 2" in nvim.text()
    nvim.command("Untilgreen log")
    nvim.until("vim.api.nvim_buf_get_name(0) == 'untilgreen://log'")
    assert "Solve until green" in nvim.text() and "Undone in" in nvim.text()
    assert nvim.messages() == []


def test_attempts_of_a_job_that_found_no_fix_are_looked_at_and_not_written(story: Story) -> None:
    nvim = story.nvim
    first, second = "def add(a, b):\n    return 3\n", "def add(a, b):\n    return b\n"
    story.open(story.code, solver=story.script({"calc.py": first}, {"calc.py": second}))
    nvim.command("Untilgreen solve all")
    nvim.until("#vim.diagnostic.get() > 0 and require('untilgreen').status() == ''")
    nvim.command("messages clear")
    job = nvim.lua("return vim.fn.getcompletion('Untilgreen review ', 'cmdline')")
    assert job == [], "there is no fix to name"
    nvim.command("Untilgreen history")
    nvim.until("vim.api.nvim_buf_get_name(0):find('history', 1, true)")
    nvim.keys("r")
    sides(story, "2", "calc.py", BROKEN, second)
    nvim.keys("p")
    sides(story, "1", "calc.py", BROKEN, first)
    nvim.keys("n")
    sides(story, "2", "calc.py", BROKEN, second)
    nvim.keys("n")
    story.until_said("there is no later attempt")
    nvim.keys("a")
    story.until_said("attempt 2 is not the fix; this job found none")
    assert story.code.read_text() == BROKEN
    nvim.keys("q")


def test_an_undo_is_over_when_it_is_done(story: Story) -> None:
    nvim = story.nvim
    fixed = BROKEN.replace("-", "+")
    story.open(story.code, solver=story.script({"calc.py": fixed}), apply="auto")
    nvim.command("Untilgreen solve all")
    story.until_saved(story.code, fixed)
    story.until_said("1 failing test passes now")
    nvim.command("Untilgreen undo")
    story.until_saved(story.code, BROKEN)
    story.until_said("Undone in calc.py")
    assert nvim.lua("return require('untilgreen.jobs').running()") == []
    assert nvim.lua("return require('untilgreen').status()") == ""
