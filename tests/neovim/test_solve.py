"""From a failing test to a fixed buffer, with the solver that needs no model."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from boxes import SEED
from neovim.conftest import BROKEN, FIXED, Story, project
from neovim.nvim import VERSIONS, environment, install, neovim

DIAGNOSTICS = "vim.tbl_map(function(d) return { d.lnum, d.message, d.source } end, vim.diagnostic.get(0))"

AT_ONCE = """
vim.cmd.edit({ args = { ... } })
vim.api.nvim_win_set_cursor(0, { 6, 0 })
vim.cmd("Untilgreen test test")
vim.cmd.enew()
"""

# Several jobs, on a machine that may be busy.
pytestmark = pytest.mark.timeout(400)


def test_a_failing_test_shows_and_a_code_action_mends_it(story: Story) -> None:
    nvim = story.nvim
    # The cursor counts where it was: the user is elsewhere when the server is there.
    nvim.lua("vim.g.untilgreen = { settings = { apply = 'auto' } }")
    nvim.command("messages clear")
    nvim.lua(AT_ONCE, str(story.tests))
    nvim.until("#vim.diagnostic.get(vim.fn.bufadd(...)) > 0", str(story.tests))
    nvim.edit(story.tests, 6)
    [[line, message, source]] = nvim.lua(f"return {DIAGNOSTICS}")
    assert (line, source) == (5, "untilgreen") and "assert -1 == 3" in message
    [item] = nvim.until("#vim.fn.getqflist() > 0 and vim.fn.getqflist()")
    assert item["lnum"] == 6 and "test_add" in item["text"]
    story.act("this test (test_add)")
    story.until_saved(story.code, FIXED)
    assert nvim.text(story.code) == FIXED
    nvim.until("#vim.diagnostic.get() == 0 and #vim.fn.getqflist() == 0")
    story.until_said("1 failing test passes now")
    # One step back, and one forth.
    nvim.command(f"buffer {nvim.lua('return vim.fn.bufnr(...)', str(story.code))}")
    assert not nvim.lua("return vim.bo.modified")
    nvim.command("silent undo")
    assert nvim.text() == BROKEN and nvim.lua("return vim.bo.modified")
    nvim.command("silent redo")
    assert nvim.text() == FIXED
    assert nvim.messages() == []


@pytest.mark.parametrize("sandbox", ["docker"])
def test_the_same_in_the_other_sandbox(sandbox: str, tmp_path: Path) -> None:
    """In one of the versions: the editor does not see where tests run, but for the status."""
    version = random.Random(f"{SEED} {sandbox}").choice(VERSIONS)
    install(tmp_path)
    with neovim(version, environment(tmp_path, sandbox=sandbox), tmp_path) as nvim:
        story = Story(nvim, project(tmp_path / "work"))
        story.open(story.tests, 6, solver=story.script({"calc.py": FIXED}))
        nvim.command("Untilgreen solve")
        story.until_saved(story.code, FIXED)
        story.until_said("1 failing test passes now")
        nvim.command("Untilgreen")
        assert story.until_said("work: ready").startswith("untilgreen: work: ready · sandbox: docker, engine")
