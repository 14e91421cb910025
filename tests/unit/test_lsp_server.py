"""What the server says of itself, and what it does not begin."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.protocol.json_rpc import JsonRPCResponseMessage

from unit.lsp_rig import Rig
from untilgreen import events
from untilgreen.job import Job
from untilgreen.journal import Journal, new_job_id
from untilgreen.lsp import opened
from untilgreen.lsp.desk import EditorDesk
from untilgreen.lsp.folders import is_wide, uri_of
from untilgreen.lsp.handlers import on_code_lens
from untilgreen.lsp.spots import spot_at
from untilgreen.model import Attempt, Goal, Verdict
from untilgreen.settings import Settings
from untilgreen_sandbox.report import CaseResult, Report


@pytest.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    return Rig(tmp_path / "work", tmp_path / "other")


def configured(rig: Rig, **settings: Any) -> dict[str, Any]:
    rig.server.configure(Settings(**settings), {})
    return rig.server.telling.now()


async def test_the_status_names_the_model_that_would_be_asked(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = configured(rig)
    assert (status["model"], status["health"]) == ("", "ok")
    assert status["message"].endswith("no model, built-in repair only")
    status = configured(rig, solver="model")
    assert status["health"] == "warning" and "OPENAI_API_KEY" in status["message"]
    # A name without a key is no model.
    assert configured(rig, model="gpt-of-mine")["model"] == ""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-a-test")
    status = configured(rig)
    assert status["model"] and status["message"].endswith(f"model {status['model']}")
    assert configured(rig, solver="offline")["message"].endswith("offline")
    assert "sk-for-a-test" not in str(status)


async def test_the_status_tells_of_each_folder_by_its_own_settings(rig: Rig, tmp_path: Path) -> None:
    other = rig.root.parent / "other"
    same = configured(rig, solver="offline")
    assert same["message"] == "ready · sandbox: auto, not opened yet · offline", "once is enough"
    own = Settings(solver="model", sandbox="docker")
    rig.server.configure(Settings(solver="offline"), {other: own})
    status = rig.server.telling.now()
    assert [(one["folder"], one["solver"]) for one in status["folders"]] == [
        (uri_of(rig.root), "offline"),
        (uri_of(other), "model"),
    ]
    assert status["solver"] == "offline" and status["health"] == "warning"
    first, second = "work: sandbox: auto, not opened yet · offline", "other: sandbox: docker, not opened yet"
    assert status["message"].startswith(f"ready · {first} · {second} · no model. ")
    # What a job in one of them met says nothing of the other.
    job = await job_of(rig, tmp_path, "test", Verdict("stuck", ""))
    rig.server.telling.event(job, 0, events.BoxOpened("bubblewrap", "", "a box"))
    assert [one["sandbox"] for one in rig.server.telling.now()["folders"]] == [
        "a box",
        "docker, not opened yet",
    ]
    rig.server.telling.event(job, 1, events.Failed("It broke.", 1))
    assert rig.server.telling.now()["message"] == "It broke."
    remove(rig)
    status = rig.server.telling.now()
    assert status["health"] == "warning" and status["solver"] == "model", "what is gone is not told of"


def remove(rig: Rig) -> None:
    gone = lsp.WorkspaceFoldersChangeEvent([], [lsp.WorkspaceFolder(uri_of(rig.root), "work")])
    params = lsp.DidChangeWorkspaceFoldersParams(gone)
    rig.receive(lsp.DidChangeWorkspaceFoldersNotification(params))


async def test_a_folder_that_is_removed_takes_along_its_fix_and_what_is_on_its_way(
    rig: Rig, tmp_path: Path
) -> None:
    job = await job_of(rig, tmp_path, "solve", Verdict("green", "It holds."))
    desk, file = EditorDesk(rig.server, rig.root), rig.root / "test_x.py"
    report = Report("finished", (CaseResult("test_x.py::test_a", "failed", 0.1, "test_x.py", 1),))

    async def publish(desk: EditorDesk) -> asyncio.Task[None]:
        publishing = rig.server.jobs.spawn(rig.server.jobs.publish(job, report, desk), name="publish")
        # It now reads what ran, in a thread.
        await asyncio.sleep(0)
        return publishing

    await (await publish(desk))
    assert job.verdict is not None
    rig.server.fixes.kept.offer(job, desk, job.verdict)
    assert len(rig.marks(file)) == len(rig.server.telling.now()["fixes"]) == 1
    publishing = await publish(desk)
    remove(rig)
    await publishing
    assert rig.marks(file) == rig.server.telling.now()["fixes"] == []
    # A file that is opened there by itself has the project around it, and its marks.
    await (await publish(EditorDesk(rig.server, rig.root)))
    assert len(rig.marks(file)) == 1


async def job_of(rig: Rig, tmp_path: Path, kind: Any, verdict: Verdict) -> Job:
    async def work(_emit: object) -> Verdict:
        return verdict

    job_id = new_job_id()
    log = Journal(tmp_path / "journal").start(job_id, rig.root)
    job = Job(job_id, kind, Goal(rig.root), log, work)
    await job.ended()
    return job


async def test_the_status_tells_what_is_going_on_and_why_it_runs_where_it_runs(
    rig: Rig, tmp_path: Path
) -> None:
    configured(rig, solver="offline")
    job = await job_of(rig, tmp_path, "solve", Verdict("stuck", ""))
    telling = rig.server.telling
    telling.event(job, 0, events.JobStarted("solve", rig.root, (), ""))
    telling.event(job, 1, events.Preparing("building an image: numpy"))
    assert telling.now()["message"].startswith("building an image: numpy · ")
    assert telling.now()["quiescent"] is False and telling.now()["jobs"] == [job.id]
    telling.event(job, 2, events.BoxOpened("bubblewrap", "docker: no engine answers", "bubblewrap, user"))
    assert "sandbox: bubblewrap, user (docker: no engine answers)" in telling.now()["message"]
    assert job.verdict is not None
    telling.event(job, 3, events.Finished(job.verdict))
    assert telling.now()["jobs"] == [] and telling.now()["message"].startswith("ready · ")


async def test_a_problem_is_told_until_the_next_job_begins(rig: Rig, tmp_path: Path) -> None:
    job = await job_of(rig, tmp_path, "solve", Verdict("stuck", ""))
    rig.server.telling.event(job, 0, events.Failed("The model refused.", 4))
    assert rig.server.telling.now()["health"] == "error"
    rig.server.telling.event(job, 0, events.JobStarted("solve", rig.root, (), ""))
    assert rig.server.telling.now()["health"] == "ok"


async def test_a_run_of_tests_does_not_forget_what_a_solve_tried(rig: Rig, tmp_path: Path) -> None:
    """Whoever solved it, also in watch mode: both tell their events in one place."""
    tried = Attempt(1, "scripted", "a guess", fixed=("t.py::test_a",))
    job = await job_of(rig, tmp_path, "solve", Verdict("stuck", "", attempts=(tried,)))
    assert job.verdict is not None
    rig.server.telling.event(job, 0, events.Finished(job.verdict))
    run = await job_of(rig, tmp_path, "test", Verdict("already_green", ""))
    assert run.verdict is not None
    rig.server.telling.event(run, 0, events.Finished(run.verdict))
    assert rig.server.results.attempts(rig.root, "t.py::test_a") == [tried]


async def test_a_lone_file_does_not_mean_a_whole_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home" / "me"
    (home / "deep").mkdir(parents=True)
    (home / "deep" / "test_far.py").write_text("def test_far(): ...\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    assert is_wide(home) and is_wide(home.parent) and is_wide(Path("/")) and not is_wide(home / "deep")
    rig = Rig(tmp_path / "work")
    rig.root = home
    uri = rig.open("test_lone.py", "def test_lone(): ...\n")
    await opened.look(rig.server, home)
    assert list(rig.server.discovery.files(home)) == ["test_lone.py"]
    started = rig.server.jobs.start("test", Goal(home, ("test_lone.py",)), "a test")
    assert started["job"] is None and "is no project" in started["reason"]
    params = lsp.ExecuteCommandParams("untilgreen.watch", [{"uri": uri, "mode": "fix"}])
    rig.receive(lsp.ExecuteCommandRequest(9, params))
    assert rig.line.sent[-1]["result"]["mode"] == "off"
    # A folder that is a project by itself is one wherever it lies.
    (home / "pyproject.toml").touch()
    assert not is_wide(home)


async def test_a_folder_may_have_settings_of_its_own(rig: Rig) -> None:
    other = rig.root.parent / "other"

    def answer(request_id: str) -> Any:
        return JsonRPCResponseMessage(
            request_id, "2.0", [{"apply": "never"}, {"apply": "never"}, {"apply": "auto", "max_attempts": 3}]
        )

    rig.server.can = type(rig.server.can)(configuration=True)
    asking = rig.server.jobs.spawn(rig.server.configuration.ask(), name="settings")
    asked = await rig.answered("workspace/configuration", answer)
    await asking
    assert [item.get("scopeUri") for item in asked["items"]] == [None, uri_of(rig.root), uri_of(other)]
    assert rig.server.settings_of(rig.root).apply == "never"
    assert rig.server.settings_of(other).apply == "auto"
    assert rig.server.engine.settings_of(other).max_attempts == 3


@pytest.mark.parametrize("answer", [None, [], [None]])
async def test_an_editor_without_settings_for_us_leaves_those_of_the_user(rig: Rig, answer: Any) -> None:
    rig.server.configuration.introduced({"apply": "never"})
    rig.server.can = type(rig.server.can)(configuration=True)
    asking = rig.server.jobs.spawn(rig.server.configuration.ask(), name="settings")
    await rig.answered(
        "workspace/configuration", lambda request_id: JsonRPCResponseMessage(request_id, "2.0", answer)
    )
    await asking
    assert rig.server.settings_of(rig.root).apply == "never"
    assert rig.sent("window/showMessage") == []


STUB = "def add(a, b):\n    ...\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


@pytest.mark.parametrize(
    ("name", "text", "offered"),
    [
        ("test_alone.py", STUB, True),
        ("tests/test_alone.py", STUB, False),
        ("test_other.py", "import calc\n\n\n" + STUB, False),
    ],
)
async def test_a_stub_beside_its_tests_is_offered_when_a_fix_may_change_it(
    rig: Rig, name: str, text: str, offered: bool
) -> None:
    (rig.root / "calc.py").touch()
    uri = rig.open(name, text)
    line = text.split("\n").index("def add(a, b):")
    spot = spot_at(rig.server, uri, lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0)))
    assert spot is not None and bool(spot.stubs) == offered
    lenses = on_code_lens(rig.server, lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri)))
    titles = [lens.command.title for lens in lenses if lens.command is not None]
    assert ("Run 1 test" in titles) == offered
    assert titles[:2] == ["Run", "Solve until green"]
