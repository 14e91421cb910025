"""Boxes that outlive a run: used again, brought up to date, closed in the end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from boxes import Rig, eventually, processes_with, spec_for
from untilgreen.model import FileChange, Patch
from untilgreen.pool import Pool
from untilgreen.solve.bench import Bench
from untilgreen.workspace import Snapshot, take_snapshot
from untilgreen_sandbox.box import Change, Chosen, RunRequest
from untilgreen_sandbox.priority import NICER, goes_by_session

CODE = "def answer():\n    return 41\n"
FIXED = "def answer():\n    return 42\n"
TEST = "from code_ import answer\n\ndef test_answer():\n    assert answer() == 42\n"
ID = "test_code.py::test_answer"


@pytest.fixture
def root(rig: Rig) -> Path:
    rig.root.mkdir()
    (rig.root / "code_.py").write_text(CODE)
    (rig.root / "test_code.py").write_text(TEST)
    return rig.root


def pool_of(rig: Rig, **options: float) -> Pool:
    spec = spec_for(rig.backend, rig.root, rig.interpreter)
    return Pool(Chosen(rig.backend, "for a test"), spec, **options)  # type: ignore[arg-type]


@pytest_asyncio.fixture
async def pool(rig: Rig) -> AsyncIterator[Pool]:
    pool = pool_of(rig)
    yield pool
    await pool.close()


async def outcome(pool: Pool, snapshot: Snapshot) -> str:
    async with pool.lane(snapshot) as box:
        report = await box.run(RunRequest())
    return report.outcomes()[ID]


def patch(text: str) -> Patch:
    return Patch({"code_.py": FileChange(text.encode())})


async def test_a_second_box_knows_what_the_first_has_imported(rig: Rig, root: Path) -> None:
    """So that its templates import it ahead, too."""
    test = "import code_\nimport colorsys\n\ndef test_answer():\n    assert code_.known\n"
    (root / "test_code.py").write_text(test)
    snapshot, pool = take_snapshot(root), pool_of(rig, lanes=2)
    candidate = (Change("code_.py", b"import sys\nknown = 'colorsys' in sys.modules\n"),)
    try:
        async with pool.lane(snapshot) as one, pool.lane(snapshot) as two:
            await one.run(RunRequest(rung="cold"))
            report = await two.run(RunRequest(), candidate)
    finally:
        await pool.close()
    assert (report.rung, report.outcomes()[ID]) == ("checkpoint", "passed")


async def test_a_box_is_used_again_and_brought_up_to_date(pool: Pool, root: Path) -> None:
    first = take_snapshot(root)
    async with pool.lane(first) as one:
        pass
    async with pool.lane(first) as two:
        assert two is one
    assert await outcome(pool, first) == "failed"
    (root / "code_.py").write_text(FIXED)
    (root / "helper.py").write_text("")
    second = take_snapshot(root)
    assert await outcome(pool, second) == "passed"
    (root / "helper.py").unlink()
    (root / "code_.py").write_text("import helper\n" + FIXED)
    third = take_snapshot(root)
    async with pool.lane(third) as three:
        assert three is one
        report = await three.run(RunRequest())
    assert report.outcomes() == {"test_code.py": "error"}
    assert pool.warm == 1


async def test_two_at_once_have_two_boxes_and_one_lane_has_one(rig: Rig, root: Path) -> None:
    snapshot = take_snapshot(root)
    for lanes in (1, 2):
        pool = pool_of(rig, lanes=lanes)
        outcomes = await asyncio.gather(*(outcome(pool, snapshot) for _ in range(3)))
        assert (outcomes, pool.warm) == (["failed"] * 3, lanes)
        await pool.close()


async def test_a_box_that_met_an_error_is_not_used_again(pool: Pool, root: Path) -> None:
    snapshot = take_snapshot(root)
    with pytest.raises(ZeroDivisionError):
        async with pool.lane(snapshot):
            raise ZeroDivisionError
    assert pool.warm == 0
    assert await outcome(pool, snapshot) == "failed"


async def test_a_fresh_box_is_new_and_prepared_for_one_snapshot(pool: Pool, root: Path) -> None:
    snapshot = take_snapshot(root)
    pool.prepare(snapshot)
    async with pool.lane(snapshot) as warm, pool.fresh(snapshot) as prepared, pool.fresh(snapshot) as another:
        assert len({id(box) for box in (warm, prepared, another)}) == 3
        assert (await prepared.run(RunRequest())).outcomes() == {ID: "failed"}
    pool.prepare(snapshot)
    (root / "code_.py").write_text(FIXED)
    async with pool.fresh(take_snapshot(root)) as box:
        assert (await box.run(RunRequest())).outcomes() == {ID: "passed"}


async def test_idle_boxes_close_by_themselves(rig: Rig, root: Path) -> None:
    pool = pool_of(rig, idle_seconds=0.05)
    snapshot = take_snapshot(root)
    assert await outcome(pool, snapshot) == "failed"
    pool.prepare(snapshot)
    await asyncio.to_thread(eventually, lambda: pool.warm == 0)
    await pool.close()
    assert await asyncio.to_thread(eventually, lambda: not processes_with(str(root)))


async def test_a_second_box_is_there_before_somebody_waits_for_it(pool: Pool, root: Path) -> None:
    snapshot = take_snapshot(root)
    assert await outcome(pool, snapshot) == "failed"
    for _ in range(2):
        pool.widen(snapshot)
        await asyncio.to_thread(eventually, lambda: pool.warm == 2)
    async with pool.lane(snapshot) as one, pool.lane(snapshot) as two:
        assert pool.warm == 0
        pool.widen(snapshot)
        assert pool._widening is None, "both are there, though they have something to do"
        reports = await asyncio.gather(one.run(RunRequest()), two.run(RunRequest()))
    assert [report.outcomes()[ID] for report in reports] == ["failed", "failed"]


async def test_who_needs_a_second_box_waits_for_the_one_on_its_way(pool: Pool, root: Path) -> None:
    snapshot = take_snapshot(root)
    assert await outcome(pool, snapshot) == "failed"
    pool.widen(snapshot)
    async with pool.lane(snapshot), pool.lane(snapshot):
        assert pool.warm == 0
    assert pool.warm == 2


@pytest.mark.parametrize("how", [Pool.prepare, Pool.widen])
async def test_closing_while_a_box_is_opened_leaves_nothing(
    rig: Rig, root: Path, how: Callable[[Pool, Snapshot], None]
) -> None:
    for delay in (0.0, 0.01, 0.1, 0.4):
        pool = pool_of(rig)
        how(pool, take_snapshot(root))
        await asyncio.sleep(delay)
        await pool.close()
    assert await asyncio.to_thread(eventually, lambda: not processes_with(str(root)))


async def test_a_candidate_is_forked_once_its_own_code_agreed(pool: Pool, root: Path) -> None:
    bench = Bench(pool, take_snapshot(root), ())
    assert (await bench.baseline()).rung == "cold"
    report = await bench.run(patch(FIXED))
    assert (report.rung, report.outcomes()) == ("checkpoint", {ID: "passed"})
    report = await bench.run(patch("syntax error"))
    assert (report.rung, report.outcomes()) == ("checkpoint", {"test_code.py": "error"})
    assert (await bench.run_fresh(patch(FIXED))).rung == "fresh"


async def test_a_suite_that_notices_forks_gets_new_processes(pool: Pool, root: Path) -> None:
    told: list[str] = []
    pool.progress = told.append
    (root / "conftest.py").write_text("import os\nSTARTED = os.getpid()\n")
    (root / "test_code.py").write_text(
        "import os\nfrom conftest import STARTED\n" + TEST + "    assert os.getpid() == STARTED\n"
    )
    (root / "code_.py").write_text(FIXED)
    bench = Bench(pool, take_snapshot(root), ())
    assert (await bench.baseline()).outcomes() == {ID: "passed"}
    report = await bench.run(patch(FIXED + "\n"))
    reason = f"{ID} failed in a warm run, but in a new process it was passed."
    assert (report.rung, report.outcomes(), report.rung_reason) == ("cold", {ID: "passed"}, reason)
    assert told == [f"Every run starts a new process from here on: {reason}"]
    assert (await bench.run(patch(CODE))).rung == "cold"


async def test_a_green_that_a_fresh_box_does_not_see_ends_warm_runs(pool: Pool, root: Path) -> None:
    bench = Bench(pool, take_snapshot(root), ())
    await bench.baseline()
    warm = await bench.run(patch(FIXED))
    bench.disagreed(warm, await bench.run_fresh(patch(CODE)))
    report = await bench.run(patch(FIXED))
    assert report.rung == "cold"
    assert report.rung_reason == f"{ID} passed in a warm run, but in a new process it was failed."


RANKED = """\
import os
import time


def session():
    with open("/proc/self/autogroup") as file:
        return int(file.read().split()[-1])


def rank():
    return os.getpriority(os.PRIO_PROCESS, 0), session() if {by_session} else {of_session}


def test_rank():
    deadline = time.monotonic() + 30
    while rank() != ({wanted}, {of_session}):
        assert time.monotonic() < deadline, rank()
        time.sleep(0.05)
"""


@pytest.mark.parametrize("backend", ["bubblewrap"])
async def test_what_gives_way_is_behind_others_in_each_session_that_it_begins(pool: Pool, root: Path) -> None:
    """Niceness alone says nothing where the processor is shared out among sessions: test processes have their
    own."""
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    for gives_way in (True, False):
        wanted = NICER if gives_way else mine
        of_session = NICER if gives_way else 0
        text = RANKED.format(wanted=wanted, of_session=of_session, by_session=goes_by_session())
        (root / "test_code.py").write_text(text)
        pool.gives_way = gives_way
        async with pool.lane(take_snapshot(root)) as box:
            report = await box.run(RunRequest())
        assert set(report.outcomes().values()) == {"passed"}, report
