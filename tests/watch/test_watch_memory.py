"""What watch mode remembers of its own fixes: those that were taken back, and what they cost."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lsp.scripted_box import MARK
from untilgreen import engine as engine_module
from untilgreen.errors import ModelError
from untilgreen.events import Coding, Failed
from untilgreen.ladder import Ladder
from untilgreen.model import Goal, Patch, Proposal, Spent
from untilgreen.settings import Settings
from untilgreen.solvers import Task, Workbench
from untilgreen.watching.clock import RealClock
from untilgreen.watching.notes import Began, Happened, Offered, Wrote
from untilgreen.watching.quota import Allowance
from untilgreen.watching.watch import Watch
from watch.half_hour import GOOD, TESTS
from watch.small import FILES, QUICK, WRONG, small

ADD, TWICE = "test_calc.py::test_add", "test_calc.py::test_twice"


async def test_a_fix_that_is_taken_back_beside_an_edit_is_not_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was edited beside the fix stays, so the undo writes a text that never was before."""
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Wrote))
        it.save({"calc.py": f"{MARK} by me\n" + GOOD["calc.py"]})
        await it.until(lambda: it.told(Began)[-1].cause == "watch: saved calc.py")
        await it.rested()
        jobs, solves = len(it.told(Began)), it.script.solves
        undone = await it.watch.undo()
        # As the operating system would tell it.
        it.watch.touched(undone.paths)
        assert (it.root / "calc.py").read_text() == f"{MARK} by me\n" + WRONG["calc.py"]
        await it.until(lambda: list(it.watch.pilot.known.red) == [ADD])
        await it.rested()
        because = [note.cause for note in it.told(Began)][jobs:]
        # The others run when there is time for them, which may be before.
        assert [cause for cause in because if cause != "watch: the other tests"] == [
            "watch: a fix was taken back"
        ]
        assert it.script.solves == solves and len(it.told(Wrote)) == 1
        # The next save of the user is tested, and nobody looks for what would be the same fix.
        it.save({"calc.py": f"{MARK} more\n" + WRONG["calc.py"]})
        await it.until(lambda: "You took this fix" in it.watch.pilot.message)
        assert it.script.solves == solves and len(it.told(Wrote)) == 1
        # Another test asks for something that may need another fix.
        it.save({"test_calc.py": TESTS.replace("add(1, 2)", "add(1, 3)").replace("== 3", "== 4")})
        await it.until(lambda: it.script.solves == solves + 1)


async def test_a_fix_that_was_taken_back_by_hand_is_not_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Wrote))
        it.save({"calc.py": f"{MARK} by hand\n" + WRONG["calc.py"]})
        await it.until(lambda: "You took this fix" in it.watch.pilot.message)
        assert it.script.solves == 1
        # What else is wrong is mended, whatever became of the first.
        it.save({"more.py": GOOD["more.py"].replace("n * FACTOR", "n + FACTOR")})
        await it.until(lambda: it.script.solves == 2)
        assert it.told(Began)[-1].job.goal.tests == (TWICE,)


async def test_a_fix_that_was_taken_back_by_hand_is_known_to_every_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The editor's window may be loaded anew, and a second watch knows nothing of the first."""
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Wrote))
        fix = it.told(Wrote)[0].job.id
        it.save({"calc.py": f"{MARK} by hand\n" + WRONG["calc.py"]})
        await it.until(lambda: "You took this fix" in it.watch.pilot.message)
        await it.rested()
        await it.watch.close()
        it.watch = Watch(it.engine, Goal(it.root), it, "fix", RealClock(), QUICK)
        await it.watch.start(may_solve=True)
        await it.until(lambda: "You took this fix" in it.watch.pilot.message or len(it.told(Wrote)) > 1)
        assert len(it.told(Wrote)) == 1 and "a * b" in (it.root / "calc.py").read_text()
        assert it.engine.past.undo.state(fix) == "undone"


async def test_what_was_used_of_an_allowance_is_used_for_the_next_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else who switches the mode off and on would have it anew each time."""
    allowance, pace = Allowance(), dataclasses.replace(QUICK, fixes=1)
    settings = Settings(watch_model=True, solver="auto", watch_tokens_per_hour=1000)
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}, settings=settings) as it:

        def watch() -> Watch:
            return Watch(it.engine, Goal(it.root), it, "fix", RealClock(), pace, allowance)

        it.watch = watch()
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Wrote))
        now = it.watch.clock.now()
        it.watch.fixes.solving.paid(Spent(tokens=600), now)
        await it.watch.close()
        it.watch = watch()
        assert it.watch.fixes.solving.settings(now).max_tokens == 400
        (it.root / "calc.py").write_text(GOOD["calc.py"].replace("a - b", "a * b"))
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Offered) or len(it.told(Wrote)) > 1)
        assert it.told(Offered)[0].why.startswith("quiet: calc.py was fixed 1 times")


class Spender:
    """Asks a model that takes its time, or fails."""

    name = "agent"

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
        assert bench.afford(700, 0.0)
        if self._error is not None:
            raise self._error
        await asyncio.sleep(3600)
        yield Proposal(Patch())


@pytest.mark.parametrize("error", [None, ModelError("It refused.")])
async def test_what_a_model_took_counts_for_the_hour_whatever_came_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    """Also when a save overtook it: else who saves often would pay without a limit."""
    settings = Settings(watch_model=True, solver="model", watch_tokens_per_hour=1000, max_tokens=5000)
    async with small(tmp_path, monkeypatch, "suggest", {**FILES, **WRONG}, settings=settings) as it:
        asked: list[Settings] = []

        def build(settings: Settings, *_: object) -> Ladder:
            asked.append(settings)
            return Ladder((Spender(error),))

        monkeypatch.setattr(engine_module, "build", build)
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Happened) and isinstance(it.told(Happened)[-1].event, Coding | Failed))
        it.save({"calc.py": WRONG["calc.py"] + "X = 1\n"})
        await it.until(lambda: len(asked) == 2)
        assert [(one.solver, one.max_tokens) for one in asked] == [("model", 1000), ("model", 300)]
