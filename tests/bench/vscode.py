"""What a person in VS Code waits for: the first lens of a new window, and the edit after choosing the fix."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from bench.machine import REPOSITORY
from bench.measure import Findings, Sample, table

ROUNDS = 5
"""A window takes seconds; more rounds say nothing new."""
NODE = REPOSITORY / ".cache/vscode/node/bin/node"


async def measure_vscode(folder: Path, rounds: int) -> Findings:
    await _run(REPOSITORY / "scripts/vsix")
    [vsix] = (REPOSITORY / "editors/vscode").glob("untilgreen-*.vsix")
    driver = REPOSITORY / "tests/vscode/driver/bench.mjs"
    said = await _run(NODE, driver, folder, vsix, min(rounds, ROUNDS))
    taken = json.loads(said.splitlines()[-1])
    samples = {name: Sample(tuple(seconds)) for name, seconds in taken.items()}
    lines = (
        "The demo project in VS Code (code-server and Chromium), bubblewrap, no model, the server installed.",
        "The window is new each time; the fix is chosen in the quick-fix menu of a failing test, "
        "and `apply` is `auto`.",
        *("", *table(samples)),
    )
    return Findings(lines, ())


async def _run(*command: object) -> str:
    process = await asyncio.create_subprocess_exec(
        *(str(word) for word in command), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
    return said.decode()
