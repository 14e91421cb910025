"""Neovim without the plugin: nothing but the protocol, and a client that looks at little."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neovim.conftest import BROKEN, FIXED, TESTS, project
from neovim.nvim import environment, neovim

pytestmark = pytest.mark.timeout(400)
START = """
local root, cmd = ...
SAID = {}
vim.lsp.handlers["window/showMessage"] = function(_, params) table.insert(SAID, params.message) end
vim.lsp.handlers["window/showMessageRequest"] = function(_, params)
  table.insert(SAID, params.message)
  return vim.NIL
end
CLIENT = vim.lsp.start({ name = "untilgreen", cmd = cmd, root_dir = root })
for _, name in ipairs({ "more.py", "calc.py" }) do
  vim.cmd.edit(vim.fn.fnameescape(root .. "/" .. name))
  vim.lsp.buf_attach_client(0, CLIENT)
end
"""
# The user types into the other file when the edit has been sent and has not arrived.
CROSS = """
local original, other = vim.lsp.handlers["workspace/applyEdit"], ...
vim.lsp.handlers["workspace/applyEdit"] = function(...)
  vim.lsp.handlers["workspace/applyEdit"] = original
  vim.api.nvim_buf_set_lines(vim.fn.bufadd(other), 0, 0, false, { "# mine", "# mine" })
  return original(...)
end
"""
ASK = """
local command, arguments = ...
local params = { command = command, arguments = { arguments } }
vim.lsp.buf_request(0, "workspace/executeCommand", params, function() end)
"""
MORE = "import sys\n\nLIMIT = sys.maxsize\nFACTOR = {}\n"


def test_a_key_that_crosses_an_edit_of_several_files_meets_no_line_of_it(
    version: str, tmp_path: Path
) -> None:
    root, home = project(tmp_path / "work"), tmp_path / "home"
    (root / "more.py").write_text(MORE.format(1))
    more = "\n\ndef test_factor():\n    from more import FACTOR\n    assert FACTOR == 2\n"
    (root / "test_calc.py").write_text(TESTS + more)
    fix = {"files": {"calc.py": FIXED, "more.py": MORE.format(2)}}
    (tmp_path / "script.json").write_text(json.dumps({"proposals": [fix]}))
    own = environment(home, solver=f"scripted:{tmp_path / 'script.json'}", apply="auto")
    with neovim(version, own, home, "--clean") as nvim:
        nvim.lua(START, str(root), ["untilgreen", "serve"])
        # What is asked of a client before that goes nowhere, and nobody is told.
        nvim.until("vim.lsp.get_client_by_id(CLIENT).initialized")
        nvim.lua(CROSS, str(root / "more.py"))
        nvim.lua(ASK, "untilgreen.solve", {"uri": (root / "calc.py").as_uri(), "tests": []})
        nvim.until("SAID[1]")
        assert "more.py is not what was sent" in nvim.lua("return SAID[1]")
        assert nvim.text(root / "more.py") == "# mine\n# mine\n" + MORE.format(1)
        assert nvim.text(root / "calc.py") == FIXED, "it was taken, and can be undone"
        nvim.lua(ASK, "untilgreen.undo", {"uri": (root / "calc.py").as_uri()})
        nvim.until("SAID[2]")
        assert nvim.lua("return SAID[2]").endswith("Undone in calc.py."), "as it is on disk"
        assert nvim.text(root / "calc.py") == BROKEN
