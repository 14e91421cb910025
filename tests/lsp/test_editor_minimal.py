"""An editor that supports nothing optional still gets all that a person needs to know, and the fix itself.

Where it sees what others see, it is one of the editors of their tests; here is what is different for it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from lsp.conftest import BROKEN, FIXED, TESTS, scripted, slow
from lsp.minimal import MinimalEditor
from lsp.starting import environment, started
from untilgreen.lsp.folders import uri_of


async def test_a_fix_comes_by_the_disk_and_goes_the_same_way(project: Path, tmp_path: Path) -> None:
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project), apply="ask")
    on_disk = project / "calc.py"
    async with started(project, "minimal", settings) as editor:
        assert isinstance(editor, MinimalEditor)
        editor.reloads = False
        tests, code = editor.open("test_calc.py"), editor.open("calc.py")
        run = await editor.run("untilgreen.test", uri=tests)
        assert await editor.until_ended(run["job"]) == "2 of 2 tests not green."
        await editor.until_said("2 of 2 tests not green.")
        assert [mark.related_information for mark in editor.diagnostics(tests)] == [None, None]
        hover = await editor.hover(tests, 3)
        assert hover.startswith("test_add failed ") and "expected: 3" in hover
        assert not {"`", "*", "\\"} & set(hover), "shown as it is, so nothing is marked up"

        offered = await editor.actions(tests, 5)
        job = (await editor.choose(offered["Solve until green: this file"]))["job"]
        assert "Change calc.py?" in await editor.until_asked()
        await editor.choose((await editor.actions(code, 0))["Apply verified fix"])
        await editor.until_said("Changed: calc.py. It is on disk: reload calc.py.")
        assert on_disk.read_text() == FIXED and editor.text(code) == BROKEN
        # What it shows is old, and nobody has typed it: the file counts.
        run = await editor.run("untilgreen.test", uri=tests)
        assert await editor.until_ended(run["job"]) == "All 2 tests green."
        assert not editor.diagnostics(tests)
        await editor.choose((await editor.actions(code, 0))["Undo last solve"])
        await editor.until_said("Undone in calc.py. It is on disk: reload calc.py.")
        assert on_disk.read_text() == BROKEN
        await editor.until(lambda: len(editor.diagnostics(tests)) == 2, "the old failures")

        # What is typed and not saved is the user's; a fix beside it waits until it is.
        mine = "# mine\n"
        editor.type(code, mine + BROKEN)
        await editor.run("untilgreen.apply", job=job)
        await editor.until_said("calc.py is not saved; nothing was written. Save, then apply the fix.")
        assert on_disk.read_text() == BROKEN and editor.text(code) == mine + BROKEN
        editor.save(code)
        await editor.run("untilgreen.apply", job=job)
        await editor.until(lambda: on_disk.read_text() == mine + FIXED, "the fix")
        # What was edited in the fix itself is not lost without a yes, and this editor cannot ask.
        editor.type(code, mine + FIXED.replace("a + b", "a + b + 0"))
        editor.save(code)
        await editor.run("untilgreen.undo", uri=code)
        await editor.until_said("`untilgreen undo --force` in a terminal does it.")
        assert "a + b + 0" in on_disk.read_text()
        assert (editor.notices, editor.edits, editor.questions) == ([], [], [])


async def test_whatever_is_wrong_is_shown_and_every_command_is_answered_in_words(
    project: Path, tmp_path: Path
) -> None:
    stub = "\n\ndef later(a):\n    raise NotImplementedError\n"
    (project / "calc.py").write_text(BROKEN + stub)
    (project / "test_later.py").write_text(
        "import calc\n\n\ndef test_later():\n    assert calc.later(1) == 2\n"
    )
    (project / "test_bad.py").write_text("def broken(:\n    pass\n")
    (project / "test_far.py").write_text("import requests_of_nobody\n\n\ndef test_far(): ...\n")
    told = {"sandbox": "bubblewrap", "apply": "never", "max_attempts": 0, "colour": "green"}
    settings = environment(tmp_path / "state", solver="offline")
    async with started(project, "minimal", settings, options=told) as editor:
        # It cannot be asked for settings, so it tells them when it begins; what is wrong is said once.
        await editor.until(lambda: len(editor.messages()) == 2, "two warnings")
        assert [text.split(":")[2].strip() for text in editor.messages()] == ["max_attempts", "colour"]
        code, later, bad, far = map(editor.open, ("calc.py", "test_later.py", "test_bad.py", "test_far.py"))

        # By its name alone, as from a list of commands.
        async def command(name: str) -> Any:
            params = lsp.ExecuteCommandParams(f"untilgreen.{name}")
            return await editor.client.workspace_execute_command_async(params)

        await editor.until_ended((await command("test"))["job"])
        [mark] = editor.diagnostics(bad)
        assert mark.range.start.line == 0 and "SyntaxError" in mark.message
        [mark] = editor.diagnostics(far)
        assert mark.severity == lsp.DiagnosticSeverity.Warning and "whatever the code is" in mark.message
        [mark] = editor.diagnostics(later)
        assert (mark.code, mark.range.start.line) == ("test_later.py::test_later", 4)
        [reached] = [mark for mark in editor.diagnostics(code) if mark.code == "test_later.py::test_later"]
        assert (
            reached.range.start.line == 9 and "test_later fails here: NotImplementedError" in reached.message
        )

        offered = await editor.actions(code, 9)
        assert "Implement this stub until its tests pass: later" in offered
        assert any(title.startswith("Run 1 test (failed ") for title in await editor.lenses(code))
        assert (await editor.lenses(later))[0].startswith("Run (failed ")
        assert await editor.actions("untitled:Untitled-1", 0) == {}

        for name, said in (
            ("history", "The last jobs are in the server's log."),
            ("doctor", "untilgreen: "),
            ("watch", "Watch mode: off."),
            ("stop", "Nothing is running."),
            ("undo", "left to undo"),
        ):
            editor.client.messages.clear()
            await command(name)
            await editor.until_said(said)
        for name in ("apply", "discard", "review"):
            with pytest.raises(JsonRpcException):
                await command(name)
        await editor.run("untilgreen.apply", job="nonsense")
        await editor.until_said("Job 'nonsense' has no fix that is still kept.")
        assert editor.notices == [] and editor.client.progress_reports == {}


async def test_tests_can_be_found_and_run_without_messages_that_nobody_asked_for(
    project: Path, tmp_path: Path
) -> None:
    async with started(project, "minimal", environment(tmp_path / "state", sandbox="bubblewrap")) as editor:
        send = editor.client.protocol.send_request_async
        [top] = (await send("experimental/discoverTest", {})).tests
        assert top.id == uri_of(project)
        [file] = (await send("experimental/discoverTest", {"testId": top.id})).tests
        add, _ = (await send("experimental/discoverTest", {"testId": file.id})).tests
        await send("experimental/runTest", {"include": [add.id]})
        await editor.until_said("1 of 1 test not green.")
        tests = uri_of(project / "test_calc.py")
        assert [mark.code for mark in editor.diagnostics(tests)] == ["test_calc.py::test_add"]
        assert await send("experimental/runTest", {"include": ["nonsense"]}) is None
        (project / "test_calc.py").write_text(slow(60))
        await send("experimental/runTest", {})
        logs = editor.client.log_messages
        await editor.until(lambda: any("running 3 tests" in log.message for log in logs), "the run")
        editor.client.protocol.notify("experimental/abortRunTest", None)
        await editor.until_said("Stopped")
        assert editor.notices == []


async def test_unsaved_text_lenses_folders_and_stop(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "test_other.py").write_text("def test_other():\n    assert 1 == 2\n")
    settings = environment(tmp_path / "state", solver=scripted(project))
    told = {"sandbox": "bubblewrap", "apply": "never"}
    async with started(project, "minimal", settings, folders=[project, other], options=told) as editor:
        tests, code = editor.open("test_calc.py"), editor.open("calc.py", FIXED)
        await editor.run("untilgreen.test", uri=tests)
        await editor.until_said("with unsaved changes in calc.py.")
        assert not editor.diagnostics(tests)
        assert (await editor.lenses(tests))[0].startswith("Run (passed ")
        editor.type(code, BROKEN)
        theirs = uri_of(other / "test_other.py")
        await editor.run("untilgreen.test", uri=theirs)
        await editor.until_said("1 of 1 test not green.")
        assert [mark.code for mark in editor.diagnostics(theirs)] == ["test_other.py::test_other"]
        editor.type(tests, slow(600))
        job = (await editor.run("untilgreen.solve", uri=tests))["job"]
        assert "already" in (await editor.run("untilgreen.solve", uri=tests))["reason"]
        await editor.choose((await editor.actions(tests, 0))["Stop what is running"])
        await editor.until_said("Stopped")
        await editor.until_ended(job)
        editor.type(tests, TESTS)
        # Two jobs at a time would be refused.
        for _ in range(400):
            if (await editor.run("untilgreen.test", uri=tests))["job"]:
                break
            await asyncio.sleep(0.05)
        await editor.until_said("2 of 2 tests not green.")
        # With two folders a command has to say which it means.
        with pytest.raises(JsonRpcException):
            params = lsp.ExecuteCommandParams("untilgreen.solve")
            await editor.client.workspace_execute_command_async(params)
        assert editor.notices == [] and editor.client.progress_reports == {}
