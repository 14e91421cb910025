"""What goes wrong is shown where it is, and ends nothing but itself."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from lsp.conftest import BROKEN, FIXED, TESTS, slow
from lsp.editor import Manners
from lsp.scripted_box import BASE
from lsp.starting import environment, started
from lsp.test_editor_fuzz import SCRIPTED
from untilgreen.lsp.folders import uri_of
from untilgreen.lsp.opened import MOST_AT_ONCE

CRASHING = """\
import sys
sys.path.insert(0, sys.argv[1])
import scripted_box

async def crash(self, request, changes=()):
    raise ValueError("a bug inside")

scripted_box.ScriptedBox.run = crash
scripted_box.main()
"""


async def test_a_crash_in_a_job_leaves_the_server_alive(
    project: Path, tmp_path: Path, manners: Manners
) -> None:
    own = environment(tmp_path / "state", sandbox="bubblewrap")
    own["UNTILGREEN_TEST_LEDGER"] = str(tmp_path / "ledger")
    command = [sys.executable, "-c", CRASHING, str(Path(__file__).parent)]
    async with started(project, manners, own, command=command) as editor:
        code = editor.open("calc.py")
        for _ in range(2):
            job = (await editor.run("untilgreen.solve", uri=code))["job"]
            assert await editor.until_ended(job) == "failed"
        await editor.until_said("Something went wrong inside untilgreen: ValueError")
        assert await editor.actions(code, 0), "the server lives, and the folder is free"
        assert await editor.run("untilgreen.stop") is False
    noted = (tmp_path / "ledger").read_text().splitlines()
    assert noted.count("open") == noted.count("close") > 0


async def test_a_file_that_cannot_be_parsed_is_marked_where_it_breaks(
    project: Path, tmp_path: Path, manners: Manners
) -> None:
    (project / "calc.py").write_text(BROKEN + "\ndef broken(:\n    pass\n")
    (project / "test_more.py").write_text("import requests_of_nobody\n\n\ndef test_far(): ...\n")
    settings = environment(tmp_path / "state", sandbox="bubblewrap")
    async with started(project, manners, settings) as editor:
        code, tests, more = (editor.open(name) for name in ("calc.py", "test_calc.py", "test_more.py"))
        run = await editor.run("untilgreen.test", uri=tests)
        await editor.until_ended(run["job"])
        [mark] = editor.diagnostics(code)
        assert mark.code == "test_calc.py" and "SyntaxError" in mark.message
        assert mark.range.start.line == 7
        # What no change of the code can mend is a warning that says what to do.
        [missing] = editor.diagnostics(more)
        assert missing.severity == lsp.DiagnosticSeverity.Warning
        assert "requests_of_nobody" in missing.message and "whatever the code is" in missing.message
        offered = [
            title
            for title in await editor.actions(more, 0)
            if title.startswith("Solve until green: this test")
        ]
        assert offered == [], "nothing to solve there"
        editor.type(code, FIXED)
        editor.save(code)
        editor.close(more)
        (project / "test_more.py").unlink()
        run = await editor.run("untilgreen.test", uri=tests)
        assert await editor.until_ended(run["job"]) == "All 2 tests green."
        assert not editor.diagnostics(code) and not editor.diagnostics(more)


async def test_a_fix_that_is_verified_again_can_be_stopped(project: Path, tmp_path: Path) -> None:
    (project / "test_calc.py").write_text(slow(1))
    proposal = {"hypothesis": "signs", "files": {"calc.py": FIXED}}
    (tmp_path / "script.json").write_text(json.dumps({"name": "scripted", "proposals": [proposal]}))
    settings = environment(
        tmp_path / "state", sandbox="bubblewrap", solver=f"scripted:{tmp_path / 'script.json'}", apply="never"
    )
    async with started(project, "visual_studio_code", settings) as editor:
        code = editor.open("calc.py")
        job = await editor.solve(code)
        editor.type(code, "# mine\n" + BROKEN)
        await editor.run("untilgreen.apply", job=job)
        applying = f"{job}-apply1"
        await editor.until(lambda: bool(editor.progress(applying)), "the progress")
        [begin, *_] = editor.client.progress_reports[editor.token(applying)]
        assert getattr(begin, "cancellable", False)
        editor.cancel(editor.token(applying))
        await editor.until_ended(applying)
        await editor.until_said("Stopped; nothing was written.")
        assert editor.text(code) == "# mine\n" + BROKEN and editor.edits == []
        # It waits as before, and the command stops it as well.
        await editor.run("untilgreen.apply", job=job)
        await editor.until(lambda: bool(editor.progress(f"{job}-apply2")), "the progress")
        assert await editor.run("untilgreen.stop", job=job) is True
        await editor.until(
            lambda: editor.messages().count("untilgreen: Stopped; nothing was written.") == 2, "it"
        )


async def test_who_leaves_while_a_fix_is_verified_again_leaves_no_box(project: Path, tmp_path: Path) -> None:
    for name, (broken, _) in BASE.items():
        (project / name).write_text(broken)
    own = environment(tmp_path / "state", sandbox="bubblewrap", apply="never")
    own["UNTILGREEN_TEST_LEDGER"] = str(tmp_path / "ledger")
    async with started(project, "visual_studio_code", own, command=SCRIPTED) as editor:
        code = editor.open("calc.py")
        job = await editor.solve(code)
        editor.type(code, "# typed 1;\n" + editor.text(code))
        await editor.run("untilgreen.apply", job=job)
        await editor.client.shutdown_async(None)
        editor.client.exit(None)
        assert await asyncio.wait_for(editor.process.wait(), 20) == 0
    noted = (tmp_path / "ledger").read_text().splitlines()
    assert noted.count("open") == noted.count("close") > 0


@pytest.mark.parametrize("others", [0, MOST_AT_ONCE])
async def test_marks_go_with_the_file_that_is_deleted_or_changed_on_disk(
    project: Path, tmp_path: Path, others: int
) -> None:
    """One file, or with many others, as when another branch is checked out."""
    settings = environment(tmp_path / "state", sandbox="bubblewrap")
    async with started(project, "visual_studio_code", settings) as editor:
        code, tests = editor.open("calc.py"), uri_of(project / "test_calc.py")

        async def told(kind: lsp.FileChangeType) -> None:
            uris = [tests, *(uri_of(project / f"test_other_{n}.py") for n in range(others))]
            changes = [lsp.FileEvent(uri, kind) for uri in uris]
            editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams(changes))

        run = await editor.run("untilgreen.test", uri=code)
        await editor.until_ended(run["job"])
        assert len(editor.diagnostics(tests)) == 2
        if not others:
            (project / "test_calc.py").write_text(TESTS.partition("\n\n\ndef test_sub")[0] + "\n")
            await told(lsp.FileChangeType.Changed)
            await editor.until(lambda: len(editor.diagnostics(tests)) == 1, "the mark of a test that is gone")
        (project / "test_calc.py").unlink()
        await told(lsp.FileChangeType.Deleted)
        await editor.until(lambda: not editor.diagnostics(tests), "no marks in a file that is no more")
