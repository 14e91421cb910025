"""Several folders, none, files outside of them, documents that are no files: something sensible for each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from lsp.conftest import FIXED, TESTS, scripted
from lsp.editor import Document, Manners
from lsp.starting import environment, started
from untilgreen.lsp.folders import uri_of

ONE = "def test_one():\n    assert False\n"


async def test_two_folders_work_side_by_side(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "pkg").mkdir(parents=True)
    (other / "pkg" / "test_one.py").write_text(ONE)
    (other / "pyproject.toml").write_text("")
    settings = environment(tmp_path / "state", sandbox="bubblewrap")
    async with started(project, "visual_studio_code", settings, folders=[project, other]) as editor:
        first = editor.open("test_calc.py")
        second = uri_of(other / "pkg" / "test_one.py")
        jobs = [await editor.run("untilgreen.test", uri=uri) for uri in (first, second)]
        assert all(job["job"] for job in jobs), "one job in each"
        for job in jobs:
            await editor.until_ended(job["job"])
        assert len(editor.diagnostics(first)) == 2
        assert [mark.code for mark in editor.diagnostics(second)] == ["pkg/test_one.py::test_one"]
        gone = lsp.WorkspaceFoldersChangeEvent([], [lsp.WorkspaceFolder(uri_of(other), "other")])
        editor.client.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(gone))
        await editor.until(lambda: not editor.diagnostics(second), "the marks of a closed folder to go")
        assert len(editor.diagnostics(first)) == 2
        # A file outside of all folders has the project around it.
        outside = await editor.run("untilgreen.test", uri=second)
        assert await editor.until_ended(outside["job"]) == "1 of 1 test not green."
        assert [mark.code for mark in editor.diagnostics(second)] == ["pkg/test_one.py::test_one"]


async def test_packages_in_one_root_are_solved_one_by_one(
    project: Path, tmp_path: Path, manners: Manners
) -> None:
    for name in ("left", "right"):
        package = project / "packages" / name
        (package / "tests").mkdir(parents=True)
        (package / "pyproject.toml").write_text(f"[project]\nname = '{name}'\nversion = '1'\n")
        (package / f"{name}.py").write_text(f"def add_{name}(a, b):\n    return a - b\n")
        (package / "tests" / f"test_{name}.py").write_text(
            f"from {name} import add_{name}\n\n\ndef test_it():\n    assert add_{name}(1, 2) == 3\n"
            f"    assert add_{name}(-4, 9) == 5\n"
        )
        (package / "conftest.py").write_text("")
    settings = environment(tmp_path / "state", sandbox="bubblewrap", apply="auto")
    async with started(project, manners, settings) as editor:
        tests = editor.open("packages/left/tests/test_left.py")
        code = editor.open("packages/left/left.py")
        run = await editor.run("untilgreen.test", uri=tests)
        await editor.until_ended(run["job"])
        assert [mark.code for mark in editor.diagnostics(tests)] == [
            "packages/left/tests/test_left.py::test_it"
        ]
        offered = await editor.actions(tests, 3)
        job = (await editor.choose(offered["Solve until green: this file"]))["job"]
        await editor.until_ended(job)
        await editor.until(lambda: "a + b" in editor.text(code), "the fix")
        await editor.until(lambda: not editor.diagnostics(tests), "the marks to go")
        other = uri_of(project / "packages" / "right" / "tests" / "test_right.py")
        assert [mark.code for mark in editor.diagnostics(other)] == [
            "packages/right/tests/test_right.py::test_it"
        ], "nobody asked for the other one"


async def test_without_a_folder_the_project_around_a_file_is_taken(
    project: Path, tmp_path: Path, manners: Manners
) -> None:
    (project / "pyproject.toml").write_text("[project]\nname = 'calc'\nversion = '1'\n")
    inner = project / "tests"
    inner.mkdir()
    (project / "test_calc.py").rename(inner / "test_calc.py")
    (inner / "conftest.py").write_text(
        "import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parents[1]))\n"
    )
    (tmp_path / "elsewhere").mkdir()
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project))
    async with started(tmp_path / "elsewhere", manners, settings, folders=[]) as editor:
        editor.root = project
        tests = editor.open("tests/test_calc.py")
        run = await editor.run("untilgreen.test", uri=tests)
        assert await editor.until_ended(run["job"]) == "2 of 2 tests not green."
        assert {mark.code for mark in editor.diagnostics(tests)} == {
            "tests/test_calc.py::test_add",
            "tests/test_calc.py::test_sub",
        }


async def test_documents_that_are_no_files_are_left_alone(
    project: Path, tmp_path: Path, manners: Manners
) -> None:
    async with started(project, manners, environment(tmp_path / "state")) as editor:
        for uri in (
            "untitled:Untitled-1",
            "vscode-notebook-cell:/w/a.ipynb#x",
            "untilgreen:/j/1/after/test_a.py",
        ):
            item = lsp.TextDocumentItem(uri, "python", 1, TESTS)
            editor.documents[uri] = Document(TESTS, 1)
            editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
            assert await editor.actions(uri, 5) == {}
            assert await editor.lenses(uri) == []
            assert await editor.hover(uri, 5) == ""
            editor.type(uri, TESTS + "\n")
        (project / "notes.txt").write_text("def test_one(): pass\n")
        assert await editor.actions(editor.open("notes.txt"), 0) == {}
        assert list(await editor.actions(editor.open("calc.py"), 0)) == [
            "Solve until green: everything failing",
            "Run tests in the sandbox",
        ]
        assert await editor.actions(editor.open("test_calc.py"), 0, only=["refactor"]) == {}
        assert await editor.actions(editor.open("test_calc.py"), 5, only=["source.fixAll"]) == {}


async def test_a_stub_is_offered_when_tests_reach_it(project: Path, tmp_path: Path, manners: Manners) -> None:
    (project / "calc.py").write_text(
        "def add(a, b):\n    raise NotImplementedError\n\n\ndef never(a):\n    ...\n"
    )
    parameters = "import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2])\n"
    tests = f"{parameters}def test_add(n):\n    import calc\n\n    assert calc.add(n, 0) == n\n"
    (project / "test_calc.py").write_text(tests)
    settings = environment(tmp_path / "state", sandbox="bubblewrap")
    async with started(project, manners, settings) as editor:
        code = editor.open("calc.py")

        async def offered(line: int) -> list[str]:
            return [title for title in await editor.actions(code, line) if title.startswith("Implement")]

        # The tests are looked for in the background.
        for _ in range(200):
            if await offered(1):
                break
        assert await offered(1) == ["Implement this stub until its tests pass: add"]
        assert await offered(5) == [], "no test reaches it"
        assert await editor.lenses(code) == ["Run 1 test", "Solve until green (1 test)"]
        await editor.until_ended((await editor.run("untilgreen.test", uri=code))["job"])
        [run, solve] = await editor.lenses(code)
        assert re.fullmatch(r"Run 1 test \(2 of 2 failed \d s ago, \d+ ms\)", run)
        assert solve == "Solve until green (1 test)"


async def test_what_a_run_in_the_folder_around_said_is_shown_and_solved_there(
    project: Path, tmp_path: Path
) -> None:
    inner = project / "inner"
    inner.mkdir()
    text = "def test_inner():\n    import calc\n\n    assert calc.add(1, 2) == 3\n"
    (inner / "test_inner.py").write_text(text)
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project), apply="never")
    async with started(project, "neovim", settings, folders=[project, inner]) as editor:
        code, tests = editor.open("calc.py"), editor.open("inner/test_inner.py")

        async def lens(title: str) -> Any:
            """The argument of the first lens in the inner file that begins so."""
            params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(tests))
            found = await editor.client.text_document_code_lens_async(params)
            commands = [one.command for one in found or () if one.command is not None]
            [argument] = next(one.arguments or () for one in commands if one.title.startswith(title))
            return argument

        # Before any run it would be the innermost; then it is where somebody ran it.
        here = {"uri": tests, "tests": ["test_inner.py::test_inner"]}
        assert await lens("Run") == here
        await editor.until_ended((await editor.run("untilgreen.test", uri=code))["job"])
        there = {"uri": uri_of(project), "tests": ["inner/test_inner.py::test_inner"]}
        assert await lens("Run (failed ") == there
        assert "expected: 3\nactual:   -1" in await editor.hover(tests, 0)
        job = (await editor.run("untilgreen.solve", **await lens("Solve until green")))["job"]
        await editor.until_ended(job)
        assert await lens("Apply verified fix") == {"job": job}
        await editor.choose((await editor.actions(tests, 0))["Apply verified fix"])
        await editor.until_said("Changed: calc.py")
        assert editor.text(code) == FIXED and not editor.diagnostics(tests)
        await editor.choose((await editor.actions(tests, 0))["Undo last solve"])
        await editor.until(lambda: len(editor.diagnostics(tests)) == 1, "the mark of before")
        editor.type(tests, "def test_other():\n    pass\n")
        await editor.until(lambda: not editor.diagnostics(tests), "the mark of a test that is gone")
        # In the folder inside it is another test, with an outcome of its own.
        editor.type(tests, text)
        run = await editor.run("untilgreen.test", uri=tests)
        assert await editor.until_ended(run["job"]) == "1 of 1 test not green."
        assert await lens("Run (") == here
