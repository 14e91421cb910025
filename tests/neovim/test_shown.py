"""A review without a server behind it: which attempt comes next, and what keys in old texts do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from neovim.nvim import Neovim

# Answers at once, as the server would; what it is asked to do is kept.
SERVER = """
local client, jobs = require("untilgreen.client"), require("untilgreen.jobs")
KEPT = { execute = client.execute, request = client.request, find = vim.lsp.get_client_by_id }
ANSWERS, DONE = ..., {}
for _, id in ipairs({ "one", "two" }) do
  jobs.told(96, { type = "job_started", job = id, kind = "solve", root = "/w" })
end
vim.lsp.get_client_by_id = function(id) return id == 96 and { id = 96 } or KEPT.find(id) end
client.execute = function(_, command, given, done)
  if command ~= "untilgreen.review" then
    return table.insert(DONE, command .. " " .. given.job .. (given.rival and " " .. given.rival or ""))
  end
  local n = given.rival and "rival" .. given.rival or tostring(given.attempt or ANSWERS.fix)
  local function uri(side) return ("untilgreen:/%s/%s/%s/a.py"):format(given.job, n, side) end
  done(vim.tbl_extend("force", ANSWERS, {
    job = given.job,
    attempt = n,
    files = { { path = "a.py", before = uri("before"), after = uri("after") } },
  }))
end
client.request = function(_, _, params, done) done({ text = params.uri .. "\\n" }) end
"""
CLEAN = """
require("untilgreen.review").close()
require("untilgreen.jobs").forget(96)
local client = require("untilgreen.client")
client.execute, client.request, vim.lsp.get_client_by_id = KEPT.execute, KEPT.request, KEPT.find
"""
FINDING = {"path": "a.py", "line": 1, "reason": "look", "rule": "x"}
SHOWN = "return vim.api.nvim_buf_get_name(0)"


@pytest.fixture
def nvim(shared: Callable[[str], Neovim], version: str) -> Iterator[Neovim]:
    nvim = shared(version)
    nvim.command("messages clear")
    yield nvim
    nvim.lua(CLEAN)
    nvim.command("silent! tabonly | silent! %bwipeout!")


def opened(nvim: Neovim, fix: str, *others: int) -> None:
    answers: dict[str, Any] = {"fix": fix, "findings": [FINDING], "rivals": 1, "difference": ""}
    nvim.lua(SERVER, {**answers, "attempts": [{"n": n, "hypothesis": "x"} for n in others]})
    nvim.lua("require('untilgreen.review').open('one')")


@pytest.mark.parametrize(("fix", "way"), [("2", ["1", "2", "3", "2"]), ("0", ["3", "1", "3", "0"])])
def test_attempts_come_in_their_order_and_the_fix_at_its_place(
    nvim: Neovim, fix: str, way: list[str]
) -> None:
    opened(nvim, fix, 3, 1)
    assert nvim.lua(SHOWN) == f"untilgreen://one/{fix}/after/a.py"
    for keys, attempt in zip("pnnp" if fix == "2" else "ppnn", way, strict=True):
        nvim.keys(keys)
        assert nvim.lua(SHOWN) == f"untilgreen://one/{attempt}/after/a.py"
        # Lines of the fix say nothing about those of another change.
        assert nvim.lua("return #vim.diagnostic.get(0)") == (1 if attempt == fix else 0)
        is_fix = attempt == fix
        assert ("a apply" in nvim.lua("return vim.wo.winbar")) == is_fix
        if not is_fix:
            nvim.keys("a")
            [line] = nvim.messages()
            assert f"attempt {attempt} is not the fix" in line
            nvim.command("messages clear")
    assert nvim.lua("return DONE") == []
    nvim.keys("a")
    assert nvim.lua("return DONE") == ["untilgreen.apply one"]


def test_keys_in_a_text_of_another_review_do_nothing(nvim: Neovim) -> None:
    opened(nvim, "1")
    nvim.lua("require('untilgreen.review').open('two')")
    nvim.lua("vim.cmd.buffer(vim.fn.bufadd('untilgreen://one/1/after/a.py'))")
    for keys in ("a", "d", "]f", "n", "r", "q"):
        nvim.keys(keys)
        [line] = nvim.messages()
        assert "this is not the review that is open" in line
        nvim.command("messages clear")
    assert nvim.lua("return DONE") == []
    # And none is open at all.
    nvim.lua("require('untilgreen.review').close()")
    nvim.lua("vim.cmd.buffer(vim.fn.bufadd('untilgreen://two/1/after/a.py'))")
    nvim.keys("a")
    assert nvim.lua("return DONE") == [] and len(nvim.messages()) == 1
    nvim.command("messages clear")


def test_a_review_of_a_server_that_is_gone_stays_open(nvim: Neovim) -> None:
    opened(nvim, "1")
    nvim.lua("vim.lsp.get_client_by_id = KEPT.find")
    nvim.keys("a")
    assert nvim.messages() == ["untilgreen: the server that found this fix has ended"]
    assert nvim.lua(SHOWN) == "untilgreen://one/1/after/a.py"
    nvim.command("messages clear")


def test_a_request_to_show_a_text_opens_the_review_once(nvim: Neovim) -> None:
    opened(nvim, "1", 2)
    nvim.keys("n")
    nvim.lua("SHOW = require('untilgreen.handlers').table()['window/showDocument']")
    assert nvim.lua("return SHOW(nil, { uri = 'untilgreen:/one/1/after/a.py' }, {})") == {"success": True}
    assert nvim.lua(SHOWN) == "untilgreen://one/2/after/a.py"
    nvim.lua("SHOW(nil, { uri = 'untilgreen:/two/1/after/a.py' }, {})")
    assert nvim.lua(SHOWN) == "untilgreen://two/1/after/a.py"
    assert nvim.messages() == []
