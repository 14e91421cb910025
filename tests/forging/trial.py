"""One candidate tried by the real loop: engine, boxes, verification and all."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.model import Goal, Verdict
from untilgreen.settings import read


class Court:
    """Tries candidates for projects; boxes stay warm between candidates for the same one."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder

    async def verdict(
        self, name: str, project: Mapping[str, str], candidate: Mapping[str, str | None], *goal: str
    ) -> Verdict:
        """How a job ends whose only proposal is this one."""
        root = self._folder / name
        for path, text in project.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.write_text(text)
        steps = [{"hypothesis": "trust me", "files": dict(candidate)}]
        (self._folder / "script.json").write_text(json.dumps({"proposals": steps}))
        desk = DiskDesk(root, self._folder / "intents")
        return await self._engine.solve(Goal(root, goal), desk, "trial").wait()


@asynccontextmanager
async def court(backend: str, folder: Path) -> AsyncIterator[Court]:
    raw = {
        "sandbox": backend,
        "solver": f"scripted:{folder / 'script.json'}",
        "test_seconds": 30.0,
        "sandbox_base": os.environ.get("UNTILGREEN_SANDBOX_BASE", ""),
    }
    (folder / "script.json").write_text('{"proposals": []}')
    settings, problems = read(raw)
    assert problems == ()
    async with Engine(settings, Journal(folder / "state")) as engine:
        yield Court(engine, folder)
