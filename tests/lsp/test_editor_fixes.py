"""Fixes that wait for the user: asked about, reviewed, taken in part, refused."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from lsp.conftest import BROKEN, FIXED, script, scripted
from lsp.editor import Editor
from untilgreen.lsp.folders import uri_of

pytestmark = pytest.mark.asyncio(loop_scope="module")
NEEDS_EYES = "import subprocess\n" + FIXED + "\nsubprocess.run(['true'])\n"


@pytest.mark.needs_edits
async def test_a_fix_is_applied_only_when_the_user_says_so(editor: Editor) -> None:
    editor.set(solver=scripted(editor.root), apply="ask")
    script(editor.root, {"calc.py": FIXED}, name="model small")
    code = editor.open("calc.py")
    editor.answer = "Discard"
    job = await editor.solve(code)
    await editor.until_asked()
    assert [item.title for item in editor.questions[0].actions or ()] == ["Apply", "Review", "Discard"]
    assert editor.edits == [] and editor.text(code) == BROKEN
    assert "Apply verified fix" not in await editor.actions(code, 0), "it was discarded"
    # Who changes their mind can have it all the same.
    assert await editor.run("untilgreen.apply", job=job) == {"job": job}
    await editor.until(lambda: editor.text(code) == FIXED, "the fix")
    assert len(editor.edits) == 1
    again = await editor.run("untilgreen.apply", job=job)
    await editor.until_said("it is not applied now")
    assert again == {"job": job}
    assert (await editor.run("untilgreen.apply", job="nonsense"))["job"] is None


async def test_a_fix_is_verified_again_when_the_tests_beside_it_changed(editor: Editor) -> None:
    editor.set(solver=scripted(editor.root), apply="never")
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")
    text = editor.text(tests)
    job = await editor.solve(code)
    carried = (await editor.actions(code, 0))["Apply verified fix"].edit
    assert (carried is None) == (editor.manners == "minimal")
    # With another test it is another question, and this fix is no answer to it.
    editor.type(tests, text.replace("total == 3", "total == 99"))
    assert (await editor.actions(code, 0))["Apply verified fix"].edit is None
    await editor.run("untilgreen.apply", job=job)
    asked = await editor.until_asked()
    assert "You changed test_calc.py meanwhile, and with your edits the fix does not hold" in asked
    assert editor.edits == [] and editor.text(code) == BROKEN
    editor.type(tests, text + "\n\ndef test_mine():\n    assert add(2, 2) == 4\n")
    await editor.run("untilgreen.apply", job=job)
    await editor.until_said("test_calc.py changed meanwhile: the fix was verified again")
    await editor.until(lambda: editor.text(code) == FIXED, "the fix")


async def test_a_fix_that_is_never_applied_is_offered(editor: Editor) -> None:
    editor.set(solver=scripted(editor.root), apply="never")
    script(editor.root, {"calc.py": FIXED}, name="model small")
    code = editor.open("calc.py")
    job = await editor.solve(code)
    await editor.until_said("not applied")
    assert editor.edits == [] and editor.questions == []
    offered = await editor.actions(code, 0)
    by_model = (lsp.CodeActionTag.LlmGenerated,) if editor.manners == "visual_studio_code" else None
    assert offered["Apply verified fix"].tags == by_model
    kind = "quickfix.untilgreen" if editor.manners != "minimal" else None
    assert offered["Apply verified fix"].kind == kind
    review = await editor.choose(offered["Review verified fix"])
    [file] = review["files"]
    assert file["uri"] == code
    assert (file["before"], file["after"]) == (
        f"untilgreen:/{job}/1/before/calc.py",
        f"untilgreen:/{job}/1/after/calc.py",
    )
    for side, text in (("before", BROKEN), ("after", FIXED)):
        params = lsp.TextDocumentContentParams(uri=file[side])
        found = await editor.client.workspace_text_document_content_async(params)
        assert found.text == text
    for wrong in (f"untilgreen:/{job}/7/after/calc.py", f"untilgreen:/{job}", "untilgreen:/x/1/after/a.py"):
        with pytest.raises(JsonRpcException):
            params = lsp.TextDocumentContentParams(uri=wrong)
            await editor.client.workspace_text_document_content_async(params)
    if editor.manners == "neovim":
        await editor.until(lambda: bool(editor.client.shown_documents), "the diff to be shown")
    if editor.manners == "minimal":
        logs = editor.client.log_messages
        await editor.until(lambda: any("+    return a + b" in log.message for log in logs), "the diff")
    assert await editor.run("untilgreen.discard", job=job) == {"job": job}
    assert "Apply verified fix" not in await editor.actions(code, 0)


async def test_a_fix_with_findings_is_offered_by_its_number_of_findings(editor: Editor) -> None:
    script(editor.root, {"calc.py": NEEDS_EYES})
    code = editor.open("calc.py")
    editor.answer = "Apply"
    job = await editor.solve(code)
    assert "subprocess.run: it starts another program" in await editor.until_asked()
    assert editor.text(code) == BROKEN, "the button with this title does not exist"
    offered = await editor.actions(code, 0)
    await editor.choose(offered["Apply verified fix with 1 finding"])
    await editor.until_said("Changed: calc.py")
    await editor.until(lambda: editor.text(code) == NEEDS_EYES, "the fix")
    await editor.until(lambda: bool(editor.diagnostics(code)), "the finding as a mark")
    [mark] = editor.diagnostics(code)
    assert mark.code == "subprocess" and mark.severity == lsp.DiagnosticSeverity.Information
    editor.type(code, NEEDS_EYES.replace("\nsubprocess.run(['true'])", ""))
    await editor.until(lambda: not editor.diagnostics(code), "the stale finding to go")
    assert (await editor.run("untilgreen.discard", job=job)) == {"job": job}


async def test_a_blocked_fix_is_not_even_offered(editor: Editor) -> None:
    script(editor.root, {"calc.py": NEEDS_EYES})
    editor.set(solver=scripted(editor.root), findings={"subprocess": "block"})
    code = editor.open("calc.py")
    job = await editor.solve(code)
    await editor.until_said("blocks subprocess")
    assert editor.questions == [] and editor.edits == []
    assert "Review verified fix" not in await editor.actions(code, 0)
    await editor.run("untilgreen.apply", job=job)
    await editor.until_said("is blocked")
    assert editor.text(code) == BROKEN


async def test_a_part_or_a_rival_is_verified_again_before_it_is_applied(editor: Editor) -> None:
    rival = FIXED.replace("a + b", "b + a")
    wrong = FIXED.replace("a - b", "b - a")
    more = "VERSION = 2\n"
    script(
        editor.root, {"calc.py": FIXED, "version.py": more}, rivals=[{"calc.py": rival}, {"calc.py": wrong}]
    )
    code = editor.open("calc.py")
    job = await editor.solve(code)
    assert "Contested" in await editor.until_asked()
    assert (await editor.run("untilgreen.review", job=job))["rivals"] == 2
    await editor.run("untilgreen.apply", job=job, rival=2)
    refused = await editor.until_asked(2)
    assert "does not hold by itself" in refused and "test_sub" in refused
    await editor.run("untilgreen.apply", job=job, files=["version.py"])
    assert "makes none of the tests pass" in await editor.until_asked(3)
    assert editor.edits == [] and editor.text(code) == BROKEN
    await editor.run("untilgreen.apply", job=job, rival=1)
    await editor.until(lambda: editor.text(code) == rival, "the rival")
    await editor.until_said("verified again")
    assert uri_of(editor.root / "version.py") not in editor.documents


@pytest.mark.needs_edits
async def test_a_rival_with_findings_of_its_own_waits_for_another_look(editor: Editor) -> None:
    script(editor.root, {"calc.py": FIXED}, rivals=[{"calc.py": NEEDS_EYES}])
    code = editor.open("calc.py")
    job = await editor.solve(code)
    await editor.until_asked()
    await editor.run("untilgreen.apply", job=job, rival=1)
    assert "it starts another program" in await editor.until_asked(2)
    assert [item.title for item in editor.questions[1].actions or ()] == ["Apply with 1 finding", "Discard"]
    # Nobody answered: nothing was written, and the fix can still be had, with and without the look.
    assert editor.edits == []
    editor.answer = "Apply with 1 finding"
    await editor.run("untilgreen.apply", job=job, rival=1)
    await editor.until(lambda: editor.text(code) == NEEDS_EYES, "the rival")
    await editor.until_said("Changed: calc.py")


@pytest.mark.needs_edits
async def test_marks_are_where_their_lines_are_after_a_fix_and_after_its_undo(editor: Editor) -> None:
    editor.set(solver=scripted(editor.root), apply="never")
    half = BROKEN.replace("a - b", "a + b", 1)
    script(editor.root, {"calc.py": half})
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")

    def marks() -> list[tuple[object, int]]:
        return [(mark.code, mark.range.start.line) for mark in editor.diagnostics(tests)]

    add, sub = "test_calc.py::test_add", "test_calc.py::test_sub"
    job = await editor.solve(code)
    assert marks() == [(add, 5), (sub, 9)]
    # What ran is not what the editor shows when the fix is written, and when it is taken back.
    editor.type(tests, "# mine\n" * 5 + editor.text(tests))
    await editor.run("untilgreen.apply", job=job)
    await editor.until_said("Changed: calc.py")
    assert editor.text(code) == half and marks() == [(sub, 14)]
    await editor.run("untilgreen.undo", uri=code)
    await editor.until(lambda: len(marks()) == 2, "the marks of before")
    assert editor.text(code) == BROKEN and marks() == [(add, 10), (sub, 14)]
    # With edits beside it the fix is verified again, on the text of now.
    editor.type(code, "# mine\n" + BROKEN)
    await editor.run("untilgreen.apply", job=job)
    await editor.until(lambda: len(marks()) == 1, "the marks of the other run")
    assert editor.text(code) == "# mine\n" + half and marks() == [(sub, 14)]


async def test_the_past_and_the_present_are_told(editor: Editor) -> None:
    code = editor.open("calc.py")
    run = await editor.run("untilgreen.test", uri=code)
    await editor.until_ended(run["job"])
    [job] = await editor.run("untilgreen.history", uri=code, most=1)
    assert (job["job"], job["kind"], job["verdict"]) == (run["job"], "test", "stuck")
    steps = await editor.run("untilgreen.history", uri=code, job=run["job"])
    assert any(step["tests"] == 2 for step in steps)
    told = await editor.run("untilgreen.doctor", uri=code)
    assert told["canSolve"] is True
    assert {"docker", "bubblewrap", "python", "workspace"} <= {check["name"] for check in told["checks"]}
    assert await editor.run("untilgreen.watch", uri=code) == {"mode": "off"}
    status = await editor.client.protocol.send_request_async("untilgreen/status", None)
    assert status.health == "ok" and status.quiescent is True
    assert "sandbox: " in status.message
    if editor.manners == "visual_studio_code":
        kinds = [event.type for event in editor.told("untilgreen/event")]
        assert kinds[0] == "job_started" and kinds[-1] == "finished"
        assert [event.seq for event in editor.told("untilgreen/event")] == list(range(len(kinds)))
        assert [told.quiescent for told in editor.told("untilgreen/status")][-1] is True
        assert editor.told("experimental/serverStatus")[-1].health == "ok"
    else:
        assert editor.notices == [], "nobody asked for these"
