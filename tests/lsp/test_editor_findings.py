"""A fix that needs eyes is offered in the editor, never applied by itself."""

from __future__ import annotations

from pathlib import Path

from lsp.conftest import BROKEN, FIXED, environment, script, server_command
from lsp.editor import Editor, started

NEEDS_EYES = "import subprocess\n" + FIXED + "\nsubprocess.run(['true'])\n"


async def test_a_fix_with_findings_is_offered_by_its_number_of_findings(editor: Editor) -> None:
    script(editor.root, {"calc.py": NEEDS_EYES})
    code = editor.open("calc.py")
    for number, answer in enumerate([None, "Apply", "Apply with 1 finding"], start=1):
        assert editor.text(code) == BROKEN
        editor.answer = answer
        solve = await editor.run("untilgreen.solve", uri=code)
        await editor.until_ended(solve["job"])
        await editor.until(lambda number=number: len(editor.questions) == number, "the question")  # type: ignore[misc]
    await editor.until(lambda: editor.text(code) == NEEDS_EYES, "the fix")
    assert "subprocess.run: it starts another program" in str(editor.questions[0])
    assert len(editor.edits) == 1


async def test_a_blocked_fix_is_not_even_offered(project: Path, backend: str) -> None:
    script(project, {"calc.py": NEEDS_EYES})
    settings = environment(project, sandbox=backend, findings="subprocess=block")
    async with started(server_command(), project, "neovim", settings) as editor:
        code = editor.open("calc.py")
        solve = await editor.run("untilgreen.solve", uri=code)
        await editor.until_ended(solve["job"])
        await editor.until(
            lambda: any("blocks subprocess" in text for text in editor.messages()), "the message"
        )
        assert editor.questions == [] and editor.edits == []
        assert editor.text(code) == BROKEN
