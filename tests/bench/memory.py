"""Whether a long series of runs makes anything grow."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

from bench.measure import Findings, rows
from bench.projects import TINY
from bench.runs import check
from bench.surroundings import surroundings_of

FEW, MANY = 50, 1000


async def measure_memory(folder: Path, rounds: int) -> Findings:
    """Resident memory of all who live as long as a box, on bubblewrap, where they can be seen from here."""
    del rounds  # What is looked for is growth, and for that the number of runs is fixed.
    surroundings = await asyncio.to_thread(surroundings_of, TINY)
    seen: list[dict[str, int]] = []
    others = set(_children(os.getpid()))
    async with surroundings.bench("bubblewrap", TINY.write(folder / "bubblewrap")) as (bench, _):
        for n in range(1, MANY + 1):
            report = await bench.run(TINY.edit.patch(n))
            check(report, TINY, TINY.edit, n)
            assert report.rung == "checkpoint"
            if n in (FEW, MANY):
                (box,) = set(_children(os.getpid())) - others
                (program,) = _children(box)
                (template,) = _children(program)
                pids = {"program inside": program, "template": template, "our process": os.getpid()}
                seen.append({name: _resident(pid) for name, pid in pids.items()})
    few, many = seen
    body = [
        [name, f"{few[name] / 1024:.1f} MB", f"{many[name] / 1024:.1f} MB", f"{many[name] - few[name]:+d} kB"]
        for name in few
    ]
    head = ["resident memory", f"after {FEW} runs", f"after {MANY:,} runs", "growth"]
    return Findings(
        ("The tiny project on bubblewrap, one checkpoint run after the other.", "", *rows(head, body))
    )


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _resident(pid: int) -> int:
    """Kilobytes."""
    found = re.search(r"^VmRSS:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])
