"""An editor that supports nothing optional still gets all that a person needs to know."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from lsp.conftest import BROKEN, scripted
from lsp.starting import environment, started


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
