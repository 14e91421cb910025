"""`make bench`: measure how fast it is, and write it down."""

from __future__ import annotations

import argparse
import asyncio
import functools
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench import machine
from bench.editors import measure_editor
from bench.measure import Check, Findings
from bench.memory import measure_memory
from bench.page import Page, said, section
from bench.peaks import measure_peaks
from bench.projects import PROJECTS
from bench.proof import measure_proof
from bench.runs import measure
from bench.series import (
    measure_candidates,
    measure_edit,
    measure_first,
    measure_templates,
)
from bench.trees import measure_rescan, measure_sync
from bench.vscode import measure_vscode
from bench.watching import measure_watch

SECTIONS: dict[str, Callable[[Path, int], Awaitable[Findings]]] = {
    **{name: functools.partial(measure, project) for name, project in PROJECTS.items()},
    "edit": measure_edit,
    "sync": measure_sync,
    "rescan": measure_rescan,
    "candidates": measure_candidates,
    "first": measure_first,
    "templates": measure_templates,
    "proof": measure_proof,
    "memory": measure_memory,
    "peaks": measure_peaks,
    "editor": measure_editor,
    "watch": measure_watch,
    "vscode": measure_vscode,
}
PAGE = machine.REPOSITORY / "docs/benchmarks.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--only", default="", help=f"some of {','.join(SECTIONS)}")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--page", type=Path, default=PAGE)
    told = parser.parse_args()
    only = [name for name in told.only.split(",") if name] or list(SECTIONS)
    if unknown := set(only) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    page = Page(told.page, tuple(SECTIONS))
    checks: list[Check] = []
    for name in only:
        text, findings = _measured(name, told.rounds, told.only)
        checks += findings.checks
        page.write(machine.machine(), {name: text}, some=bool(told.only))
        print(text, flush=True)
    for check in checks:
        print(f"{said(check).strip('*'):3}  {check.wanted}: {check.found}")


def _measured(name: str, rounds: int, only: str) -> tuple[str, Findings]:
    print(f"bench: {name} …", flush=True)
    before, begun = machine.load(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="untilgreen-bench-") as folder:
        findings = asyncio.run(_run(name, Path(folder), rounds))
    command = "make bench" + (f" ONLY={only}" if only else "") + (f" ROUNDS={rounds}" if rounds != 20 else "")
    measured = (
        f"Commit {machine.commit()}, {machine.date()}, `{command}`, {time.monotonic() - begun:.0f} s; "
        f"load {before} before and {machine.load()} after."
    )
    return section(name, measured, findings), findings


async def _run(name: str, folder: Path, rounds: int) -> Findings:
    return await SECTIONS[name](folder, rounds)


if __name__ == "__main__":
    main()
