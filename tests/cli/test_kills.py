"""`kill -9` at random moments: the next start finds all of a fix or nothing, and nothing that blocks."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from boxes import SEED, eventually, processes_with
from cli.terminal import BROKEN, FIXED, Terminal
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.lock import acquire
from untilgreen.settings import Settings

KILLS = 50 if os.environ.get("UNTILGREEN_SOAK") else 10


@pytest.fixture
def backend() -> str:
    return "bubblewrap"


@pytest.mark.timeout(600)
def test_killed_at_any_moment(terminal: Terminal) -> None:
    chance = random.Random(SEED)
    solve = ("solve", "--solver", terminal.propose({"calc.py": FIXED, "made/new.py": "n = 1\n"}), "--apply")
    begun = time.monotonic()
    assert terminal.run(*solve).returncode == 0
    solving = time.monotonic() - begun
    begun = time.monotonic()
    assert terminal.run("undo").returncode == 0
    undoing = time.monotonic() - begun
    stood = 0
    for n in range(KILLS):
        # Mostly anywhere; sometimes just when the writing begins.
        writes, undoes = chance.random() < 0.4, chance.random() < 0.3
        if undoes:
            asyncio.run(_redo(terminal))
        process = terminal.start("undo") if undoes else terminal.start(*solve)
        if writes:
            _wait_for_writing(terminal.state, process)
            time.sleep(chance.uniform(0, 0.02))
        else:
            time.sleep(chance.uniform(0, undoing if undoes else solving))
        process.kill()
        process.communicate(timeout=30)
        stood += asyncio.run(_check(terminal, f"kill {n} of seed {SEED}"))
    print(f"{KILLS} kills, {stood} fixes stood, a solve takes {solving:.1f} s")


async def _redo(terminal: Terminal) -> None:
    """The fix stands again, without the time that a solve takes."""
    journal = Journal(terminal.state)
    engine, desk = Engine(Settings(), journal), DiskDesk(terminal.root, journal.intents)
    jobs = engine.history(terminal.root, KILLS * 4)
    last = next(job for job in jobs if job.undoes and job.state == "applied")
    await engine.undo(terminal.root, desk, last.job)
    assert _files(terminal.root)["calc.py"] == FIXED


async def _check(terminal: Terminal, which: str) -> bool:
    """After the next start; leaves the tree as it was at first."""
    root, journal = terminal.root, Journal(terminal.state)
    engine, desk = Engine(Settings(), journal), DiskDesk(root, journal.intents)
    eventually(lambda: not processes_with(str(root)))
    stands = _files(root) == {"calc.py": FIXED, "made/new.py": "n = 1\n"}
    assert stands or _files(root) == {"calc.py": BROKEN}, (which, _files(root))
    acquire(journal.locks, root, "work", "the next one").release()
    assert [path.name for path in journal.locks.iterdir()] == [], which
    for folder in ("intents", "scratch"):
        assert not (terminal.state / folder).is_dir() or not list((terminal.state / folder).iterdir()), which
    jobs = engine.history(root, 3)
    assert jobs and all(engine.timeline(job.job) for job in jobs), which
    assert "running" not in [job.verdict for job in jobs], which
    if stands:
        undone = await engine.undo(root, desk)
        assert _files(root) == {"calc.py": BROKEN}, which
        await engine.undo(root, desk, undone.by)
        assert _files(root)["calc.py"] == FIXED, which
        await engine.undo(root, desk)
    assert _files(root) == {"calc.py": BROKEN}, which
    return stands


def _wait_for_writing(state: Path, process: subprocess.Popen[str]) -> None:
    while process.poll() is None and not list((state / "undo").glob("*.pending")):
        time.sleep(0.0005)


def _files(root: Path) -> dict[str, str]:
    """All but the tests, temporary files too."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file() and path.name != "test_calc.py"
    }
