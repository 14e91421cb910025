"""Watch mode through the language server: saves in an editor, and changes beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp.editor import Editor
from lsp.starting import environment, started
from untilgreen.lsp.folders import uri_of
from watch.project import BUGS, CALC, GOOD, TESTS, Project
from watch.telling import at_rest, causes, message, save, watch

# Whoever measures time here measures the other things that the machine does.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(600)]


async def test_a_bug_is_fixed_on_save_and_can_be_undone(editor: Editor, project: Project) -> None:
    editor.set(solver="offline")
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")
    await watch(editor, "fix")
    save(editor, code, BUGS["add"])
    await editor.until(lambda: bool(editor.diagnostics(tests)), "a diagnostic")
    await editor.until_said("Fixed calc.py: 1 test passes again. Take it back with Undo last solve.")
    assert editor.text(code) == CALC == project.read(), "also saved: it was before"
    await editor.until(lambda: not editor.diagnostics(tests), "no diagnostics")
    await at_rest(editor)
    before = causes(editor)
    assert [cause for cause in before if "calc.py" in cause] == ["watch: saved calc.py"], "our write is none"
    assert causes(editor, "solve") == ["watch: saved calc.py; tests fail"]
    await editor.run("untilgreen.undo", uri=code)
    await editor.until_said("Undone in calc.py")
    assert editor.text(code) == BUGS["add"] == project.read()
    await at_rest(editor)
    save(editor, code, BUGS["add"] + "\n\n# thinking\n")
    await editor.until_said("You took this fix back; it is not made again.")
    await at_rest(editor)
    assert len(causes(editor, "solve")) == 1, "nobody even looked"
    assert editor.text(code) == BUGS["add"] + "\n\n# thinking\n" == project.read()


async def test_a_suggestion_is_a_lens_and_a_code_action(editor: Editor, project: Project) -> None:
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")
    await watch(editor, "suggest")
    save(editor, code, BUGS["sub"])
    await editor.until(lambda: message(editor) == "a verified fix is offered", "an offer")
    assert editor.text(code) == BUGS["sub"] == project.read(), "nothing is written"
    assert "Apply verified fix" in await editor.lenses(code)
    assert "Apply verified fix" in await editor.lenses(tests)
    offered = await editor.actions(code, 5)
    await editor.choose(offered["Apply verified fix"])
    await editor.until(lambda: project.read() == CALC, "the fix")
    await editor.until(lambda: not editor.diagnostics(tests), "no diagnostics")
    await at_rest(editor)
    assert causes(editor, "solve") == ["watch: saved calc.py; tests fail"]


async def test_nothing_is_written_where_somebody_types(editor: Editor, project: Project) -> None:
    editor.set(solver="offline")
    code = editor.open("calc.py")
    await watch(editor, "fix")
    save(editor, code, BUGS["add"])
    await editor.until(lambda: bool(causes(editor, "solve")), "a solve")
    typed = BUGS["add"] + "\n\n# not sav"
    editor.type(code, typed)
    await editor.until(lambda: message(editor) == "a verified fix is offered", "an offer")
    assert editor.text(code) == typed and project.read() == BUGS["add"]
    assert editor.edits == []
    save(editor, code, typed + "ed\n")
    await editor.until(lambda: "Fixed calc.py" in "".join(editor.messages()), "the fix, as all is saved")


async def test_what_others_write_counts_as_well(editor: Editor, project: Project) -> None:
    tests = editor.open("test_calc.py")
    await watch(editor, "diagnose")
    project.write({"calc.py": BUGS["largest"]})
    await editor.until(lambda: bool(editor.diagnostics(tests)), "a diagnostic")
    assert "watch: saved calc.py" in causes(editor)
    project.write({"calc.py": CALC})
    await editor.until(lambda: not editor.diagnostics(tests), "no diagnostics")
    assert causes(editor, "solve") == []


async def test_somebody_who_asks_goes_first(editor: Editor, project: Project) -> None:
    project.write({"test_calc.py": TESTS + "\n\ndef test_slow():\n    import time\n\n    time.sleep(3)\n"})
    code = editor.open("calc.py")
    assert await editor.run("untilgreen.watch", uri=code, mode="fix") == {"mode": "fix"}
    await editor.until(lambda: "watch: started" in causes(editor), "the first run")
    asked = await editor.run("untilgreen.test", uri=code, tests=["test_calc.py::test_add"])
    assert asked["job"], asked
    assert "green" in await editor.until_ended(asked["job"])
    await editor.until(lambda: causes(editor).count("watch: started") == 2, "the rest, afterwards")
    await at_rest(editor)


async def test_the_mode_is_asked_for_and_wrong_ones_are_refused(editor: Editor, project: Project) -> None:
    uri = uri_of(editor.root)
    assert await editor.run("untilgreen.watch", uri=uri) == {"mode": "off"}
    refused = await editor.run("untilgreen.watch", uri=uri, mode="always")
    assert refused["mode"] == "off" and "diagnose" in refused["reason"]
    assert await editor.run("untilgreen.watch", uri=uri, mode="diagnose") == {"mode": "diagnose"}
    [told] = (await editor.client.protocol.send_request_async("untilgreen/status", None)).watch
    assert (told.folder, told.mode) == (uri, "diagnose")
    assert not [path for path in project.root.rglob("*") if path.name not in GOOD], (
        "nothing in the repository"
    )


async def test_the_mode_is_there_in_the_next_session(project: Project) -> None:
    settings = environment(project.state, sandbox="bubblewrap")
    async with started(project.root, "neovim", settings) as editor:
        assert await editor.run("untilgreen.watch", uri=uri_of(editor.root), mode="suggest") == {
            "mode": "suggest"
        }
    project.write({"calc.py": BUGS["add"]})
    async with started(project.root, "neovim", settings) as editor:
        assert await editor.run("untilgreen.watch", uri=uri_of(editor.root)) == {"mode": "suggest"}
        await editor.until(lambda: bool(editor.diagnostics(editor_uri(project.root))), "a diagnostic")
        assert project.causes("solve") == [], "nobody saved anything"


def editor_uri(root: Path) -> str:
    return uri_of(root / "test_calc.py")
