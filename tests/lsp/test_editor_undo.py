"""A fix is taken back as it came, and nothing else with it: what was typed since stays."""

from __future__ import annotations

import asyncio
import time

import pytest

from lsp.conftest import BROKEN, FIXED, script, scripted
from lsp.editor import Editor

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.needs_edits]
MORE, MORE_FIXED = "FACTOR = 2\n\n\nWORD = 'no'\n", "FACTOR = 2\n\n\nWORD = 'yes'\n"


async def test_who_types_right_after_the_edit_can_still_undo_all_of_it(editor: Editor) -> None:
    (editor.root / "more.py").write_text(MORE)
    script(editor.root, {"calc.py": FIXED, "more.py": MORE_FIXED})
    code, more = editor.open("calc.py"), editor.open("more.py")

    # Both are typed into before the server hears of the edit: it never sees the text that it meant.
    def type_in_both() -> None:
        if editor.text(code) == BROKEN or editor.text(more) == MORE:
            # Plain Neovim gets an edit for each document.
            editor.right_after = type_in_both
            return
        editor.type(code, "# mine\n" + editor.text(code))
        editor.type(more, "# mine\n" + editor.text(more))

    editor.right_after = type_in_both
    began = time.monotonic()
    started = await editor.run("untilgreen.solve", uri=code)
    await editor.until(lambda: bool(editor.edits), "the edit")
    sent = time.monotonic()
    assert "Changed: calc.py, more.py" in await editor.until_ended(started["job"])
    assert time.monotonic() - sent < max(4.0, sent - began), "nobody waits for a text that never comes"
    assert editor.text(code) == "# mine\n" + FIXED
    undone = await editor.run("untilgreen.undo", uri=code)
    await editor.until_said("Undone in calc.py, more.py.")
    assert editor.text(code) == "# mine\n" + BROKEN
    assert editor.text(more) == "# mine\n" + MORE
    assert editor.edits[-1].label == "Undo last solve"
    # The undo is a job, too, and is undone by its name.
    editor.client.messages.clear()
    await editor.run("untilgreen.undo", uri=code, job=undone["job"])
    await editor.until_said("Undone in calc.py, more.py.")
    assert editor.text(code) == "# mine\n" + FIXED


async def test_what_was_typed_in_the_fix_itself_is_lost_only_after_a_yes(editor: Editor) -> None:
    code = editor.open("calc.py")
    await editor.solve(code)
    await editor.until(lambda: editor.text(code) == FIXED, "the fix")
    mine = FIXED.replace("a + b", "a + b  # mine")
    editor.type(code, mine)
    editor.answer = "Keep my edits"
    await editor.run("untilgreen.undo", uri=code)
    asked = await editor.until_asked()
    assert "calc.py was edited since" in asked and "--force" not in asked
    assert [item.title for item in editor.questions[0].actions or ()] == [
        "Undo all the same",
        "Keep my edits",
    ]
    await editor.until(
        lambda: any("# mine" in log.message for log in editor.client.log_messages), "what would be lost"
    )
    assert editor.text(code) == mine
    editor.answer = "Undo all the same"
    undone = await editor.run("untilgreen.undo", uri=code)
    await editor.until_said("Undone in calc.py.")
    assert editor.text(code) == BROKEN
    # Even that can be taken back, by the name that the command gave it.
    editor.client.messages.clear()
    await editor.run("untilgreen.undo", uri=code, job=undone["job"])
    await editor.until_said("Undone in calc.py.")
    assert editor.text(code) == mine


async def test_an_undo_that_a_keystroke_crosses_can_be_tried_again(editor: Editor) -> None:
    editor.set(solver=scripted(editor.root), apply="auto")
    code = editor.open("calc.py")
    await editor.solve(code)
    await editor.until(lambda: editor.text(code) == FIXED, "the fix")

    def cross() -> None:
        editor.at_the_last_moment = lambda: None
        editor.type(code, "# mine\n" + FIXED)

    editor.at_the_last_moment = cross
    await editor.run("untilgreen.undo", uri=code)
    await editor.until_said("The editor ")
    assert editor.text(code) == "# mine\n" + FIXED
    await editor.run("untilgreen.undo", uri=code)
    await editor.until_said("Undone in calc.py.")
    assert editor.text(code) == "# mine\n" + BROKEN


async def test_a_fix_that_comes_back_with_its_file_can_be_undone_again(editor: Editor) -> None:
    code = editor.open("calc.py")
    await editor.solve(code)
    await editor.until(lambda: editor.text(code) == FIXED, "the fix")
    editor.save(code)
    # Out by hand and in again, as when a branch is left and entered.
    editor.type(code, BROKEN)
    editor.save(code)
    await editor.run("untilgreen.undo", uri=code)
    await editor.until_said("left to undo")
    assert "Undo last solve" not in await editor.actions(code, 0)
    editor.type(code, FIXED)
    editor.save(code)
    deadline = time.monotonic() + 60
    while "Undo last solve" not in (offered := await editor.actions(code, 0)):
        assert time.monotonic() < deadline, list(offered)
        await asyncio.sleep(0.02)
    await editor.choose(offered["Undo last solve"])
    await editor.until(lambda: editor.text(code) == BROKEN, "the text before the fix")
