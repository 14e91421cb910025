"""`kill -9` before every single change that a fix, an undo or a redo makes to the disk."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from boxes import SEED
from unit.fixing import Setting
from untilgreen.engine import Engine
from untilgreen.lock import acquire
from untilgreen.settings import Settings

EVERY = 1 if os.environ.get("UNTILGREEN_SOAK") else 6
"""Which of all points are tried."""
# One process forks a child for each point; the n-th change of the file system kills the child before it.
KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from unit.fixing import Setting

def deadly(real, counter):
    def call(*args, **kwargs):
        counter[0] -= 1
        if counter[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return call

async def act(folder, what, counter):
    setting = Setting(folder)
    if what != "apply":
        await setting.apply()
    undone = await setting.undo() if what == "redo" else None
    for name in ("replace", "unlink", "mkdir", "rmdir", "open", "fsync", "chmod", "write", "truncate"):
        setattr(os, name, deadly(getattr(os, name), counter))
    if what == "apply":
        await setting.apply()
    else:
        await setting.undo(undone.by if undone else None)

os.umask(0o077)
for n in range(int(sys.argv[3]), 300, int(sys.argv[4])):
    child = os.fork()
    if child == 0:
        folder = Path(sys.argv[1]) / str(n)
        folder.mkdir()
        asyncio.run(act(folder, sys.argv[2], [n]))
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print(n)
        break
"""


@pytest.mark.parametrize("what", ["apply", "undo", "redo"])
def test_all_or_nothing_and_always_an_undo(what: str, tmp_path: Path) -> None:
    umask, first = os.umask(0o077), 1 + SEED % EVERY
    try:
        pristine = Setting(tmp_path / "pristine").tree()
        patched = Setting(tmp_path / "patched")
        asyncio.run(patched.apply())
        here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", KILLED, str(tmp_path), what, str(first), str(EVERY)]
        ended = subprocess.run(command, env=here, capture_output=True, check=True, timeout=100)
        seen = []
        for n in range(first, int(ended.stdout) + 1, EVERY):
            seen.append(asyncio.run(_check(tmp_path / str(n), pristine, patched.tree())))
        assert 0 < sum(seen) < len(seen) >= 40 // EVERY, "both ways were seen"
    finally:
        os.umask(umask)


async def _check(folder: Path, pristine: object, patched: object) -> bool:
    """After the next start; true when the fix stands."""
    setting = Setting(folder)
    Engine(Settings(), setting.journal)
    stands = setting.tree() == patched
    assert stands or setting.tree() == pristine, (folder.name, setting.tree())
    assert list(setting.journal.undo.folder.glob("*.pending")) == []
    acquire(setting.journal.locks, setting.root, "work", "next").release()
    for job in setting.journal.jobs():
        assert list(setting.journal.lines(job)) or (folder / f"state/jobs/{job}.jsonl").stat().st_size == 0
    fixes = [path.stem for path in setting.journal.undo.folder.glob("*.json")]
    if stands:
        undone = await setting.undo()
        assert setting.tree() == pristine
        await setting.undo(undone.by)
        assert setting.tree() == patched
    elif fixes:
        # What is left to undo is the undo.
        (last,) = fixes
        await setting.undo(last)
        assert setting.tree() == patched
    return stands
