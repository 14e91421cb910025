"""Fixes that wait: of several folders, and in editors that answer late, never, or not as asked."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Literal, cast

import pytest
from lsprotocol import types as lsp

from unit.lsp_rig import Rig
from untilgreen.job import Job
from untilgreen.journal import Journal, new_job_id
from untilgreen.lsp import ext
from untilgreen.lsp.commands import on_review
from untilgreen.lsp.desk import EditorDesk
from untilgreen.lsp.held import Held
from untilgreen.model import FileChange, Goal, Patch, Verdict
from untilgreen_sandbox.report import CaseResult, Report

FIX = Verdict("green", "2 tests pass again.", Patch({"code.py": FileChange(b"new\n")}))


@pytest.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    return Rig(tmp_path / "work")


async def offered(rig: Rig) -> Held:
    async def work(_emit: object) -> Verdict:
        return FIX

    job_id = new_job_id()
    log = Journal(rig.root.parent / "journal").start(job_id, rig.root)
    job = Job(job_id, "solve", Goal(rig.root), log, work)
    await job.ended()
    return rig.server.fixes.kept.offer(job, EditorDesk(rig.server, rig.root), FIX)


async def test_an_editor_that_cannot_ask_is_told_where_the_fix_is(rig: Rig) -> None:
    held = await offered(rig)

    def refuse(request_id: str) -> lsp.ResponseErrorMessage:
        return lsp.ResponseErrorMessage(request_id, lsp.ResponseError(-32601, "Method not found"))

    asking = rig.server.jobs.spawn(rig.server.fixes.ask(held), name="ask", asks=True)
    await rig.answered("window/showMessageRequest", refuse)
    await asking
    [told] = [message["params"]["message"] for message in rig.sent("window/showMessage")]
    assert "2 tests pass again." in told and told.endswith(" Use the code actions of the file.")
    assert held.state == "open", "it is there when they are used"


async def test_a_review_that_nobody_closes_is_no_work(rig: Rig) -> None:
    """An editor may answer when its user has looked; who waits until nothing runs does not wait for that."""
    rig.server.can = dataclasses.replace(rig.server.can, show_document=True)
    held = await offered(rig)
    reviewed = on_review(rig.server, ext.ReviewArguments(held.job.id))
    assert reviewed["job"] == held.job.id
    while not rig.sent("window/showDocument"):
        rig.line.wrote.clear()
        await asyncio.wait_for(rig.line.wrote.wait(), 20)
    assert rig.server.telling.now()["quiescent"] is True
    await rig.server.jobs.close()


@pytest.mark.parametrize("scope", ["full", "affected"])
async def test_a_part_of_the_suite_says_nothing_of_the_rest(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, scope: Literal["full", "affected"]
) -> None:
    held = await offered(rig)
    after = Report("finished", (CaseResult("t.py::one", "passed"),), ("t.py::one",))
    held.job.verdict = held.verdict = dataclasses.replace(FIX, scope=scope, after=after)
    baseline = Report("finished", (CaseResult("t.py::one", "failed"), CaseResult("u.py::two", "failed")))
    rig.server.results.add(Goal(rig.root), baseline, 0.0, ())
    await rig.server.fixes._show_applied(held, ())
    left = [result.case.id for result in rig.server.results.failing(rig.root)]
    assert left == ([] if scope == "full" else ["u.py::two"])


@pytest.mark.parametrize(
    ("told", "discarded", "waiting"),
    [
        (["one/1"], [], ["1"]),
        (["one/1", "two/2"], [], ["1", "2"]),
        (["one/1", "two/2", "one/3"], [], ["2", "3"]),
        (["one/1", "two/2", "one/3", "two/4"], [], ["3", "4"]),
        (["one/1", "two/2", "one/3"], ["3"], ["2"]),
    ],
)
async def test_the_newest_fix_of_all_folders_is_the_last(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    told: list[str],
    discarded: list[str],
    waiting: list[str],
) -> None:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    rig = Rig(tmp_path / "one", tmp_path / "two")
    fixes = rig.server.fixes
    for folder, job in (Path(one).parts for one in told):
        held = SimpleNamespace(id=job, goal=Goal(tmp_path / folder))
        desk = EditorDesk(rig.server, tmp_path / folder)
        fixes.kept.offer(cast(Job, held), desk, Verdict("green", "fixed"))
    for job in discarded:
        fixes.discard(job)
    assert [fix["job"] for fix in fixes.kept.all_waiting()] == waiting
