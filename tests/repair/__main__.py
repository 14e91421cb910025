"""`make bench-repair`: how many bugs are repaired without any model, how many rightly, and what it costs."""

from __future__ import annotations

import argparse
import platform
import random
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import machine
from bench.measure import Findings
from bench.page import section
from repair.bug import Bug
from repair.injected import injected_bugs
from repair.own import own_bugs
from repair.packages import package_bugs
from repair.page import write
from repair.solving import Result, solve
from repair.table import by, not_repaired, summary, wrong

PAGE = machine.REPOSITORY / "docs/repair.md"
INJECTED = 33


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench-repair", description=__doc__)
    parser.add_argument("--only", choices=["own", "injected", "packages", ""], default="")
    parser.add_argument(
        "--limit", type=int, default=0, help="at most so many of each set, chosen by the seed"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--each", type=int, default=12, help="bugs for each package")
    parser.add_argument("--max-seconds", type=float, default=60)
    parser.add_argument("--solver", default="offline")
    parser.add_argument("--page", type=Path, default=PAGE)
    told = parser.parse_args()
    bugs: list[Bug] = []
    if told.only == "injected":
        bugs += injected_bugs(told.limit or INJECTED, told.seed)
    if told.only in ("", "own"):
        bugs += chosen(own_bugs(), told.limit, told.seed)
    if told.only in ("", "packages"):
        bugs += chosen(package_bugs(told.each, told.seed, told.limit), told.limit, told.seed)
    before, begun = machine.load(), time.monotonic()
    results = measured(bugs, told)
    command = "make bench-repair" + "".join(
        f" {name.upper()}={value}" for name, value in vars(told).items() if _is_said(parser, name, value)
    )
    ran = (
        f"Commit {machine.commit()}, {machine.date()}, `{command}`, {time.monotonic() - begun:.0f} s; "
        f"load {before} before and {machine.load()} after."
    )
    title = f"{told.only or 'all'}, seed {told.seed}"
    text = section(title, ran, findings(results, told.max_seconds))
    write(told.page, surroundings(), text)
    print(text)


def surroundings() -> list[str]:
    python = f"tests and ourselves run with Python {platform.python_version()}"
    bwrap = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return [machine.hardware(), f"{python}; {bwrap}"]


def _is_said(parser: argparse.ArgumentParser, name: str, value: object) -> bool:
    return name == "seed" or (name in ("only", "limit", "jobs", "each") and value != parser.get_default(name))


def chosen(bugs: Sequence[Bug], limit: int, seed: int) -> list[Bug]:
    """All of them, or some from each kind of place."""
    if not limit or limit >= len(bugs):
        return list(bugs)
    picked = random.Random(seed).sample(range(len(bugs)), limit)
    return [bugs[n] for n in sorted(picked)]


def measured(bugs: Sequence[Bug], told: argparse.Namespace) -> list[Result]:
    def one(bug: Bug) -> Result:
        result = solve(bug, told.solver, told.max_seconds, told.seed)
        said = result.opinion.rightness if result.repaired else result.dishonest or result.reason
        figures = f"{result.verdict:8} {result.cpu:6.1f} s {result.candidates:7,}"
        print(f"{figures}  {bug.family:7} {bug.name}: {said}", flush=True)
        return result

    with ThreadPoolExecutor(max(1, told.jobs)) as pool:
        return list(pool.map(one, bugs))


def findings(results: Sequence[Result], max_seconds: float) -> Findings:
    lines = [
        f"{len(results)} bugs, at most {max_seconds:.0f} seconds for each on bubblewrap.",
        "",
        *summary(results),
        "",
        *by(results, "project", _project),
        "",
        *by(results, "kind", lambda result: result.bug.kind),
    ]
    for part in (wrong(results), not_repaired(results)):
        lines += ["", *part] if part else []
    return Findings(tuple(lines))


def _project(result: Result) -> str:
    return result.bug.project.published or result.bug.project.name


if __name__ == "__main__":
    main()
