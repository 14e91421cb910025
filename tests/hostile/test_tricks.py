"""Tricks of clever programs: each ends exactly so, the host is as it was, and the next run is right."""

from __future__ import annotations

import ast
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from boxes import HONEST, SEED, SOAK, Rig, assert_honest, only, run, run_one
from hostile.test_bombs import HONEST_OUTCOMES, honest_outcomes
from hostile.unprivileged import Outcome, Unprivileged
from untilgreen_sandbox.box import Box
from untilgreen_sandbox.errors import BoxLost

SOURCES = {path.stem: path.read_text() for path in sorted((Path(__file__).parent / "tricks").glob("*.py"))}
IDS = [
    f"test_{name}.py::{node.name}"
    for name, source in SOURCES.items()
    for node in ast.parse(source).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]
SECONDS = 3


@dataclass(frozen=True, slots=True)
class End:
    """How the run of a trick ends."""

    ended: str = "finished"
    outcome: str = "passed"
    """Of its one test, when the run finished."""
    detail: str = ""
    """Part of the sentence, when it did not."""


TIMEOUT = End("timeout", detail="the time limit was reached")
UNREADABLE = End("crashed", detail="the test process sent something unreadable")
FAILED = End(outcome="failed")
EARLY = "the test process exited with code {} before the session was finished"
ENDS = {
    "test_a_child_stops_its_parent": TIMEOUT,
    "test_an_alarm": End("crashed", detail="the test process was ended by SIGALRM"),
    "test_an_exit_by_the_fault_handler": End("crashed", detail=EARLY.format(1)),
    "test_hooks_that_leave": End("crashed", detail=EARLY.format(0)),
    "test_a_good_exit_after_a_bad_end": End(
        "crashed", detail="the session finished with 1, but the process exited with 0"
    ),
    "test_a_collector_that_leaves": End("crashed", detail=EARLY.format(0)),
    "test_a_trace_of_everything": End("crashed", detail=EARLY.format(0)),
    "test_an_exit_that_is_forbidden": End("crashed", detail="the test process was ended by SIGSEGV"),
    "test_writing_is_deadly": End("crashed", detail="the test process was ended by SIGSYS"),
    "test_writing_does_nothing": TIMEOUT,
    "test_pages_in_the_pipe": UNREADABLE,
    "test_a_file_in_the_pipe": UNREADABLE,
    "test_the_pipe_said_twice": End(
        "crashed", detail="the session finished with 0, but the process exited with 1"
    ),
    "test_the_events_are_closed": End("crashed", detail=EARLY.format(1)),
    "test_the_events_are_somewhere_else": End("crashed", detail=EARLY.format(1)),
    "test_the_events_are_stolen": FAILED,
    "test_a_second_process_says_it": TIMEOUT,
}
LIAR = "test_an_exit_that_is_forbidden"
"""It says that it ends, as the last thing it does, and then it does not end so."""
# Without root the program inside has the tests' own user: they can spoil the box, and then it is lost.
SPOILERS = ("test_scratch_folders_are_shut", "test_the_events_are_stolen")


@dataclass(frozen=True, slots=True)
class Trick:
    """A test that runs alone, and another one that looks what is left of it."""

    id: str

    @property
    def name(self) -> str:
        return self.id.split("::")[1]

    @property
    def files(self) -> dict[str, str]:
        return {self.id.split("::")[0]: SOURCES[self.id[len("test_") : self.id.index(".py")]]}

    @property
    def look(self) -> str:
        wanted = self.id.replace("::test_", "::test_after_")
        return wanted if wanted in IDS else ""

    @property
    def end(self) -> End:
        return ENDS.get(self.name, End())


TRICKS = [Trick(one) for one in IDS if "::test_after_" not in one and not one.endswith(f"::{LIAR}")]


@pytest.fixture(autouse=True)
def host_as_it_was() -> Iterator[None]:
    before = host()
    yield
    assert host() == before


@pytest.mark.dealt
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name)
async def test_trick(box: Box, trick: Trick) -> None:
    # Only what never ends has to be short: on a busy machine a new process takes its time.
    report = await run(box, trick.files, trick.id, seconds=SECONDS if trick.end == TIMEOUT else None)
    cases = {case.id: (case.outcome, case.message) for case in report.cases}
    check(trick, Outcome(report.ended, report.detail, cases))
    if trick.look:
        looked = await run(box, trick.files, trick.look)
        assert not looked.faults([trick.look]), [case.message for case in looked.cases]
    await assert_honest(box)


async def test_a_liar_loses_its_box(rig: Rig) -> None:
    """A fork is answered when it says that it ends; a new process, which decides, when it has ended.

    On a busy machine the fork's end is seen together with what it says, and then there is no lie to find.
    """
    (liar,) = [Trick(one) for one in IDS if one.endswith(f"::{LIAR}")]
    async with rig.box(HONEST) as box:
        report = await run(box, liar.files, liar.id)
        if report.rung == "checkpoint" and report.ended == "finished":
            assert report.outcomes() == {liar.id: "passed"}
            with pytest.raises(BoxLost):
                await run(box)
        else:
            check(liar, Outcome(report.ended, report.detail, {}))
            await assert_honest(box)


def test_a_liar_loses_its_box_as_a_user(unprivileged: Unprivileged) -> None:
    (liar,) = [Trick(one) for one in IDS if one.endswith(f"::{LIAR}")]
    told, honest = unprivileged(liar.files, {}, ids=[liar.id, ""], seconds=SECONDS)
    if told.rung == "checkpoint" and told.ended == "finished":
        assert told.cases == {liar.id: ("passed", "")}
        assert honest.ended == "lost", honest
    else:
        check(liar, told)
        assert honest_outcomes(honest.cases) == HONEST_OUTCOMES, honest


@pytest.mark.parametrize("source", SOURCES)
def test_unprivileged(unprivileged: Unprivileged, source: str) -> None:
    tricks = [one for one in TRICKS if one.id.startswith(f"test_{source}.py") and one.name not in SPOILERS]
    if not SOAK:
        tricks = random.Random(f"{SEED} {source}").sample(tricks, -(-len(tricks) // 3))
    steps = [(trick, step) for trick in tricks for step in ("trick", "look", "honest")]
    steps = [(trick, step) for trick, step in steps if step != "look" or trick.look]
    wanted = [{"trick": trick.id, "look": trick.look, "honest": ""}[step] for trick, step in steps]
    runs = [{} if step == "honest" else trick.files for trick, step in steps]
    told = unprivileged(*runs, ids=wanted, seconds=SECONDS)
    for (trick, step), test_id, outcome in zip(steps, wanted, told, strict=True):
        if step == "trick":
            check(trick, outcome)
        elif step == "look":
            assert outcome.cases == {test_id: ("passed", "")}, trick.name
        else:
            assert honest_outcomes(outcome.cases) == HONEST_OUTCOMES, (trick.name, outcome)


@pytest.mark.parametrize("name", SPOILERS)
def test_a_spoiled_box_is_lost_and_never_wrong(unprivileged: Unprivileged, name: str) -> None:
    (trick,) = [trick for trick in TRICKS if trick.name == name]
    spoiled, honest = unprivileged(trick.files, {}, ids=[trick.id, ""], seconds=SECONDS)
    assert spoiled.ended != "finished" or {how for how, _ in spoiled.cases.values()} == {"failed"}
    assert honest.ended == "lost" or honest_outcomes(honest.cases) == HONEST_OUTCOMES, honest


@pytest.mark.asyncio(loop_scope="module")
async def test_folders_of_the_tree(shared_rig: Rig) -> None:
    """The tests' own user made them, so it may set what it likes on them; nothing of it is there again."""
    leave = """\
        import os
        def test_it():
            os.setxattr("pkg", "user.left", b"x")
            os.utime("pkg/deep", ns=(4242, 4242))
            os.chmod("pkg/deep", 0o2777)
        """
    look = """\
        import os
        def test_it():
            assert os.listxattr("pkg") == []
            assert os.stat("pkg/deep").st_mtime_ns != 4242
            assert os.stat("pkg/deep").st_mode & 0o7777 == 0o755
        """
    async with shared_rig.box({"pkg/deep/__init__.py": ""}) as box:
        assert only(await run_one(box, leave)).message == ""
        assert only(await run_one(box, look)).message == ""


def check(trick: Trick, told: Outcome) -> None:
    end = trick.end
    assert told.ended == end.ended, (told.detail, told.cases)
    if end.ended == "finished":
        assert told.cases.keys() == {trick.id}
        assert told.cases[trick.id][0] == end.outcome, told.cases
    else:
        assert end.detail in told.detail


def host() -> dict[str, object]:
    """What such programs would like to change outside of their box."""
    names = ("hostname", "domainname", "core_pattern", "modprobe", "sysrq", "panic", "randomize_va_space")
    switches = [path for name in names if (path := Path("/proc/sys/kernel", name)).exists()]
    found: dict[str, object] = {path.name: path.read_text() for path in switches}
    found["priority"] = os.getpriority(os.PRIO_PROCESS, 0)
    found["scheduler"] = os.sched_getscheduler(0)
    found["oom"] = Path("/proc/self/oom_score_adj").read_text()
    found["names"] = "untilgreen-hostile" in Path("/proc/net/unix").read_text()
    found["ipc"] = [Path("/proc/sysvipc", kind).read_text().count("\n") for kind in ("shm", "sem", "msg")]
    return found
