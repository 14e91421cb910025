"""The first run of a job: one process lists the tests and runs them. What was run once is not run again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from boxes import Rig
from untilgreen.events import Event, PlanMade
from untilgreen.model import FileChange, Goal, Patch, Verdict
from untilgreen.solve.bench import FEW_FILES, Bench
from untilgreen.solve.listing import list_and_run
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.report import Report

FILES = {
    "code_.py": "def one():\n    return 2\n",
    "test_code.py": (
        "import pytest\nfrom code_ import one\n\n\ndef test_one():\n    assert one() == 1\n\n\n"
        "@pytest.fixture\ndef broken():\n    raise KeyError(1)\n\n\ndef test_error(broken):\n    pass\n"
    ),
    "test_cannot.py": "from code_ import missing\n\n\ndef test_missing():\n    assert missing() == 1\n",
}
RIGHT = Patch({"code_.py": FileChange(b"def one():\n    return 1\n")})
pytestmark = pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)


class Watched:
    """A bench that tells what it was asked for."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.asked: list[str] = []

    async def plan(self) -> Report:
        self.asked.append("plan")
        return await self._bench.plan()

    async def baseline(
        self, one_test: float | None = None, listed: Callable[[int], None] | None = None
    ) -> Report:
        self.asked.append("baseline")
        return await self._bench.baseline(one_test, listed)


async def begun(rig: Rig, bench: Bench, goal: Goal) -> tuple[list[str], list[Event], object]:
    watched, heard = Watched(bench), list[Event]()
    snapshot = take_snapshot(rig.root)
    found = await list_and_run(goal, snapshot, watched, heard.append, 5.0)  # type: ignore[arg-type]
    return watched.asked, heard, found


async def test_one_process_lists_and_runs(rig: Rig) -> None:
    async with rig.bench({**FILES, "pytest.ini": "[pytest]\n"}) as bench:
        asked, heard, found = await begun(rig, bench, Goal(rig.root))
        assert asked == ["baseline"] and isinstance(found, tuple)
        listing, report = found
        ids = ("test_code.py::test_one", "test_code.py::test_error")
        assert listing.plan.ids == ids and heard == [PlanMade(2)]
        # A fixture that fails is no file that could not be read.
        assert listing.plan.unlisted == {"test_cannot.py": ("test_cannot.py::test_missing",)}
        assert {report.outcomes()[test] for test in ids} == {"failed", "error"}
        assert bench.config_file == listing.plan.config_file == "pytest.ini"
        assert (await bench.plan()).planned == ids, "as a process lists them that does nothing else"


async def test_a_misspelled_name_is_told_before_any_test_runs(rig: Rig) -> None:
    async with rig.bench(FILES) as bench:
        asked, _, found = await begun(rig, bench, Goal(rig.root, ("test_code.py::test_two",)))
        assert asked == ["plan"] and isinstance(found, Verdict)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("import os\n\nos._exit(3)\n", "blocked"), ("ONE = 1\n", "stuck")],
    ids=["dies", "none"],
)
async def test_nothing_to_run_is_a_verdict(rig: Rig, text: str, kind: str) -> None:
    async with rig.bench({"test_code.py": text}) as bench:
        asked, _, found = await begun(rig, bench, Goal(rig.root))
        assert asked == ["baseline"] and isinstance(found, Verdict) and found.kind == kind


async def test_a_test_that_hangs_does_not_hide_the_others(rig: Rig) -> None:
    text = "import time\n\n\ndef test_hangs():\n    time.sleep(60)\n\n\ndef test_other():\n    pass\n"
    async with rig.bench({"test_code.py": text}) as bench:
        snapshot, heard = take_snapshot(rig.root), list[Event]()
        found = await list_and_run(Goal(rig.root), snapshot, bench, heard.append, 1.0)
        assert isinstance(found, tuple) and found[1].ended == "timeout"
        assert found[0].plan.ids == ("test_code.py::test_hangs", "test_code.py::test_other")


async def test_what_is_to_stay_alone_is_fresh_and_is_not_run_again(rig: Rig) -> None:
    async with rig.bench(FILES) as bench:
        await bench.baseline()
        alone = await bench.run(RIGHT, alone=True)
        assert alone.rung == "fresh" and alone.outcomes()["test_code.py::test_one"] == "passed"
        assert await bench.run(RIGHT) is alone
        some = await bench.run(RIGHT, ("test_code.py::test_one",))
        assert some is not alone and some.rung == "checkpoint"
        wrong = await bench.run(Patch({"code_.py": FileChange(b"def one():\n    return 3\n")}))
        assert wrong.outcomes()["test_code.py::test_one"] == "failed"
        assert await bench.run(RIGHT) is not alone, "only the last one is kept"


async def test_a_fresh_run_verifies_once_and_only_what_it_ran_with(rig: Rig) -> None:
    wrong = Patch({"code_.py": FileChange(b"def one():\n    return 3\n")})
    async with rig.bench(FILES) as bench:
        await bench.baseline()
        alone = await bench.run(RIGHT, alone=True)
        assert await bench.run_fresh(RIGHT) is alone
        assert (again := await bench.run_fresh(RIGHT)) is not alone, "who asks once more has doubts"
        assert again.outcomes() == alone.outcomes()
        await bench.run(RIGHT, alone=True)
        await bench.run(wrong)
        await bench.run(RIGHT, alone=True)
        assert (await bench.run_fresh(wrong)).outcomes()["test_code.py::test_one"] == "failed"


@pytest.mark.parametrize("n_files", [1, FEW_FILES + 1])
async def test_traces_and_trials_are_forked_from_what_ran_the_tests_again(rig: Rig, n_files: int) -> None:
    more = {f"test_more_{n}.py": "def test_more():\n    pass\n" for n in range(n_files)}
    mark = "import os\nfrom code_ import one\n\n\ndef test_one():\n    assert one() == 1, os.getppid()\n"
    async with rig.bench({**FILES, **more, "test_code.py": mark}) as bench:
        await bench.baseline()
        again = await bench.rerun(one_order=False)
        traced = await bench.trace(("test_code.py::test_one",))
        assert (again.rung, traced.report.rung) == ("checkpoint", "checkpoint")
        assert len({str(one.red[-1].failure) for one in (again, traced.report)}) == 1
        assert traced.trace.tests["test_code.py::test_one"].executed.touches("code_.py", 2, 2)
        assert not any("more" in test for test in traced.report.outcomes())


async def test_what_depends_on_the_order_of_sets_is_traced_in_the_first_one(rig: Rig) -> None:
    text = (
        "import pytest\n\nORDER = list(map(str, {str(n) for n in range(99)}))\n\n\n"
        "@pytest.mark.parametrize('first', ORDER[:1])\ndef test_first(first):\n    assert not first\n"
    )
    async with rig.bench({"test_code.py": text}) as bench:
        (first,) = (await bench.baseline()).planned
        # One in ninety-nine is the same by chance, so never twice.
        orders = {(await bench.rerun(one_order=False)).planned for _ in range(2)}
        assert orders != {(first,)}
        assert first in (await bench.trace((first,))).report.outcomes()
