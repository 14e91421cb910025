"""What the user's settings block is not written, whichever door asks for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.errors import UntilgreenError
from untilgreen.journal import Journal
from untilgreen.model import Goal
from untilgreen.settings import read

BROKEN = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return eval(f'{a} + {b}')\n"
TEST = "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"


@pytest.mark.parametrize("choice", ["block", "show"])
async def test_the_engine_itself_refuses(choice: str, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "calc.py").write_text(BROKEN)
    (root / "test_calc.py").write_text(TEST)
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"proposals": [{"files": {"calc.py": FIXED}}]}))
    settings, problems = read(
        {"sandbox": "bubblewrap", "solver": f"scripted:{script}", "findings": {"eval": choice}}
    )
    assert problems == ()
    journal = Journal(tmp_path / "state")
    desk = DiskDesk(root, journal.intents)
    async with Engine(settings, journal) as engine:
        job = engine.solve(Goal(root), desk, "a test")
        verdict = await job.wait()
        assert verdict.kind == "green" and {finding.rule for finding in verdict.findings} == {"eval"}
        if choice == "block":
            with pytest.raises(UntilgreenError, match="blocks eval"):
                await engine.apply(job, desk)
            assert (root / "calc.py").read_text() == BROKEN
        else:
            assert await engine.apply(job, desk) == ("calc.py",)
