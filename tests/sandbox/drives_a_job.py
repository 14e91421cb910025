"""Drives one job of the engine in a process of its own, and says how much memory that took; not a test.

usage: python drives_a_job.py test|solve BACKEND ROOT STATE [SETTINGS as JSON]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.model import Goal
from untilgreen.settings import read


async def main() -> dict[str, Any]:
    kind, backend, root, state, *more = sys.argv[1:]
    base = os.environ.get("UNTILGREEN_SANDBOX_BASE", "")
    raw = {"sandbox": backend, "sandbox_base": base, **(json.loads(more[0]) if more else {})}
    settings, problems = read(raw)
    assert problems == ()
    desk = DiskDesk(Path(root), Path(state) / "intents")
    async with Engine(settings, Journal(Path(state))) as engine:
        job = (engine.solve if kind == "solve" else engine.test)(Goal(Path(root)), desk, "scale")
        await job.ended()
    assert job.verdict is not None, job.error
    report = job.verdict.after
    return {
        "verdict": job.verdict.kind,
        "reason": job.verdict.reason,
        "fixed": job.verdict.fixed,
        "environment": dict(job.verdict.environment),
        "ended": report.ended if report else "",
        "detail": report.detail if report else "",
        "outcomes": report.outcomes() if report else {},
        "capped": report.output.capped if report else False,
        "dropped": report.output.dropped if report else 0,
        "n_files": len(job.snapshot.entries) if job.snapshot else 0,
        "seconds": job.verdict.seconds,
        "peak_mb": peak_mb(),
    }


def peak_mb() -> float:
    """The most memory that this process ever held."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main())))
