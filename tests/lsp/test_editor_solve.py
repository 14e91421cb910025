"""From a failing test to a fix in the editor, with the real engine in a real sandbox."""

from __future__ import annotations

from pathlib import Path

from lsp.conftest import BROKEN, FIXED, environment, script, server_command, slow
from lsp.editor import Editor, started


async def test_two_failing_tests_become_green(editor: Editor) -> None:
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")

    run = await editor.run("untilgreen.test", uri=tests)
    assert await editor.until_ended(run["job"]) == "2 of 2 tests not green."
    shown = editor.diagnostics(tests)
    assert [d.code for d in shown] == ["test_calc.py::test_add", "test_calc.py::test_sub"]
    assert [d.range.start.line for d in shown] == [5, 9]
    assert "actual:   -1" in shown[0].message

    actions = await editor.actions(tests, 5, shown[:1])
    assert list(actions) == [
        "Solve until green: test_add",
        "Solve until green: this file",
        "Run tests in the sandbox",
    ]
    solve = await editor.choose(actions["Solve until green: this file"])
    ending = await editor.until_ended(solve["job"])
    told = editor.progress(solve["job"])
    assert told[0] == "begin: Solve until green: test_calc.py"
    assert "report: verifying in a fresh sandbox" in told
    assert "report: attempt 1 · 2 of 2 green" in told
    assert "Changed: calc.py." in ending

    [edit] = editor.edits
    assert edit.label == "Solve until green"
    assert editor.text(code) == FIXED
    assert (editor.root / "calc.py").read_text() == BROKEN, "saving is the user's business"
    await editor.until(lambda: not editor.diagnostics(tests), "the diagnostics to go")
    assert any(ending in message for message in editor.messages())


async def test_what_the_user_typed_meanwhile_stays(editor: Editor) -> None:
    (editor.root / "test_calc.py").write_text(slow(1))
    code = editor.open("calc.py")
    solve = await editor.run("untilgreen.solve", uri=code)
    await editor.until_reported(solve["job"], "running")
    mine = BROKEN.replace("a - b", "a - b  # mine")
    editor.type(code, mine)
    assert "calc.py" in await editor.until_ended(solve["job"])
    assert editor.text(code) == mine
    assert editor.edits == []
    assert any("calc.py" in message and "nothing was" in message for message in editor.messages())


async def test_a_fix_moves_along_with_what_was_typed_beside_it(editor: Editor) -> None:
    (editor.root / "test_calc.py").write_text(slow(1))
    code = editor.open("calc.py")
    solve = await editor.run("untilgreen.solve", uri=code)
    await editor.until_reported(solve["job"], "running")
    editor.type(code, "# mine\n" + BROKEN)
    assert "verified again" in await editor.until_ended(solve["job"])
    assert editor.text(code) == "# mine\n" + FIXED


async def test_a_keystroke_that_crosses_the_edit_wins(editor: Editor) -> None:
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")
    mine = "# mine\n" + BROKEN
    editor.at_the_last_moment = lambda: editor.type(code, mine)
    solve = await editor.run("untilgreen.solve", uri=code)
    ending = await editor.until_ended(solve["job"])
    assert editor.text(code) == mine
    assert ending.startswith("The editor "), "what Neovim skips it reports as applied; we look for ourselves"
    assert len(editor.diagnostics(tests)) == 2
    await editor.run("untilgreen.undo", uri=code)
    await editor.until(lambda: "left to undo" in editor.messages()[-1], "nothing to undo")
    assert editor.text(code) == mine


async def test_unsaved_text_is_what_runs(editor: Editor) -> None:
    editor.open("calc.py", FIXED)
    tests = editor.open("test_calc.py")
    run = await editor.run("untilgreen.test", uri=tests)
    assert await editor.until_ended(run["job"]) == "All 2 tests green."
    assert editor.diagnostics(tests) == ()


async def test_windows_line_ends_survive(editor: Editor) -> None:
    (editor.root / "calc.py").write_bytes(BROKEN.replace("\n", "\r\n").encode())
    code = editor.open("calc.py")
    solve = await editor.run("untilgreen.solve", uri=code)
    assert "Changed: calc.py." in await editor.until_ended(solve["job"])
    assert editor.text(code) == FIXED.replace("\n", "\r\n")


async def test_files_that_are_not_open_are_created_and_changed(editor: Editor) -> None:
    moved = "from signs import add, sub\n\n__all__ = ['add', 'sub']\n"
    script(editor.root, {"calc.py": moved, "signs.py": FIXED})
    solve = await editor.run("untilgreen.solve", uri=editor.open("test_calc.py"))
    await editor.until_ended(solve["job"])
    texts = {Path(uri).name: document.text for uri, document in editor.documents.items()}
    assert texts["calc.py"] == moved
    assert texts["signs.py"] == FIXED


async def test_a_fix_can_be_taken_back(editor: Editor) -> None:
    code = editor.open("calc.py")
    solve = await editor.run("untilgreen.solve", uri=code)
    await editor.until_ended(solve["job"])
    assert editor.text(code) == FIXED
    await editor.run("untilgreen.undo", uri=code)
    await editor.until(lambda: editor.text(code) == BROKEN, "the undo")
    await editor.until(lambda: any("Undone" in message for message in editor.messages()), "its message")
    await editor.run("untilgreen.undo", uri=code)
    await editor.until(lambda: len(editor.messages()) == 3, "the refusal")


async def test_a_cancelled_job_stops_and_applies_nothing(editor: Editor) -> None:
    (editor.root / "test_calc.py").write_text(slow(60))
    code = editor.open("calc.py")
    solve = await editor.run("untilgreen.solve", uri=code)
    await editor.until_reported(solve["job"], "running")
    editor.cancel(editor.token(solve["job"]))
    await editor.until_ended(solve["job"])
    assert editor.edits == []
    # The server lives, and the folder is free again.
    (editor.root / "test_calc.py").write_text("def test_one():\n    pass\n")
    run = await editor.run("untilgreen.test", uri=code)
    assert await editor.until_ended(run["job"]) == "All 1 test green."


async def test_a_busy_folder_says_so(editor: Editor) -> None:
    (editor.root / "test_calc.py").write_text(slow(60))
    code = editor.open("calc.py")
    first = await editor.run("untilgreen.test", uri=code)
    second = await editor.run("untilgreen.test", uri=code)
    assert first["job"]
    assert second["job"] is None
    assert any(second["reason"] in message for message in editor.messages())
    assert await editor.run("untilgreen.stop", job=first["job"]) is True
    await editor.until_ended(first["job"])
    assert await editor.run("untilgreen.stop") is False


async def test_a_fix_is_applied_only_when_the_user_says_so(project: Path, backend: str) -> None:
    settings = environment(project, sandbox=backend, apply="ask")
    async with started(server_command(), project, "visual_studio_code", settings) as editor:
        code = editor.open("calc.py")
        for number, answer in enumerate(["Discard", None, "Apply"], start=1):
            editor.answer = answer
            solve = await editor.run("untilgreen.solve", uri=code)
            await editor.until_ended(solve["job"])
            await editor.until(lambda number=number: len(editor.questions) == number, "the question")  # type: ignore[misc]
        await editor.until(lambda: editor.text(code) == FIXED, "the fix")
        assert len(editor.edits) == 1


async def test_a_fix_that_is_never_applied_is_told(project: Path, backend: str) -> None:
    settings = environment(project, sandbox=backend, apply="never")
    async with started(server_command(), project, "neovim", settings) as editor:
        code = editor.open("calc.py")
        solve = await editor.run("untilgreen.solve", uri=code)
        await editor.until_ended(solve["job"])
        await editor.until(lambda: any("not applied" in text for text in editor.messages()), "the message")
        assert editor.edits == []
