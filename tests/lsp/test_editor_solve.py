"""From a failing test to a fix in the editor, with the real engine in a real sandbox."""

from __future__ import annotations

import pytest

from lsp.conftest import BROKEN, FIXED, script, slow
from lsp.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_two_failing_tests_become_green(editor: Editor) -> None:
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")
    assert await editor.lenses(tests) == ["Run", "Solve until green"] * 2

    run = await editor.run("untilgreen.test", uri=tests)
    assert await editor.until_ended(run["job"]) == "2 of 2 tests not green."
    shown = editor.diagnostics(tests)
    assert [d.code for d in shown] == ["test_calc.py::test_add", "test_calc.py::test_sub"]
    assert [d.range.start.line for d in shown] == [5, 9]
    assert "actual:   -1" in shown[0].message
    assert (await editor.lenses(tests))[0].startswith("Run (failed 0 s ago, ")
    assert "expected: 3\nactual:   -1" in await editor.hover(tests, 3)
    assert await editor.hover(tests, 0) == ""

    # Not from what the editor sends back, but from where the cursor is.
    actions = await editor.actions(tests, 5)
    assert list(actions) == [
        "Solve until green: this test (test_add)",
        "Solve until green: this file",
        "Solve until green: everything failing",
        "Run tests in the sandbox",
    ]
    solve = await editor.choose(actions["Solve until green: this file"])
    ending = await editor.until_ended(solve["job"])
    steps = editor.progress(solve["job"])
    assert steps[0].startswith("begin: Solve until green: test_calc.py")
    assert "report: verifying in a fresh sandbox" in steps
    assert "report: attempt 1 of 12 · 2 of 2 green" in steps
    # A plain client has no way to be asked for a save, and some take no edits: then the user is told.
    endings = {
        "neovim": ["Changed: calc.py. Not saved yet: calc.py."],
        "visual_studio_code": ["Changed: calc.py."],
        # Who reloads at once need not be told.
        "minimal": ["Changed: calc.py. It is on disk: reload calc.py.", "Changed: calc.py."],
    }
    assert ending.endswith(tuple(endings[editor.manners]))

    await editor.until(lambda: editor.text(code) == FIXED, "the fix")
    assert [edit.label for edit in editor.edits] == ["Solve until green"] * (editor.manners != "minimal")
    if editor.manners == "visual_studio_code":
        await editor.until(lambda: editor.saved == [code], "the save: it was saved before")
    on_disk = BROKEN if editor.manners == "neovim" else FIXED
    assert (editor.root / "calc.py").read_text() == on_disk, "plain Neovim saves nothing for us"
    await editor.until(lambda: not editor.diagnostics(tests), "the diagnostics to go")
    await editor.until_said(ending)
    assert (await editor.lenses(tests))[0].startswith("Run (passed ")
    assert "attempt" not in await editor.hover(tests, 3)


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
    asked = await editor.until_asked()
    assert "calc.py" in asked and "nothing was" in asked
    for question in editor.questions:
        assert [item.title for item in question.actions or ()] == ["Review", "Solve again"]
    # The verdict is kept: it can be looked at, and it is offered once the user is back at the old text.
    review = await editor.run("untilgreen.review", job=solve["job"])
    assert "+    return a + b" in review["diff"]
    offered = (await editor.actions(code, 0))["Apply verified fix"]
    assert offered.edit is None, "it would have to be verified again"
    editor.type(code, BROKEN)
    offered = (await editor.actions(code, 0))["Apply verified fix"]
    assert (offered.edit is None) == (editor.manners == "minimal")
    assert offered.tags is None, "no model wrote it"
    await editor.choose(offered)
    await editor.until_said("Changed: calc.py")
    await editor.until(lambda: editor.text(code) == FIXED, "the fix")
    assert editor.edits == [], "the editor made the edit itself"
    if editor.manners == "visual_studio_code":
        await editor.until(lambda: editor.saved == [code], "the save: it was saved before")
    undo = (await editor.actions(code, 0))["Undo last solve"]
    await editor.choose(undo)
    await editor.until(lambda: editor.text(code) == BROKEN, "the undo")


@pytest.mark.needs_edits
async def test_a_fix_moves_along_with_what_was_typed_beside_it(editor: Editor) -> None:
    (editor.root / "test_calc.py").write_text(slow(1))
    code = editor.open("calc.py")
    solve = await editor.run("untilgreen.solve", uri=code)
    await editor.until_reported(solve["job"], "running")
    editor.type(code, "# mine\n" + BROKEN)
    assert "verified again" in await editor.until_ended(solve["job"])
    assert editor.text(code) == "# mine\n" + FIXED
    assert editor.saved == [], "what was not saved before is not saved after"


@pytest.mark.needs_edits
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
    await editor.until_said("left to undo")
    assert editor.text(code) == mine


async def test_unsaved_text_is_what_runs(editor: Editor) -> None:
    editor.open("calc.py", FIXED.replace("a - b", "a / 0"))
    tests = editor.open("test_calc.py")
    run = await editor.run("untilgreen.test", uri=tests)
    ending = await editor.until_ended(run["job"])
    assert ending == "1 of 2 tests not green, with unsaved changes in calc.py."
    [shown] = editor.diagnostics(tests)
    assert shown.message.endswith("Ran with unsaved changes in calc.py.")
    [reached] = editor.diagnostics(next(iter(editor.documents)))
    assert reached.range.start.line == 5
    assert reached.message.startswith("test_sub fails here: ZeroDivisionError")


@pytest.mark.needs_edits
async def test_windows_line_ends_survive_and_a_fix_can_be_taken_back(editor: Editor) -> None:
    broken = BROKEN.replace("\n", "\r\n")
    (editor.root / "calc.py").write_bytes(broken.encode())
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")
    await editor.solve(code)
    assert editor.text(code) == FIXED.replace("\n", "\r\n")
    await editor.run("untilgreen.undo", uri=code)
    await editor.until(lambda: editor.text(code) == broken, "the undo")
    await editor.until_said("Undone in calc.py.")
    await editor.until(lambda: len(editor.diagnostics(tests)) == 2, "the tests to be red again")
    await editor.run("untilgreen.undo", uri=code)
    await editor.until_said("left to undo")


async def test_files_that_are_not_open_are_created_and_changed(editor: Editor) -> None:
    moved = "from signs import add, sub\n\n__all__ = ['add', 'sub']\n"
    script(editor.root, {"calc.py": moved, "signs.py": FIXED})
    await editor.solve(editor.open("test_calc.py"))
    texts = {uri.rpartition("/")[2]: document.text for uri, document in editor.documents.items()}
    if editor.manners == "minimal":
        texts = {name: (editor.root / name).read_text() for name in ("calc.py", "signs.py")}
    assert texts["calc.py"] == moved
    assert texts["signs.py"] == FIXED


async def test_a_cancelled_job_stops_and_applies_nothing(editor: Editor) -> None:
    (editor.root / "test_calc.py").write_text(slow(60))
    code = editor.open("calc.py")
    solve = await editor.run("untilgreen.solve", uri=code)
    await editor.until_reported(solve["job"], "running")
    # At most one job in a folder, and asking again says what is running.
    second = await editor.run("untilgreen.test", uri=code)
    assert second["job"] is None and "solve job is already running" in second["reason"]
    await editor.until_said(second["reason"])
    if editor.manners == "minimal":
        # It has no progress that could be cancelled.
        await editor.choose((await editor.actions(code, 0))["Stop what is running"])
    else:
        assert "Stop what is running" not in await editor.actions(code, 0)
        editor.cancel(editor.token(solve["job"]))
    await editor.until_ended(solve["job"])
    assert editor.edits == []
    assert await editor.run("untilgreen.stop") is False
    # The server lives, and the folder is free again.
    (editor.root / "test_calc.py").write_text("def test_one():\n    pass\n")
    run = await editor.run("untilgreen.test", uri=code)
    assert await editor.until_ended(run["job"]) == "All 1 test green."
