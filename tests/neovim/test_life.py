"""A server that comes and goes: with the first Python file, after a crash, or not at all."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from neovim.conftest import BROKEN, Story, project
from neovim.nvim import environment, install, neovim

pytestmark = pytest.mark.timeout(400)
CLIENTS = "vim.lsp.get_clients({ name = 'untilgreen' })"
# The server is the child of Neovim whose command ends in `serve`.
SERVERS = """(function()
  local found = {}
  for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
    local file = io.open(("/proc/%d/cmdline"):format(pid), "rb")
    if file and file:read("*a"):find("serve%z$") then
      table.insert(found, pid)
    end
  end
  return found
end)()"""
# Lenses come when the server has answered; the one with that title is chosen where there are several, once:
# a menu may come late, when it was asked for again.
RUN_LENS = """
local wanted = ...
CHOSEN = nil
vim.ui.select = function(items, options, chosen)
  for n, item in ipairs(CHOSEN and {} or items) do
    if options.format_item(item):find(wanted, 1, true) then
      CHOSEN = true
      return chosen(item, n)
    end
  end
end
LOOK = function()
  if #vim.lsp.codelens.get(vim.fn.has("nvim-0.12") == 1 and { bufnr = 0 } or 0) > 0 then
    vim.lsp.codelens.run()
  end
  return CHOSEN
end
"""


def test_a_crash_of_the_server_is_survived(story: Story) -> None:
    nvim = story.nvim
    story.open(story.code, solver=story.script({}))
    nvim.until(f"{CLIENTS}[1].initialized")
    first = nvim.lua(f"return {CLIENTS}[1].id")
    [pid] = nvim.lua(f"return {SERVERS}")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 2, 2, false, { '# not saved' })")
    os.kill(pid, signal.SIGKILL)
    nvim.until(f"#{CLIENTS} == 1 and {CLIENTS}[1].id ~= ... and {CLIENTS}[1].initialized", first)
    told = nvim.messages()
    assert [line for line in told if "the server ended; it is started again" in line]
    # Neovim itself says that a client is gone.
    assert all("untilgreen" in line for line in told) and len(told) <= 2, told
    nvim.command("messages clear")
    assert nvim.text() == f"{BROKEN}# not saved\n"
    # By the lens, which comes from the new server.
    nvim.edit(story.tests, 4)
    nvim.lua(RUN_LENS, "Run")
    nvim.until("CHOSEN or LOOK()")
    nvim.until("#vim.diagnostic.get() > 0")
    [failure] = nvim.lua("return vim.diagnostic.get(vim.fn.bufadd(...))", str(story.tests))
    assert "unsaved changes in calc.py" in failure["message"]
    assert nvim.messages() == []


def test_a_command_at_once_waits_for_the_server_of_its_project(story: Story, tmp_path: Path) -> None:
    nvim = story.nvim
    story.open(story.code)
    other = project(tmp_path / "other")
    nvim.edit(other / "calc.py")
    nvim.command("Untilgreen")
    nvim.command("Untilgreen history")
    nvim.until("vim.api.nvim_buf_get_name(0) == 'untilgreen://history'")
    roots = nvim.lua(f"return vim.tbl_map(function(one) return one.config.root_dir end, {CLIENTS})")
    assert sorted(roots) == sorted([str(story.root), str(other)])
    nvim.command("messages clear")


def test_health_names_what_is_there_and_what_to_do(story: Story) -> None:
    nvim = story.nvim
    nvim.lua("vim.env.OPENAI_API_KEY = 'sk-nobody-may-see-this'")
    story.open(story.code, model="some-model")
    nvim.lua("vim.g.untilgreen = { nonsense = 1 }")
    nvim.command("silent Untilgreen doctor")
    told = nvim.text()
    nvim.lua("vim.g.untilgreen = nil")
    for part in (
        "Neovim 0.1",
        "is of version 0.1.0, as this plugin is",
        str(story.root),
        "bubblewrap: works",
    ):
        assert f"OK {part}" in told or part in told
    for part in (
        "there is no option `nonsense`",
        ":help |untilgreen-options|",
        "docker:",
        "python:",
        "model:",
    ):
        assert part in told
    assert "sk-nobody" not in told and "ERROR" not in told
    nvim.command("messages clear")


def test_a_missing_server_is_told_once(version: str, tmp_path: Path) -> None:
    install(tmp_path, "vim.g.untilgreen = { cmd = { 'no-such-server', 'serve' } }")
    root = project(tmp_path / "work")
    with neovim(version, environment(tmp_path), root, "calc.py") as nvim:
        nvim.until("vim.v.vim_did_enter == 1")
        nvim.edit(root / "test_calc.py")
        nvim.command("Untilgreen solve")
        [line] = nvim.until("#vim.fn.execute('messages') > 0 and { vim.fn.execute('messages') }")
        assert line.strip().count("\n") == 0 and "no-such-server was not found" in line
        assert ":help untilgreen-install" in line or ":Untilgreen log" in line
        nvim.command("silent checkhealth untilgreen")
        assert "no-such-server was not found" in nvim.text() and "uv tool install" in nvim.text()
        assert nvim.lua(f"return #{CLIENTS}") == 0


def test_a_server_that_does_not_start_is_not_tried_again(version: str, tmp_path: Path) -> None:
    install(tmp_path, "vim.g.untilgreen = { cmd = { 'false' } }; vim.o.columns = 300")
    root = project(tmp_path / "work")
    with neovim(version, environment(tmp_path), root, "calc.py") as nvim:
        nvim.until("vim.fn.execute('messages'):find('quit with exit code', 1, true)")
        nvim.until(f"#{CLIENTS} == 0")
        told = [line for line in nvim.messages() if line.startswith("untilgreen: ")]
        assert told == ["untilgreen: the server does not start; see :checkhealth untilgreen"]
        nvim.command("silent checkhealth untilgreen")
        assert "the server does not start" in nvim.text()


def test_nothing_starts_where_it_is_not_wanted(version: str, tmp_path: Path) -> None:
    install(tmp_path, "require('untilgreen').setup({ autostart = false, settings = { solver = 'offline' } })")
    root = project(tmp_path / "work")
    with neovim(version, environment(tmp_path), root, "calc.py") as nvim:
        nvim.edit(root / "test_calc.py")
        nvim.command("edit untilgreen://no-such-job/1/after/calc.py")
        assert nvim.text() == "This text is no longer kept.\n"
        assert nvim.lua(f"return #{CLIENTS}") == 0
        # A command is a wish; it does not matter which buffer is the current one.
        nvim.command("enew")
        nvim.command("Untilgreen history")
        nvim.until("vim.api.nvim_buf_get_name(0) == 'untilgreen://history'")
        assert nvim.text() == "Nothing has run here yet.\n"
        assert nvim.lua(f"return vim.uv.fs_realpath({CLIENTS}[1].config.root_dir)") == str(root.resolve())
        assert nvim.messages() == []
        # What a crash takes comes back as it was, and no more than that.
        [pid] = nvim.lua(f"return {SERVERS}")
        first = nvim.lua(f"return {CLIENTS}[1].id")
        os.kill(pid, signal.SIGKILL)
        nvim.until(f"#{CLIENTS} == 1 and {CLIENTS}[1].id ~= ... and {CLIENTS}[1].initialized", first)
        assert nvim.lua(f"return vim.uv.fs_realpath({CLIENTS}[1].config.root_dir)") == str(root.resolve())
        assert nvim.lua(f"return vim.tbl_count({CLIENTS}[1].attached_buffers)") == 0
        assert nvim.lua(f"return #{SERVERS}") == 1


def test_files_outside_of_any_project_share_a_server(story: Story, tmp_path: Path) -> None:
    nvim = story.nvim
    lonely = [tmp_path / "one.py", tmp_path / "two.py"]
    for path in lonely:
        path.write_text(BROKEN)
        story.open(path)
    nvim.command("doautocmd FileType")
    nvim.command("Untilgreen history")
    nvim.until("vim.api.nvim_buf_get_name(0) == 'untilgreen://history'")
    assert nvim.lua(f"return #{CLIENTS}") == nvim.lua(f"return #{SERVERS}") == 1
    assert nvim.lua(f"return vim.tbl_count({CLIENTS}[1].attached_buffers)") == 2


def test_neovims_own_configuration_of_servers_counts(tmp_path: Path) -> None:
    install(
        tmp_path,
        """
        vim.g.untilgreen = {
          autostart = false,
          cmd = { "no-such-server" },
          settings = { apply = "never", max_seconds = 60 },
        }
        vim.lsp.config("untilgreen", {
          cmd = { "untilgreen", "serve" },
          settings = { untilgreen = { apply = "auto" } },
        })
        vim.lsp.enable("untilgreen")
        """,
    )
    root = project(tmp_path / "work")
    with neovim("0.12", environment(tmp_path), root, "calc.py") as nvim:
        nvim.until(f"#{CLIENTS} > 0")
        said = nvim.lua(f"return {CLIENTS}[1].settings.untilgreen")
        assert said == {"apply": "auto", "max_seconds": 60}
        nvim.until(f"{CLIENTS}[1].initialized")
        nvim.command("silent checkhealth untilgreen")
        assert "untilgreen is " in nvim.text() and "no-such-server" not in nvim.text()
        nvim.command("Untilgreen history")
        nvim.until("vim.api.nvim_buf_get_name(0) == 'untilgreen://history'")
        assert nvim.messages() == []
