"""Small parts that stories reach only by chance: questions, stale edits, long messages, the status."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from neovim.nvim import Neovim

ASK = """
local message, titles, choice = ...
ANSWER, SHOWN = nil, nil
vim.ui.select = function(items, options, chosen)
  SHOWN = vim.tbl_map(options.format_item, items)
  chosen(items[choice], choice)
end
local actions = vim.tbl_map(function(title) return { title = title } end, titles)
coroutine.wrap(function()
  ANSWER = require("untilgreen.questions").ask({ type = 3, message = message, actions = actions })
end)()
"""
APPLY = """
local find = vim.lsp.get_client_by_id
vim.lsp.get_client_by_id = function() return { offset_encoding = "utf-8" } end
local params = { label = "Solve until green", edit = { documentChanges = ... } }
local answer = require("untilgreen.edits").apply(params, 1)
vim.lsp.get_client_by_id = find
return answer
"""
FIX, OTHER = ["Apply with 2 findings", "Review", "Discard"], ["Apply with 1 finding", "Discard"]


@pytest.fixture
def nvim(shared: Callable[[str], Neovim], version: str) -> Neovim:
    nvim = shared(version)
    nvim.lua("vim.g.untilgreen = nil")
    nvim.command("messages clear")
    return nvim


def test_a_fix_that_waits_takes_no_keys(nvim: Neovim) -> None:
    nvim.lua(ASK, "untilgreen: Two tests pass now.", FIX, 1)
    assert nvim.lua("return { SHOWN or false, ANSWER == vim.NIL }") == [False, True]
    assert nvim.messages() == ["untilgreen: Two tests pass now. :Untilgreen apply|review|discard"]


def test_who_wants_to_be_asked_is_asked(nvim: Neovim) -> None:
    nvim.lua("vim.g.untilgreen = { questions = 'select' }")
    nvim.lua(ASK, "Two tests pass now.", FIX, 3)
    assert nvim.until("ANSWER") == {"title": "Discard"}
    assert nvim.lua("return SHOWN") == FIX and nvim.messages() == []


def test_a_question_without_another_way_is_asked_at_once(nvim: Neovim) -> None:
    nvim.lua(ASK, "Something new was found.", OTHER, 1)
    assert nvim.until("ANSWER") == {"title": "Apply with 1 finding"}
    nvim.lua(ASK, "Something new was found.", OTHER, 7)
    nvim.until("ANSWER == vim.NIL")


def edit(path: Path, version: int, text: str) -> dict[str, Any]:
    place = {"line": 0, "character": 0}
    return {
        "textDocument": {"uri": path.as_uri(), "version": version},
        "edits": [{"range": {"start": place, "end": place}, "newText": text}],
    }


def test_an_edit_of_a_newer_text_is_not_made_not_even_in_part(nvim: Neovim, tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    for path in (first, second):
        path.write_text("old\n")
        nvim.edit(path)
        nvim.lua("vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()] = 7")
    # Neovim itself looks at the first one only, and says that all is done.
    answer = nvim.lua(APPLY, [edit(first, 7, "new\n"), edit(second, 6, "new\n")])
    assert not answer["applied"] and answer["failureReason"].endswith("second.txt was edited meanwhile")
    assert nvim.text(first) == nvim.text(second) == "old\n"
    assert nvim.lua(APPLY, [edit(first, 7, "new\n"), edit(second, 7, "new\n")]) == {"applied": True}
    assert nvim.text(first) == nvim.text(second) == "new\nold\n"
    assert nvim.messages() == []


def test_what_was_saved_is_saved_again_and_nothing_else(nvim: Neovim, tmp_path: Path) -> None:
    new, old = tmp_path / "folder/new.txt", tmp_path / "old.txt"
    old.write_text("old\n")
    nvim.lua(APPLY, [edit(new, 0, "one\ntwo"), edit(old, 0, "one\n")])
    assert nvim.text(new) == "one\ntwo\n" and nvim.text(old) == "one\nold\n"
    nvim.lua("require('untilgreen.edits').save(...)", [new.as_uri()])
    assert new.read_text() == "one\ntwo\n" and old.read_text() == "old\n"
    assert nvim.messages() == []


def test_long_messages_stay_in_one_line_and_in_the_log(nvim: Neovim) -> None:
    long = "word " * 60
    nvim.lua("require('untilgreen.say').say(...)", long)
    assert not nvim.is_blocked()
    [line] = nvim.messages()
    assert len(line) < 80 and line.endswith(" … :Untilgreen log")
    assert long.strip() in "\n".join(nvim.lua("return require('untilgreen.log').lines()"))
    # Who has a better place for messages sees all of it.
    nvim.lua("NOTIFY, vim.notify = vim.notify, loadstring('TOLD = ...', '@/some/plugin.lua')")
    nvim.lua("require('untilgreen.say').say(...); vim.notify = NOTIFY", long)
    assert nvim.lua("return TOLD") == f"untilgreen: {long}"


def test_the_status_tells_what_matters_most(nvim: Neovim) -> None:
    nvim.lua("TELL = require('untilgreen.status').told; LINE = require('untilgreen').status")
    quiet = {"health": "ok", "message": "ready", "quiescent": True}
    watch = [{"folder": "file:///work", "mode": "fix", "message": "2 tests failing"}]
    nvim.lua("CHANGES = 0")
    nvim.command("autocmd User UntilgreenStatus lua CHANGES = CHANGES + 1")
    for status, said in (
        (quiet, ""),
        ({**quiet, "watch": watch}, "untilgreen: watching (fix) · 2 tests failing"),
        ({**quiet, "watch": [{**watch[0], "message": ""}]}, "untilgreen: watching (fix)"),
        ({**quiet, "health": "error", "message": "no sandbox"}, "untilgreen: no sandbox"),
    ):
        nvim.lua("TELL(99, ...)", status)
        assert nvim.lua("return LINE()") == said
    nvim.lua("require('untilgreen.status').forget(99)")
    assert nvim.lua("return { LINE(), CHANGES }") == ["", 5]


@pytest.mark.parametrize(("cause", "lists"), [("untilgreen.test", 2), ("watch", 1)])
def test_only_who_asks_gets_another_quickfix_list(nvim: Neovim, cause: str, lists: int) -> None:
    nvim.lua(
        "vim.fn.setqflist({}, 'f'); vim.fn.setqflist({}, ' ', { title = 'mine', items = { { text = 'x' } } })"
    )
    nvim.lua(
        """
        local namespace = vim.lsp.diagnostic.get_namespace(97)
        local buffer = vim.api.nvim_create_buf(false, true)
        vim.diagnostic.set(namespace, buffer, { { lnum = 0, col = 0, message = "failed" } })
        require("untilgreen.results").ended({ client = 97, verdict = { kind = "better" }, cause = ... })
        vim.diagnostic.reset(namespace)
        """,
        cause,
    )
    assert nvim.lua("return vim.fn.getqflist({ nr = '$' }).nr") == lists
    nvim.command("silent! colder")
    assert nvim.lua("return vim.fn.getqflist({ title = 0 }).title") == "mine"
    nvim.lua("vim.fn.setqflist({}, 'f')")
    nvim.command("messages clear")


def test_an_attempt_that_was_stopped_leaves_no_fix(nvim: Neovim) -> None:
    nvim.lua("TOLD = function(event) require('untilgreen.jobs').told(98, event) end")
    for kind, fix in (("green", "open"), ("better", "open"), ("stopped", None)):
        nvim.lua(
            "TOLD(...)", {"type": "job_started", "job": kind, "kind": "solve", "root": "/w", "tests": []}
        )
        nvim.lua("TOLD(...)", {"type": "finished", "job": kind, "verdict": {"kind": kind, "patch": ["a.py"]}})
        assert nvim.lua("return require('untilgreen.jobs').get(...).fix", kind) == fix
    nvim.lua("TOLD(...)", {"type": "applied", "job": "green", "paths": ["a.py"]})
    assert nvim.lua("return require('untilgreen.jobs').newest('open').id") == "better"
    nvim.lua("require('untilgreen.jobs').forget(98)")
    assert nvim.lua("return #require('untilgreen.jobs').with_fix()") == 0
