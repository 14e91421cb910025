"""What an extension of ours shows beyond the protocol: fixes that wait, other attempts, a job's events."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from lsprotocol import types as lsp

from lsp.conftest import BROKEN, FIXED, scripted, slow
from lsp.starting import environment, started

WORSE = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return b\n"


async def test_a_fix_that_waits_is_told_with_its_attempts_and_its_way(project: Path, tmp_path: Path) -> None:
    proposals = [
        {"hypothesis": "only one sign", "files": {"calc.py": WORSE}},
        {"hypothesis": "both signs", "files": {"calc.py": FIXED}},
    ]
    (project.parent / "script.json").write_text(json.dumps({"name": "scripted", "proposals": proposals}))
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project), apply="ask")
    async with started(project, "visual_studio_code", settings) as editor:
        code = editor.open("calc.py")
        send = editor.client.protocol.send_request_async
        job = await editor.solve(code)
        status = await send("untilgreen/status", {})
        [fix] = status.fixes
        assert (fix.job, fix.folder) == (job, code.removesuffix("/calc.py"))
        review = await editor.run("untilgreen.review", job=job)
        assert review["attempts"] == [{"n": 1, "hypothesis": "only one sign"}]
        other = await editor.run("untilgreen.review", job=job, attempt=1)
        assert "return b" in other["diff"]

        told = await editor.run("untilgreen.history", uri=code, job=job, events=True)
        heard = [event.type for event in editor.told("untilgreen/event") if event.job == job]
        assert [event["type"] for event in told if event["seq"] >= 0] == heard
        failed = [
            told for told in editor.told("experimental/changeTestState") if told.testId.endswith("::test_add")
        ]
        assert [(told.job, told.state.tag) for told in failed] == [(job, "failed")]
        assert (failed[0].state.expected, failed[0].state.actual, failed[0].state.line) == ("3", "-1", 6)
        assert failed[0].state.seconds >= 0

        assert await editor.run("untilgreen.discard", job=job) == {"job": job}
        assert list((await send("untilgreen/status", {})).fixes) == []
        assert editor.text(code) == BROKEN


async def test_attempts_that_led_to_no_fix_can_be_looked_at_and_not_applied(
    project: Path, tmp_path: Path
) -> None:
    useless = BROKEN.replace("a - b", "b - a")
    proposals = [
        {"hypothesis": "turned round", "files": {"calc.py": useless}},
        {"hypothesis": "a new file", "files": {"other.py": "N = 1\n"}},
    ]
    (project.parent / "script.json").write_text(json.dumps({"name": "scripted", "proposals": proposals}))
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project))
    async with started(project, "visual_studio_code", settings) as editor:
        code = editor.open("calc.py")
        job = await editor.solve(code)
        assert [told.verdict for told in editor.told("untilgreen/event") if told.type == "finished"]

        review = await editor.run("untilgreen.review", job=job)
        assert (review["attempt"], [file["path"] for file in review["files"]]) == ("2", ["other.py"])
        assert [attempt["n"] for attempt in review["attempts"]] == [1, 2]
        first = await editor.run("untilgreen.review", job=job, attempt=1)
        [file] = first["files"]
        for side, text in (("before", BROKEN), ("after", useless)):
            params = lsp.TextDocumentContentParams(uri=file[side])
            assert (await editor.client.workspace_text_document_content_async(params)).text == text
        assert (await editor.run("untilgreen.review", job=job, attempt=3))["job"] is None

        refused = await editor.run("untilgreen.apply", job=job)
        assert refused["job"] is None and "no fix" in refused["reason"]
        assert editor.text(code) == BROKEN and editor.edits == []
        assert "Apply verified fix" not in await editor.actions(code, 0)


async def test_attempts_of_a_stopped_job_can_be_looked_at(project: Path, tmp_path: Path) -> None:
    (project / "test_calc.py").write_text(slow(3))
    proposals = [{"hypothesis": "only one sign", "files": {"calc.py": WORSE}}]
    (project.parent / "script.json").write_text(json.dumps({"name": "scripted", "proposals": proposals}))
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project))
    async with started(project, "visual_studio_code", settings) as editor:
        code = editor.open("calc.py")
        job = (await editor.run("untilgreen.solve", uri=code))["job"]
        nothing = await editor.run("untilgreen.review", job=job)
        assert nothing["job"] is None and "has changed nothing" in nothing["reason"]
        await editor.until_reported(job, "only one sign")
        await editor.run("untilgreen.stop", job=job)
        await editor.until_ended(job)
        review = await editor.run("untilgreen.review", job=job)
        assert review["reason"].startswith("Stopped") and "return b" in review["diff"]


async def test_progress_is_shown_however_late_the_editor_is_ready_for_it(
    project: Path, tmp_path: Path
) -> None:
    (project / "test_calc.py").write_text(slow(8))
    settings = environment(tmp_path / "state", sandbox="bubblewrap")
    async with started(project, "visual_studio_code", settings) as editor:

        async def late(params: lsp.WorkDoneProgressCreateParams) -> None:
            editor.client.progress_reports[params.token] = []
            await asyncio.sleep(6)

        editor.client.protocol.fm.features[lsp.WINDOW_WORK_DONE_PROGRESS_CREATE] = late
        run = await editor.run("untilgreen.test", uri=editor.open("test_calc.py"))
        assert "not green" in await editor.until_ended(run["job"])
        kinds = [text.partition(":")[0] for text in editor.progress(run["job"])]
        assert (kinds[0], kinds[-1], kinds.count("begin"), kinds.count("end")) == ("begin", "end", 1, 1)
        [begin, *_] = editor.client.progress_reports[editor.token(run["job"])]
        assert begin.message == "running 3 tests", "what was going on when it came"


async def test_a_fix_in_a_closed_file_can_be_undone(project: Path, tmp_path: Path) -> None:
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project), apply="auto")
    async with started(project, "visual_studio_code", settings) as editor:
        editor.late = 0.5
        tests = editor.open("test_calc.py")
        await editor.solve(tests)
        await editor.until(lambda: (project / "calc.py").read_text() == FIXED, "the fix, saved")
        editor.late = 0.0
        await editor.run("untilgreen.undo", uri=tests)
        await editor.until(lambda: (project / "calc.py").read_text() == BROKEN, "the old text, saved")


async def test_an_undo_is_told_as_it_is_in_the_journal(project: Path, tmp_path: Path) -> None:
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project), apply="auto")
    async with started(project, "visual_studio_code", settings) as editor:
        code = editor.open("calc.py")
        fix = await editor.solve(code)
        await editor.until(lambda: editor.text(code) == FIXED, "the fix")
        undo = (await editor.run("untilgreen.undo", uri=code))["job"]
        await editor.until_said("Undone in calc.py")
        heard = [told for told in editor.told("untilgreen/event") if told.job == undo]
        assert [(told.seq, told.type) for told in heard] == [(0, "job_started"), (1, "undone")]
        assert heard[0].kind == "undo"
        assert (heard[1].undoes, heard[1].by, list(heard[1].paths)) == (fix, undo, ["calc.py"])
        told = await editor.run("untilgreen.history", uri=code, job=undo, events=True)
        assert [(event["seq"], event["type"]) for event in told] == [(0, "job_started"), (1, "undone")]
        # A redo is an undo as well.
        redo = (await editor.run("untilgreen.undo", uri=code, job=undo))["job"]
        await editor.until(lambda: editor.text(code) == FIXED, "the fix again")
        await editor.until(
            lambda: (
                [told.undoes for told in editor.told("untilgreen/event") if told.type == "undone"]
                == [fix, undo]
            ),
            "the redo's event",
        )
        assert editor.told("untilgreen/event")[-1].job == redo
