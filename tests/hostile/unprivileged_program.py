"""Opens a bubblewrap box as whoever starts it, runs what it is given and tells the outcomes; a program.

usage: python3 unprivileged_program.py < {"root": …, "files": {…}, "runs": [{path: source}, …], …}
It needs nothing but the sandbox package and pytest on its path.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from untilgreen_sandbox.box import BoxSpec, Change, Interpreter, Limits, RunRequest
from untilgreen_sandbox.bubblewrap import BubblewrapBox
from untilgreen_sandbox.errors import BoxLost, SandboxError


async def main() -> None:
    told = json.load(sys.stdin)
    prefix = Path(sys.base_prefix)
    python = Interpreter(Path(sys.executable), sys.version_info[:2], prefix, prefix, has_pytest=False)
    spec = BoxSpec(Path(told["root"]), python, limits=Limits(**told["limits"]))
    box = await BubblewrapBox.open(spec, lambda _text: None)
    answers: list[dict[str, Any]] = [{"description": box.description}]
    try:
        await box.put(_changes(told["files"]))
        for files, test_id in zip(told["runs"], told["ids"], strict=True):
            answers.append(await _run(box, files, (test_id,) if test_id else (), told["forked"]))
    finally:
        await box.close()
    json.dump(answers, sys.stdout)


async def _run(
    box: BubblewrapBox, files: dict[str, str], ids: tuple[str, ...], forked: bool
) -> dict[str, Any]:
    changes = tuple([change async for change in _changes(files)])
    try:
        if forked:
            # Files that are there before, empty, are opened late; those that come anew need a new process.
            await box.put(_changes(dict.fromkeys(files, "")))
        report = await box.run(RunRequest(ids=ids, rung="checkpoint" if forked else "auto"), changes)
        if forked:
            with contextlib.suppress(BoxLost):
                await box.put(_changes(dict.fromkeys(files)))
    except SandboxError as error:
        return {"lost": f"{type(error).__name__}: {error}"}
    return {
        "ended": report.ended,
        "detail": report.detail,
        "rung": report.rung,
        "why": report.rung_reason,
        "cases": [[case.id, case.outcome, case.message] for case in report.cases],
    }


async def _changes(files: dict[str, Any]) -> AsyncIterator[Change]:
    for path, content in files.items():
        yield Change(path, None if content is None else content.encode())


if __name__ == "__main__":
    asyncio.run(main())
