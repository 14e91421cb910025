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
        ({**quiet, "watch": [{**watch[0], "message": "watching"}]}, "untilgreen: watching (fix)"),
        ({**quiet, "health": "error", "message": "no sandbox"}, "untilgreen: no sandbox"),
    ):
        nvim.lua("TELL(99, ...)", status)
        assert nvim.lua("return LINE()") == said
    nvim.lua("require('untilgreen.status').forget(99)")
    assert nvim.lua("return { LINE(), CHANGES }") == ["", 6]


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
    for kind, fix in (("green", "kept"), ("better", "kept"), ("stopped", None)):
        solved(nvim, kind, kind)
        assert nvim.lua("return require('untilgreen.jobs').get(...).fix", kind) == fix
    nvim.lua("require('untilgreen.jobs').forget(98)")
    assert nvim.lua("return #require('untilgreen.jobs').with_fix()") == 0


def solved(nvim: Neovim, job: str, kind: str = "green") -> None:
    """A job that ended with a change."""
    nvim.lua("TOLD = function(event) require('untilgreen.jobs').told(98, event) end")
    nvim.lua("TOLD(...)", {"type": "job_started", "job": job, "kind": "solve", "root": "/w", "tests": []})
    nvim.lua("TOLD(...)", {"type": "finished", "job": job, "verdict": {"kind": kind, "patch": ["a.py"]}})


def test_the_server_knows_which_fix_waits(nvim: Neovim) -> None:
    nvim.lua("WAIT = function(...) require('untilgreen.jobs').wait(98, { ... }) end")
    nvim.lua("WAITING = function() return (require('untilgreen.jobs').waiting() or {}).id or '' end")
    solved(nvim, "first")
    nvim.lua("WAIT({ job = 'first' })")
    assert nvim.lua("return require('untilgreen').status()") == "untilgreen: a fix waits"
    # What another server says is about others.
    nvim.lua("require('untilgreen.jobs').wait(97, {})")
    assert nvim.lua("return WAITING()") == "first"
    solved(nvim, "second")
    nvim.lua("WAIT({ job = 'second' })")
    nvim.lua("TOLD(...)", {"type": "applied", "job": "second", "paths": ["a.py"]})
    # The older one is not what is meant by the next `:Untilgreen apply`.
    assert nvim.lua("return { WAITING(), require('untilgreen').status() }") == ["", ""]
    solved(nvim, "third")
    nvim.lua("WAIT({ job = 'third' })")
    # Discarded in a question of the server.
    nvim.lua("WAIT()")
    assert nvim.lua("return { WAITING(), require('untilgreen').status() }") == ["", ""]
    assert completed(nvim, "Untilgreen review ") == ["third", "second", "first"]
    nvim.lua("require('untilgreen.jobs').forget(98)")


def completed(nvim: Neovim, line: str) -> list[str]:
    return list(nvim.lua("return vim.fn.getcompletion(..., 'cmdline')", line))


def test_a_wrong_name_opens_no_other_review(nvim: Neovim) -> None:
    solved(nvim, "waits")
    nvim.lua("require('untilgreen.jobs').wait(98, { { job = 'waits' } })")
    nvim.lua("OPENED, OPEN = {}, require('untilgreen.review').open")
    nvim.lua("require('untilgreen.review').open = function(id) table.insert(OPENED, id or 'newest') end")
    nvim.command("Untilgreen review wrong")
    assert nvim.lua("return OPENED") == []
    assert nvim.messages() == ["untilgreen: there is no fix of job wrong"]
    nvim.command("Untilgreen review")
    nvim.lua("require('untilgreen').review('waits')")
    assert nvim.lua("return OPENED") == ["waits", "waits"]
    nvim.lua("require('untilgreen.review').open = OPEN; require('untilgreen.jobs').forget(98)")


def test_an_edit_of_a_file_is_not_one_of_another_with_a_longer_name(nvim: Neovim, tmp_path: Path) -> None:
    new, longer = tmp_path / "new.txt", tmp_path / "new.txt.old"
    longer.write_text("old\n")
    nvim.edit(longer)
    nvim.lua("vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()] = 7")
    assert nvim.lua(APPLY, [edit(new, 0, "one\n")]) == {"applied": True}
    assert nvim.lua("return vim.fn.bufexists(...)", str(new)) == 1 and nvim.text(longer) == "old\n"


def test_the_small_window_goes_along_to_another_tab(nvim: Neovim) -> None:
    nvim.lua("require('untilgreen.config').merge({ progress = 'float' })")
    nvim.lua("PROGRESS = function(value) require('untilgreen.progress').told(98, 'x', value) end")
    nvim.lua("require('untilgreen.progress').listen()")
    nvim.lua("PROGRESS({ kind = 'begin', title = 'Solve', message = 'one' })")
    floats = """(function(tab)
      return #vim.tbl_filter(function(window)
        return vim.api.nvim_win_get_config(window).relative ~= ""
      end, vim.api.nvim_tabpage_list_wins(tab))
    end)"""
    assert nvim.lua(f"return {floats}(0)") == 1
    nvim.command("tabnew")
    nvim.until(f"{floats}(0) == 1")
    assert nvim.lua(f"return {floats}(vim.api.nvim_list_tabpages()[1])") == 0
    nvim.lua("PROGRESS({ kind = 'report', message = 'two' })")
    assert nvim.lua(f"return {floats}(0)") == 1
    nvim.lua(
        "require('untilgreen.progress').forget(98); require('untilgreen.config').merge({ progress = 'auto' })"
    )
    assert nvim.lua(f"return {floats}(0)") == 0
    nvim.command("tabonly")


def test_the_log_is_followed_while_nobody_reads_in_it(nvim: Neovim) -> None:
    nvim.lua("ADD = require('untilgreen.log').add; ADD('one'); ADD('two')")
    nvim.command("Untilgreen log")
    end = "return { vim.fn.line('.') == vim.fn.line('$'), vim.fn.getline('.'):sub(10) }"
    assert nvim.lua(end) == [True, "two"]
    nvim.command("wincmd p")
    nvim.lua("ADD('three')")
    nvim.command("wincmd p")
    assert nvim.lua(end) == [True, "three"]
    # Who reads above is left there.
    nvim.command("1")
    nvim.lua("ADD('four')")
    assert nvim.lua("return vim.fn.line('.')") == 1 and nvim.text().endswith("four\n")
    # Reading it again shows the same, and it is followed still.
    nvim.command("edit")
    nvim.lua("ADD('five')")
    assert nvim.text().endswith("five\n") and "no longer kept" not in nvim.text()
    assert nvim.lua("return { vim.bo.buftype, vim.bo.modifiable }") == ["nofile", False]
    nvim.keys("q")
    assert nvim.lua("return vim.api.nvim_buf_get_name(0)") != "untilgreen://log"
    nvim.lua("vim.cmd.bdelete(vim.fn.bufadd('untilgreen://log'))")
    nvim.lua("ADD('six')")
    nvim.command("Untilgreen log")
    nvim.command("only")
    assert nvim.text().endswith("six\n")
    # The last window of Neovim stays.
    nvim.keys("q")
    assert nvim.lua("return { #vim.api.nvim_list_wins(), vim.api.nvim_buf_get_name(0) }") == [1, ""]
    assert nvim.messages() == []


def test_crashes_of_another_hour_do_not_count(nvim: Neovim) -> None:
    nvim.lua("COUNT, NOW, AT = require('untilgreen.crashes').count, vim.uv.now, 0")
    nvim.lua("vim.uv.now = function() return AT end")
    assert [nvim.lua("AT = AT + 1000; return COUNT()") for _ in range(4)] == [1, 2, 3, 4]
    assert nvim.lua("AT = AT + 1000000; return COUNT()") == 1
    nvim.lua("vim.uv.now = NOW")
