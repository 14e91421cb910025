"""What watch mode makes of what it sees: nothing is green that is not, and what goes wrong does so once."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from lsp.scripted_box import MARK
from untilgreen.choosing import WHOLE
from untilgreen.desk import DiskDesk
from untilgreen.errors import UsageError, WorkspaceChanged, WorkspaceError
from untilgreen.model import Goal
from untilgreen.settings import Settings
from untilgreen.watching.notes import Began, Ended, Offered, Result, Said, Withdrawn, Wrote
from untilgreen_sandbox.report import CaseResult, Failure, Frame, Report
from watch.half_hour import GOOD, TESTS
from watch.small import FILES, QUICK, WRONG, Script, small

ADD, SUB, TWICE = (f"test_calc.py::test_{name}" for name in ("add", "sub", "twice"))
HERE_NOT = Failure("ModuleNotFoundError", "No module named 'numpy'")


FAILED = CaseResult(ADD, "failed", failure=Failure("AssertionError", ""))
EARLY = "The run ended early (timeout)."
UNKNOWN = {
    "no test": (Script(), GOOD, "No tests were found; no test is not green.", 1),
    "timeout": (Script(run=Report("timeout", detail="it took too long")), FILES, EARLY, 3),
    "timeout after a failure": (Script(run=Report("timeout", (FAILED,), (ADD, SUB))), FILES, EARLY, 1),
    "unlistable": (Script(plan=Report("crashed", detail="it was killed")), FILES, "it was killed", 3),
}


@pytest.mark.parametrize("why", UNKNOWN)
async def test_what_is_not_known_is_not_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    script, files, said, code = UNKNOWN[why]
    async with small(tmp_path, monkeypatch, "fix", files, script) as it:
        await it.watch.start(may_solve=True)
        await it.rested()
        assert not it.watch.green and it.watch.exit_code == code
        assert said in it.watch.pilot.message
        assert [said in note.text for note in it.told(Said)] == [True]
        assert script.solves == 0, "nobody knows what to look for"
        # With the next save the same is not told again; when it is over, that is seen.
        it.save({"more.py": GOOD["more.py"] + "# saved\n"})
        await it.until(lambda: len(it.told(Began)) >= 2)
        await it.rested()
        assert len(it.told(Said)) == 1
        script.run = script.plan = None
        it.save(FILES)
        await it.until(lambda: it.watch.green)
        assert it.watch.exit_code == 0


async def test_what_cannot_run_here_is_not_green(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not the code's fault, so nobody looks for a fix, and a script is told which of the two it is."""
    blocked = CaseResult(ADD, "error", failure=HERE_NOT, environment="Install numpy.")
    good = CaseResult(SUB, "passed")
    red = CaseResult(TWICE, "failed", failure=Failure("AssertionError", ""))
    script = Script(run=Report("finished", (blocked, good), (ADD, SUB)))
    monkeypatch.setattr("untilgreen.solve.once.sort_failures", lambda report, *_: report)
    async with small(tmp_path, monkeypatch, "diagnose", script=script) as it:
        it.script.plan = Report("finished", planned=(ADD, SUB))
        await it.watch.start(may_solve=True)
        await it.rested()
        assert not it.watch.green and it.watch.exit_code == 3
        assert it.watch.pilot.message == "1 test blocked: Install numpy."
        it.script.plan = Report("finished", planned=(ADD, SUB, TWICE))
        it.script.run = Report("finished", (blocked, good, red), (ADD, SUB, TWICE))
        it.save({"more.py": GOOD["more.py"] + "X = 1\n"})
        await it.until(lambda: it.watch.pilot.message == "1 test not green")
        assert it.watch.exit_code == 1


async def test_tests_that_are_gone_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with small(tmp_path, monkeypatch, files={**FILES, **WRONG}) as it:
        await it.watch.start(may_solve=True)
        await it.rested()
        assert list(it.watch.pilot.known.red) == [ADD]
        (it.root / "test_calc.py").unlink()
        it.watch.touched(["test_calc.py"])
        await it.until(lambda: "No tests were found" in it.watch.pilot.message)
        assert it.told(Result)[-1].report == Report("finished"), "so that marks can go"


async def test_a_write_that_is_refused_becomes_an_offer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(refuses=WorkspaceError("Permission denied. Nothing was written."))
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}, script) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Offered))
        await it.rested()
        await asyncio.sleep(0.5)
        assert (script.writes, script.solves, len(it.told(Offered)), len(it.told(Said))) == (1, 1, 1, 1)
        assert it.told(Offered)[0].why == "Permission denied. Nothing was written"
        # The user may still want it, when it can be written.
        script.refuses = None
        assert "calc.py" in await it.watch.accept(it.told(Offered)[0].job.id)
        assert (it.root / "calc.py").read_text() == GOOD["calc.py"] and it.watch.green


async def test_an_editor_that_never_takes_a_fix_is_offered_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(refuses=WorkspaceChanged("The editor did not take the fix."))
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}, script) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Offered))
        await it.rested()
        await asyncio.sleep(0.5)
        assert script.writes == 2, "once more, as the user may have changed something"


async def test_somebody_else_at_work_is_waited_for_and_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(seconds=0.2)
    async with small(tmp_path, monkeypatch, "suggest", {**FILES, **WRONG}, script) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: script.solves)
        before = script.solves
        script.seconds = 1.5
        asked = it.engine.test(Goal(it.root), DiskDesk(it.root, it.intents), "asked")
        await asked.wait()
        # A try every fifth of a second, as its pace is.
        assert script.solves - before <= 12
        script.seconds = 0.0
        await it.until(lambda: it.told(Offered))
        await it.until(lambda: it.watch.pilot.message == "a verified fix is offered")


async def test_a_fix_is_verified_again_although_watch_mode_was_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    async with small(tmp_path, monkeypatch, "diagnose", {**FILES, **WRONG}, script) as it:
        desk = DiskDesk(it.root, it.intents)
        job = it.engine.solve(Goal(it.root), desk, "asked")
        assert (await job.wait()).kind == "green"
        script.seconds = 0.3
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Began))
        (it.root / "calc.py").write_text("# typed mine\n" + WRONG["calc.py"])
        fix = await it.engine.prove(job, desk, WHOLE)
        assert "verified again" in fix.verdict.reason
        await it.engine.write(job, desk, fix)
        script.seconds = 0.0
        await it.until(lambda: it.watch.green)


async def test_a_folder_that_is_gone_for_a_moment_is_watched_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with small(tmp_path, monkeypatch) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.watch.green)
        it.watch.touched(["calc.py"])
        shutil.rmtree(it.root)
        await it.until(lambda: it.told(Said))
        it.root.mkdir()
        it.save({**FILES, **WRONG})
        await it.until(lambda: list(it.watch.pilot.known.red) == [ADD])
        assert it.watch.pilot.message == "1 test not green"


async def test_a_workspace_that_grew_too_large_is_watched_again_when_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with small(tmp_path, monkeypatch, settings=Settings(workspace_max_mb=1)) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.watch.green)
        (it.root / "large.bin").write_bytes(bytes(2 << 20))
        it.save(WRONG)
        it.watch.touched(["large.bin"])
        await it.until(lambda: "MB" in it.watch.pilot.message)
        (it.root / "large.bin").unlink()
        it.watch.touched(["large.bin"])
        await it.until(lambda: list(it.watch.pilot.known.red) == [ADD])


async def test_a_bug_of_ours_does_not_end_a_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with small(tmp_path, monkeypatch) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.watch.green)
        it.script.desk_breaks = True
        it.save(WRONG)
        await it.until(lambda: it.told(Said))
        assert "a bug of ours" in it.watch.pilot.message and not it.watch.green
        it.script.desk_breaks = False
        it.save({"calc.py": WRONG["calc.py"] + "\n"})
        await it.until(lambda: list(it.watch.pilot.known.red) == [ADD])


async def test_an_offer_goes_when_it_is_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with small(tmp_path, monkeypatch, "suggest", {**FILES, **WRONG}) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Offered))
        it.save({"more.py": GOOD["more.py"] + "\n# thinking\n"})
        await it.until(lambda: len(it.told(Result)) >= 2)
        await it.rested()
        assert not it.told(Withdrawn), "its test fails still"
        it.save({"calc.py": GOOD["calc.py"]})
        await it.until(lambda: it.told(Withdrawn))
        [gone], [offered] = it.told(Withdrawn), {note.job.id: note for note in it.told(Offered)}.values()
        assert gone.job is offered.job
        with pytest.raises(UsageError, match="not offered any more"):
            await it.watch.accept(offered.job.id)
        assert not it.told(Wrote)


async def test_settings_count_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with small(tmp_path, monkeypatch, "fix", pace=None) as it:
        assert it.watch.pilot.pace.settle == 0.2
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.watch.green)
        it.engine.configure(Settings(watch_settle_ms=10, watch_fixes=0))
        it.watch.reconsider()
        it.save(WRONG)
        await it.until(lambda: it.told(Offered))
        assert it.told(Offered)[0].why.startswith("quiet: calc.py was fixed 0 times")
        assert it.watch.pilot.pace.settle == 0.01 and QUICK.fixes == 3


async def test_files_count_as_soon_as_settings_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {**FILES, "test_other.py": "def test_other():\n    assert False\n"}
    before = Settings(exclude=("test_other.py",))
    async with small(tmp_path, monkeypatch, files=files, settings=before) as it:
        await it.watch.start(may_solve=True)
        # The first run, and the one that comes when there is time.
        await it.until(lambda: len(it.told(Ended)) == 2)
        await it.rested()
        assert it.watch.green
        it.engine.configure(Settings())
        it.watch.reconsider()
        await it.until(lambda: list(it.watch.pilot.known.red) == ["test_other.py::test_other"])
        it.engine.configure(before)
        it.watch.reconsider()
        await it.until(lambda: it.watch.green)


async def test_who_saves_right_after_a_fix_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found in a file after a write need not be what was written."""
    script = Script()
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}, script) as it:

        def save() -> None:
            script.right_after = lambda: None
            it.save({"calc.py": f"{MARK} at once\n" + GOOD["calc.py"]})

        script.right_after = save
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Wrote))
        await it.until(lambda: "watch: saved calc.py" in [note.cause for note in it.told(Began)])


async def test_a_folder_is_watched_with_its_own_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever says for one folder that nothing is written there means it, whatever is said for the others."""
    async with small(tmp_path, monkeypatch, "fix", pace=None) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.watch.green)
        own = Settings(apply="never", watch_settle_ms=10, watch_model=False, solver="auto")
        it.engine.configure(Settings(apply="auto", watch_model=True), {it.root: own})
        it.watch.reconsider()
        assert it.watch.pilot.pace.settle == 0.01
        it.save(WRONG)
        await it.until(lambda: it.told(Offered))
        assert "never" in it.told(Offered)[0].why and not it.told(Wrote)
        assert (it.root / "calc.py").read_text() == WRONG["calc.py"]
        assert it.watch.fixes.solving.settings(0.0).solver == "offline", "no model is asked here"


async def test_code_that_does_not_parse_is_waited_for_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = (Frame("calc.py", 2, "<module>", ""),)
    failure = Failure("SyntaxError", "'(' was never closed", frames=frames)
    broken = CaseResult("test_calc.py", "error", failure=failure)
    script = Script(plan=Report("finished", (broken,)), run=Report("finished", (broken,)))
    async with small(tmp_path, monkeypatch, "fix", script=script) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.watch.pilot.message == "waiting: calc.py does not parse yet (line 2)")
        await it.rested()
        assert script.solves == 0
        script.plan = script.run = None
        it.save({"calc.py": WRONG["calc.py"], "test_calc.py": TESTS})
        await it.until(lambda: it.told(Wrote))
