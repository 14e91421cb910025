"""Programs that attack those who watch them: none of them turns anything green."""

from __future__ import annotations

import pytest

from boxes import assert_honest, run_one
from hostile.unprivileged import Unprivileged
from untilgreen_sandbox.box import Box

RED = "def test_red(): assert False\n"
# Sent to the first process, the runner, everybody, the runner's group: (source, how the run ends).
KILLERS = {
    "first process": "for n in (9, 15, 19, 11, 2, 1): tell(1, n)",
    "runner": "for n in (9, 15, 19, 11, 2, 1): tell(os.getppid(), n)",
    "group of the runner": "tell(-1 * os.getpgid(os.getppid()), 9)",
    "by descriptor": "signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9)",
    "every other": "for n in os.listdir('/proc'): n.isdigit() and int(n) != os.getpid() and tell(int(n), 9)",
}


def source(act: str) -> str:
    return (
        "import os, signal\n"
        "def tell(pid, number):\n"
        "    try: os.kill(pid, number)\n"
        "    except OSError: pass\n"
        "def test_kill():\n"
        "    try:\n"
        f"        {act}\n"
        "    except OSError: pass\n"
        "def test_red(): assert False\n"
    )


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", KILLERS)
async def test_nobody_outside_is_hit(box: Box, name: str) -> None:
    report = await run_one(box, source(KILLERS[name]))
    assert report.ended == "finished", report.detail
    assert report.outcomes() == {"test_it.py::test_kill": "passed", "test_it.py::test_red": "failed"}


@pytest.mark.asyncio(loop_scope="module")
async def test_everybody(box: Box) -> None:
    """Linux does not signal the sender, so the tests go on alone; what they started is gone."""
    report = await run_one(box, source("os.kill(-1, 9)"))
    assert report.ended == "finished"
    assert report.outcomes() == {"test_it.py::test_kill": "passed", "test_it.py::test_red": "failed"}
    child = source("os.fork() or os.kill(-1, 9)")
    report = await run_one(box, child, seconds=20)
    assert report.ended in ("killed", "finished")
    assert report.faults(["test_it.py::test_kill", "test_it.py::test_red"])
    await assert_honest(box)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_child_kills_its_parent(box: Box) -> None:
    act = "os.fork() == 0 and (os.kill(os.getppid(), 9), os._exit(0)) or signal.pause()"
    report = await run_one(box, source(act))
    assert (report.ended, report.outcomes()) == ("killed", {})
    assert report.detail == "the test process was ended by SIGKILL while test_it.py::test_kill was running"
    await assert_honest(box)


@pytest.mark.asyncio(loop_scope="module")
async def test_stopping_itself_is_a_timeout(box: Box) -> None:
    report = await run_one(box, source("os.kill(os.getpid(), signal.SIGSTOP)"), seconds=3)
    assert report.ended == "timeout"
    await assert_honest(box)


def test_unprivileged(unprivileged: Unprivileged) -> None:
    """Here the runner has the same user as the tests; being the first process protects it."""
    outcomes = unprivileged(*({"test_it.py": source(act)} for act in KILLERS.values()), {})
    *killers, honest = outcomes
    for name, outcome in zip(KILLERS, killers, strict=True):
        assert outcome.ended == "finished", (name, outcome.detail)
        assert outcome.cases["test_it.py::test_red"][0] == "failed", name
    assert honest.cases["test_honest.py::test_wrong"][0] == "failed"
    assert honest.cases["test_honest.py::test_nothing_is_left"] == ("passed", "")
