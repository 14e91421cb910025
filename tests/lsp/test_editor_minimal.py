"""An editor that supports nothing optional still gets all that a person needs to know."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types as lsp

from lsp.conftest import BROKEN, FIXED, TESTS, scripted, slow
from lsp.starting import environment, started
from untilgreen.lsp.folders import uri_of


async def test_nothing_optional_is_needed(project: Path, tmp_path: Path) -> None:
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project))
    async with started(project, "minimal", settings) as editor:
        tests, code = editor.open("test_calc.py"), editor.open("calc.py")
        run = await editor.run("untilgreen.test", uri=tests)
        assert run["job"]
        await editor.until_said("2 of 2 tests not green.")
        assert [mark.related_information for mark in editor.diagnostics(tests)] == [None, None]
        hover = await editor.hover(tests, 3)
        assert hover.startswith("test_add failed ") and "expected: 3" in hover
        assert not {"`", "*", "\\"} & set(hover), "shown as it is, so nothing is marked up"
        here = lsp.Range(lsp.Position(5, 0), lsp.Position(5, 0))
        found = await editor.client.text_document_code_action_async(
            lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(tests), here, lsp.CodeActionContext(diagnostics=[])
            )
        )
        assert all(isinstance(action, lsp.Command) for action in found or ())
        solve = next(action for action in found or () if "this file" in action.title)
        assert isinstance(solve, lsp.Command)
        params = lsp.ExecuteCommandParams(solve.command, solve.arguments)
        started_job = await editor.client.workspace_execute_command_async(params)
        await editor.until_said("does not let a server edit files")
        assert editor.text(code) == BROKEN and (project / "calc.py").read_text() == BROKEN
        await editor.run("untilgreen.review", job=started_job["job"])
        await editor.until(
            lambda: any("+    return a + b" in log.message for log in editor.client.log_messages), "the diff"
        )
        assert editor.notices == [] and editor.client.progress_reports == {}


async def test_unsaved_text_lenses_folders_settings_and_stop(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "test_other.py").write_text("def test_other():\n    assert 1 == 2\n")
    settings = environment(tmp_path / "state", solver=scripted(project))
    # It cannot be asked for settings, so it tells them when it begins.
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
        assert await editor.run("untilgreen.stop", job=job)
        await editor.until_said("Stopped")
        editor.type(tests, TESTS)
        # Two jobs at a time would be refused.
        for _ in range(400):
            if (await editor.run("untilgreen.test", uri=tests))["job"]:
                break
            await asyncio.sleep(0.05)
        await editor.until_said("2 of 2 tests not green.")
        await editor.run("untilgreen.undo", uri=tests)
        await editor.until_said("left to undo")
        assert editor.notices == [] and editor.client.progress_reports == {}
