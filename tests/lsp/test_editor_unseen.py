"""Files that are not Python: their unsaved text counts, and is never written over."""

from __future__ import annotations

from pathlib import Path

from lsp.conftest import script, scripted
from lsp.starting import environment, started
from untilgreen.lsp.folders import uri_of

DATA, MINE, FIXED = '{"total": 2}\n', '{"mine": 1}\n{"total": 2}\n', '{"total": 3}\n'
TESTS = """\
import json
import pathlib


def test_total():
    lines = pathlib.Path("data.json").read_text().splitlines()
    assert json.loads(lines[-1])["total"] == 3


def test_lines():
    assert len(pathlib.Path("data.json").read_text().splitlines()) == 1
"""


def data_project(project: Path) -> None:
    (project / "data.json").write_text(DATA)
    (project / "test_calc.py").write_text(TESTS)
    script(project, {"data.json": FIXED})


async def test_what_vs_code_has_open_is_asked_for(project: Path, tmp_path: Path) -> None:
    data_project(project)
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project), apply="auto")
    async with started(project, "visual_studio_code", settings) as editor:
        tests, data = editor.open("test_calc.py"), editor.open("data.json")
        await editor.until(lambda: not editor.untold, "the server to ask for all files")
        editor.type(data, MINE)
        # What is not copied into the sandbox has no say in it.
        (project / "node_modules").mkdir()
        editor.open("node_modules/notes.txt", "never saved")
        run = await editor.run("untilgreen.test", uri=tests)
        ending = await editor.until_ended(run["job"])
        assert ending == "2 of 2 tests not green, with unsaved changes in data.json."
        editor.type(data, DATA)
        await editor.solve(tests)
        await editor.until(lambda: editor.text(data) == FIXED, "the fix")
        assert editor.edits[-1].edit.document_changes is not None


async def test_what_neovim_does_not_tell_of_is_not_edited_blindly(project: Path, tmp_path: Path) -> None:
    data_project(project)
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project), apply="auto")
    async with started(project, "neovim", settings) as editor:
        tests, data = editor.open("test_calc.py"), editor.open("data.json")
        editor.type(data, MINE)
        assert editor.untold == {uri_of(project / "data.json")}
        await editor.solve(tests)
        await editor.until(lambda: (project / "data.json").read_text() == FIXED, "the fix")
        assert editor.text(data) == MINE, "what was typed is the user's"
        assert editor.edits == []
        await editor.run("untilgreen.undo", uri=tests)
        await editor.until(lambda: (project / "data.json").read_text() == DATA, "the undo")
