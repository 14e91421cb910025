"""The user goes on editing while we solve: what does not meet is kept and proved again, what meets wins."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from boxes import Backend
from untilgreen import events
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.errors import WorkspaceChanged
from untilgreen.events import Event, Shifted, Verifying
from untilgreen.ground import Grounds
from untilgreen.history import timeline
from untilgreen.job import Job
from untilgreen.journal import Journal
from untilgreen.model import Goal
from untilgreen.settings import read
from untilgreen.workspace import Snapshot

BOM = "\ufeff"
LINES = [
    "import math",
    "",
    "SCALE = 1",
    "",
    "",
    "def area(r):",
    "    return math.pi * r",
    "",
    "",
    "NAME = 'é'",
    "",
]
CODE = BOM + "\r\n".join(LINES)
FIXED = CODE.replace("math.pi * r", "math.pi * r * r")
TESTS = """\
import math

import shape


def test_area():
    assert shape.area(2) == math.pi * 4 * shape.SCALE


def test_scale():
    assert shape.SCALE == 1
"""


class Setting:
    def __init__(self, engine: Engine, journal: Journal, root: Path) -> None:
        self.engine = engine
        self.journal = journal
        self.desk = DiskDesk(root, journal.intents)
        self.root = root
        self.code = root / "shape.py"
        self.told: list[Event] = []

    def edit(self, old: str, new: str) -> bytes:
        """Whoever edits keeps what the file is."""
        before = self.code.read_bytes()
        assert old.encode() in before
        self.code.write_bytes(before.replace(old.encode(), new.encode()))
        return self.code.read_bytes()

    async def solve(self, on: Callable[[Event], None] = lambda _event: None) -> Job:
        job = self.engine.solve(Goal(self.root), self.desk, "a test")
        async for event in job.events():
            on(event)
        assert job.verdict is not None, job.error
        assert job.verdict.kind == "green", job.verdict.reason
        return job

    async def apply(self, job: Job) -> tuple[str, ...]:
        return await self.engine.apply(job, self.desk, self.told.append)


@asynccontextmanager
async def at_work(backend: Backend, folder: Path) -> AsyncIterator[Setting]:
    root = folder / "project"
    root.mkdir()
    (root / "shape.py").write_bytes(CODE.encode())
    (root / "shape.py").chmod(0o750)
    (root / "test_shape.py").write_text(TESTS)
    script = folder / "script.json"
    script.write_text(json.dumps({"proposals": [{"files": {"shape.py": FIXED}}]}))
    base = os.environ.get("UNTILGREEN_SANDBOX_BASE", "")
    settings, problems = read({"sandbox": backend, "solver": f"scripted:{script}", "sandbox_base": base})
    assert problems == ()
    journal = Journal(folder / "state")
    async with Engine(settings, journal) as engine:
        yield Setting(engine, journal, root)


@pytest.fixture(autouse=True)
def plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    # The distribution's own Python is the one that the base image holds, too.
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


async def test_other_lines_are_kept_and_the_whole_is_proved(backend: Backend, tmp_path: Path) -> None:
    async with at_work(backend, tmp_path) as setting:
        job = await setting.solve()
        mine = setting.edit("NAME = 'é'", "NAME = 'è'\r\nMORE = 1")
        assert await setting.apply(job) == ("shape.py",)
        assert setting.code.read_bytes() == mine.replace(b"math.pi * r", b"math.pi * r * r")
        assert setting.code.stat().st_mode & 0o777 == 0o750
        verifying = [event for event in setting.told if isinstance(event, Verifying)]
        assert len(verifying) == 1 and Shifted(("shape.py",)) in setting.told
        assert job.verdict is not None and job.verdict.after is not None
        assert job.verdict.after.rung == "fresh"
        assert "verified again" in job.verdict.reason
        ours = [line for line in job.verdict.diff.splitlines() if line.startswith(("+ ", "- "))]
        assert len(ours) == 2 and "r * r" in ours[1], "and so does the diff"
        texts = [step.text for step in timeline(setting.journal, job.id)]
        assert texts[-2:] == ["moved along with edits in shape.py", "written: shape.py"]
        await setting.engine.undo(setting.root, setting.desk)
        assert setting.code.read_bytes() == mine, "an undo takes our lines only"


async def test_an_edit_before_the_verdict_is_told(tmp_path: Path) -> None:
    async with at_work("bubblewrap", tmp_path) as setting:

        def edit(event: Event) -> None:
            if isinstance(event, events.Tested):
                setting.edit("import math", "import math  # mine")

        job = await setting.solve(edit)
        assert job.verdict is not None
        assert "mine" not in job.verdict.diff, "a verdict speaks of the tree that was seen"
        await setting.apply(job)
        assert b"# mine" in setting.code.read_bytes()
        assert b"r * r" in setting.code.read_bytes()


async def test_typing_all_the_time_ends_no_job(backend: Backend, tmp_path: Path) -> None:
    """Whatever happens to the files once the first box holds them, the verdict speaks of what was seen."""
    async with at_work(backend, tmp_path) as setting:
        notes = setting.root / "notes.py"
        notes.write_text("# as it was seen\n")
        (setting.root / "gone.py").touch()
        job = setting.engine.solve(Goal(setting.root), setting.desk, "a test")
        held = False
        async for event in job.events():
            if isinstance(event, events.BoxOpened):
                held = True
                (setting.root / "gone.py").unlink()
                setting.edit("import math", "import math  # mine")
            if held:
                notes.write_text(f"{notes.read_text()}# {type(event).__name__}\n")
        assert job.verdict is not None and job.verdict.kind == "green", job.error
        await setting.apply(job)
        assert b"# mine" in setting.code.read_bytes()
        assert b"r * r" in setting.code.read_bytes()
        assert "# Finished" in notes.read_text()


async def test_saves_while_the_workspace_is_copied(tmp_path: Path) -> None:
    """One or two, and it is looked at again; who saves all the time is told."""
    settings, _ = read({"sandbox": "bubblewrap"})
    desk = DiskDesk(tmp_path, tmp_path / ".cache/intents")

    async def seen_after(*saved: str) -> bytes:
        saves = iter(saved)

        def save(_snapshot: Snapshot) -> None:
            if text := next(saves, ""):
                (tmp_path / "saved.py").write_text(text)

        grounds = Grounds()
        try:
            ground = await grounds.prepare(tmp_path, desk, settings, lambda _event: None, save)
            return ground.snapshot.read("saved.py")
        finally:
            await grounds.close()

    (tmp_path / "saved.py").write_text("nothing")
    assert await seen_after("one", "two") == b"two"
    with pytest.raises(WorkspaceChanged):
        await seen_after("three", "four", "five")


@pytest.mark.parametrize("new", ["math.pi * r * 2", "math.pi * r\r\n    # mine"])
async def test_the_same_lines_are_the_users(new: str, tmp_path: Path) -> None:
    async with at_work("bubblewrap", tmp_path) as setting:
        job = await setting.solve()
        mine = setting.edit("math.pi * r", new)
        with pytest.raises(WorkspaceChanged, match=r"shape\.py meanwhile, where the fix goes"):
            await setting.apply(job)
        assert setting.code.read_bytes() == mine
        assert setting.told == [], "nothing had to run for that"
        setting.code.unlink()
        with pytest.raises(WorkspaceChanged):
            await setting.apply(job)
        assert not setting.code.exists()
        assert setting.journal.undo.state(job.id) == ""


async def test_edits_with_which_the_fix_does_not_hold(tmp_path: Path) -> None:
    async with at_work("bubblewrap", tmp_path) as setting:
        job = await setting.solve()
        mine = setting.edit("NAME = 'é'", "NAME = 'é'\r\narea = None")
        with pytest.raises(WorkspaceChanged, match=r"does not hold.*test_area still does not pass"):
            await setting.apply(job)
        assert setting.code.read_bytes() == mine
        # Fixed by hand in another place, by another name.
        setting.code.write_bytes(mine.replace(b"area = None", b"area = lambda r: math.pi * r * r"))
        with pytest.raises(WorkspaceChanged, match="do not fail any more"):
            await setting.apply(job)


async def test_an_edit_during_the_second_proof_wins(tmp_path: Path) -> None:
    async with at_work("bubblewrap", tmp_path) as setting:
        job = await setting.solve()
        setting.edit("NAME = 'é'", "NAME = 'è'")
        edits: list[bytes] = []

        def edit(event: Event) -> None:
            if isinstance(event, Shifted):
                edits.append(setting.edit("SCALE = 1", "SCALE = 1  # once more"))

        with pytest.raises(WorkspaceChanged):
            await setting.engine.apply(job, setting.desk, edit)
        assert [setting.code.read_bytes()] == edits
        assert setting.journal.undo.state(job.id) == ""
