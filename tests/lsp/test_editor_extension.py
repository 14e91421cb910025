"""What an extension of ours shows beyond the protocol: fixes that wait, other attempts, a job's events."""

from __future__ import annotations

import json
from pathlib import Path

from lsp.conftest import BROKEN, FIXED, scripted
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
