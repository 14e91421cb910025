"""Watch mode in an editor, where something is gone: tests, files, folders, bugs."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import docker
import pytest

from boxes import eventually, processes_with
from containers import containers_of
from lsp.editor import Editor
from lsp.starting import environment, server_command, started
from untilgreen.lsp.documents import Documents
from untilgreen.lsp.folders import uri_of
from untilgreen.lsp.watch import EditorDoor
from untilgreen.model import Verdict
from untilgreen.settings import Settings
from untilgreen.watching.notes import Began, Offered, Result
from untilgreen_sandbox.docker import LOW_SHARES, USUAL_SHARES
from untilgreen_sandbox.priority import NICER, _children, _family, _threads
from untilgreen_sandbox.report import CaseResult, Report
from watch.project import BUGS, CALC, TESTS, Project
from watch.telling import (
    at_rest,
    causes,
    message,
    nothing_left,
    offers,
    save,
    solver,
    told_of,
    watch,
    watching,
)

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(600)]


async def test_marks_go_with_the_last_test(editor: Editor, project: Project) -> None:
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")
    await watch(editor, "diagnose")
    save(editor, code, BUGS["add"])
    await editor.until(lambda: bool(editor.diagnostics(tests)), "a diagnostic")
    save(editor, tests, "# no test is left\n")
    await editor.until(lambda: message(editor).startswith("No tests were found"), "no green")
    await editor.until(lambda: not editor.diagnostics(tests), "no diagnostics")


async def test_an_offer_goes_when_the_bug_does(editor: Editor, project: Project) -> None:
    code = editor.open("calc.py")
    await watch(editor, "suggest")
    save(editor, code, BUGS["sub"])
    await editor.until(lambda: bool(offers(editor)), "an offer")
    assert "Apply verified fix" in await editor.lenses(code)
    save(editor, code, CALC)
    await editor.until(lambda: not offers(editor), "no offer")
    assert "Apply verified fix" not in await editor.lenses(code)
    assert "Apply verified fix" not in await editor.actions(code, 5)


@pytest.mark.parametrize("way", ["apply", "undo"])
async def test_what_the_user_has_written_by_us_is_no_save_however_long_it_takes(
    editor: Editor, project: Project, way: str
) -> None:
    """The editor tells of the save long before it answers that it has saved."""
    code = editor.open("calc.py")
    await watch(editor, "suggest")
    save(editor, code, BUGS["sub"])
    await editor.until(lambda: bool(offers(editor)), "an offer")
    job = offers(editor)[0].job
    editor.slow_to_save = 1.0 if way == "apply" else 0.0
    await editor.run("untilgreen.apply", job=job)
    await editor.until_said("Changed: calc.py")
    await at_rest(editor)
    if way == "undo":
        editor.slow_to_save = 1.0
        await editor.run("untilgreen.undo", uri=code, job=job)
        await editor.until_said("Undone in calc.py")
        await at_rest(editor)
    editor.slow_to_save = 0.0
    assert project.read() == (CALC if way == "apply" else BUGS["sub"])
    assert causes(editor).count("watch: saved calc.py") == 1, "the user saved once"


async def test_who_switches_it_off_and_on_has_not_more_fixes_written(
    editor: Editor, project: Project
) -> None:
    editor.set(solver=project.propose({"calc.py": CALC}), watch_fixes=1)
    code = editor.open("calc.py")
    await watch(editor, "fix")
    save(editor, code, BUGS["add"])
    await editor.until(lambda: project.read() == CALC, "the fix")
    await at_rest(editor)
    assert await editor.run("untilgreen.watch", uri=uri_of(editor.root), mode="off") == {"mode": "off"}
    await editor.until(lambda: not watching(editor), "the end of it")
    await watch(editor, "fix")
    save(editor, code, BUGS["sub"])
    await editor.until(lambda: bool(offers(editor)) or project.read() == CALC, "an offer")
    assert project.read() == BUGS["sub"]
    await editor.until(lambda: message(editor).startswith("quiet: calc.py was fixed 1 times"), "the reason")


async def test_what_is_closed_unsaved_is_not_waited_for(editor: Editor, project: Project) -> None:
    code = editor.open("calc.py")
    await watch(editor, "fix")
    save(editor, code, BUGS["add"])
    await editor.until(lambda: bool(causes(editor, "solve")), "a solve")
    editor.type(code, BUGS["add"] + "\n\n# not sav")
    await editor.until(lambda: message(editor) == "a verified fix is offered", "an offer")
    editor.close(code)
    await editor.until(lambda: project.read() == CALC, "the fix, as nobody types there")
    assert "watch: calc.py was closed without saving" in causes(editor)


async def test_a_fix_that_goes_with_its_buffer_is_gone(editor: Editor, project: Project) -> None:
    """It was never saved, and nobody typed it."""
    code, tests = editor.open("calc.py"), editor.open("test_calc.py")
    editor.never_saves = True
    try:
        await watch(editor, "fix")
        save(editor, code, BUGS["add"])
        await editor.until(lambda: editor.text(code) == CALC, "the fix")
        await editor.until(lambda: not editor.diagnostics(tests), "no diagnostics")
        await at_rest(editor)
        assert project.read() == BUGS["add"]
        editor.close(code)
        await editor.until(lambda: bool(editor.diagnostics(tests)), "what is on disk")
        await at_rest(editor)
        assert project.read() == BUGS["add"], "it is not made again"
    finally:
        editor.never_saves = False


async def test_an_offer_speaks_of_what_the_solve_saw(tmp_path: Path) -> None:
    """Whoever tried to write it has seen newer files since, with which it may be no fix."""
    offered: list[object] = []
    kept = SimpleNamespace(offer=lambda _job, desk, _verdict: offered.append(desk))
    server = SimpleNamespace(
        fixes=SimpleNamespace(kept=kept),
        reviews=SimpleNamespace(keep=lambda _job: None),
        settings_of=lambda _root: Settings(),
        window_log_message=lambda _params: None,
        refresh_lenses=lambda: None,
    )
    server.documents = Documents(cast(Any, server))
    door = EditorDoor(cast(Any, server), tmp_path)
    job = cast(Any, SimpleNamespace(id="solve", kind="solve"))
    solved_on = door.desk()
    door.tell(Began(job, "watch: saved calc.py; tests fail"))
    assert door.desk() is not solved_on
    door.tell(Began(cast(Any, SimpleNamespace(id="test", kind="test")), "watch: saved calc.py"))
    door.tell(Offered(job, Verdict("green", "fixed"), ""))
    assert offered == [solved_on]


def ranks(editor: Editor) -> list[set[int]]:
    """Of each box that is kept warm for the project, how nice its processes are."""

    def niceness(pid: int) -> set[int]:
        found = set()
        for thread in _family(pid):
            with contextlib.suppress(ProcessLookupError):
                found.add(os.getpriority(os.PRIO_PROCESS, thread))
        return found

    server = editor.process.pid
    boxes = [pid for pid in _children(server, _threads(server)) if pid in processes_with(str(editor.root))]
    return sorted((niceness(pid) for pid in boxes), key=sorted)


MINE = os.getpriority(os.PRIO_PROCESS, 0)


async def test_boxes_have_a_lower_priority_as_long_as_nobody_asks(editor: Editor, project: Project) -> None:
    code = editor.open("calc.py")
    await watch(editor, "diagnose")
    await nothing_left(editor)
    assert ranks(editor) == [{NICER}]
    assert os.getpriority(os.PRIO_PROCESS, editor.process.pid) == MINE, "the server answers as before"
    run = await editor.run("untilgreen.test", uri=code)
    await editor.until_ended(run["job"])
    assert {MINE} in ranks(editor), "somebody waits for it"


# Only root, and who has this capability, may bring a process forward again.
NOT_FORWARD = ["setpriv", "--bounding-set=-sys_nice"] if os.getuid() == 0 else []


async def test_who_asks_gets_no_box_that_has_to_stay_behind(project: Project) -> None:
    settings = environment(project.state, sandbox="bubblewrap", solver="offline")
    command = [*NOT_FORWARD, *server_command()]
    async with started(project.root, "visual_studio_code", settings, command=command) as editor:
        code, tests = editor.open("calc.py"), editor.open("test_calc.py")
        await watch(editor, "diagnose")
        await nothing_left(editor)
        assert ranks(editor) == [{NICER}]
        for text in (BUGS["add"], CALC):
            run = await editor.run("untilgreen.test", uri=code)
            await editor.until_ended(run["job"])
            assert ranks(editor) == [{MINE}, {NICER}], "one for each kind of work"
            save(editor, code, text)
            is_red = text != CALC
            await editor.until(lambda is_red=is_red: bool(editor.diagnostics(tests)) == is_red, "a run")  # type: ignore[misc]
            await at_rest(editor)
            assert ranks(editor) == [{MINE}, {NICER}], "and no more"


async def test_containers_have_a_lower_priority_as_long_as_nobody_asks(project: Project) -> None:
    settings = environment(project.state, sandbox="docker", solver="offline")
    async with started(project.root, "visual_studio_code", settings) as editor:
        code = editor.open("calc.py")
        await watch(editor, "diagnose")
        await nothing_left(editor)

        def shares() -> set[int]:
            with contextlib.closing(docker.from_env()) as engine:
                held = [engine.containers.get(name) for name in containers_of(editor.process.pid, engine)]
                return {container.attrs["HostConfig"]["CpuShares"] for container in held}

        assert shares() == {LOW_SHARES}
        run = await editor.run("untilgreen.test", uri=code)
        await editor.until_ended(run["job"])
        assert shares() == {USUAL_SHARES}, "the same box, and somebody waits for it"
        save(editor, code, BUGS["add"])
        await editor.until(lambda: any("saved calc.py" in cause for cause in causes(editor)), "a run")
        await at_rest(editor)
        assert shares() == {LOW_SHARES}


async def test_a_folder_that_was_too_large_is_watched_when_it_is_not(
    editor: Editor, project: Project
) -> None:
    (project.root / "large.bin").write_bytes(bytes(2 << 20))
    editor.set(workspace_max_mb=1, solver="offline")
    await editor.until(lambda: solver(editor) == "offline", "the settings")
    await editor.run("untilgreen.watch", uri=uri_of(project.root), mode="diagnose")
    await editor.until(lambda: "large.bin" in message(editor), "the reason")
    assert causes(editor) == []
    editor.set(workspace_max_mb=1, exclude=["large.bin"], solver="offline")
    await editor.until(lambda: causes(editor) == ["watch: started"], "the first run")
    await at_rest(editor)
    [told] = watching(editor)
    assert (told.mode, told.message) == ("diagnose", "watching")


async def test_a_lone_file_is_watched_as_it_was_chosen(project: Project) -> None:
    """Its project is no workspace folder: what was chosen for it counts, and no setting does."""
    settings = environment(project.state, sandbox="bubblewrap", watch="diagnose")
    (project.root / "pyproject.toml").write_text("")
    async with started(project.root, "visual_studio_code", settings, folders=[]) as editor:
        code = editor.open("calc.py")
        assert await editor.run("untilgreen.watch", uri=code) == {"mode": "off"}
        assert await editor.run("untilgreen.watch", uri=code, mode="suggest") == {"mode": "suggest"}
        await editor.until(lambda: "watch: started" in causes(editor), "the first run")
    async with started(project.root, "visual_studio_code", settings, folders=[]) as editor:
        assert await editor.run("untilgreen.watch", uri=uri_of(project.root)) == {"mode": "off"}
        code = editor.open("calc.py")
        assert await editor.run("untilgreen.watch", uri=code) == {"mode": "suggest"}
        await editor.until(lambda: "watch: started" in causes(editor), "the first run")


async def test_nothing_is_left_of_an_editor_that_goes_in_the_middle_of_a_run(project: Project) -> None:
    slow = TESTS + "\n\ndef test_slow():\n    import time\n\n    time.sleep(60)\n"
    project.write({"test_calc.py": slow})
    settings = environment(project.state, sandbox="bubblewrap")
    async with started(project.root, "visual_studio_code", settings) as editor:
        await editor.run("untilgreen.watch", uri=uri_of(project.root), mode="fix")
        await editor.until(lambda: bool(told_of(editor, "plan_made")), "the tests")
    await asyncio.to_thread(eventually, lambda: not processes_with(str(project.root)))
    assert [job.verdict for job in project.jobs()] == ["stopped"]


async def test_the_newest_result_is_shown_last(tmp_path: Path) -> None:
    """However long it takes to show an older one."""
    shown: list[str] = []
    tasks: list[asyncio.Task[object]] = []

    async def publish(job: Any, report: Report, desk: object, goal: object) -> None:
        if job.id == "first":
            await asyncio.sleep(0.05)
        shown.append(job.id)

    def spawn(work: Awaitable[object], name: str) -> None:
        tasks.append(asyncio.ensure_future(work))

    server = SimpleNamespace(jobs=SimpleNamespace(publish=publish, spawn=spawn))
    server.documents = Documents(cast(Any, server))
    door = EditorDoor(cast(Any, server), tmp_path)
    report = Report("finished", (CaseResult("a", "passed"),), ("a",))

    def tell(name: str) -> None:
        job = SimpleNamespace(id=name, affected=None, kind="test")
        door.tell(Result(cast(Any, job), report))

    tell("first")
    tell("second")
    await asyncio.gather(*tasks)
    assert shown == ["first", "second"]
