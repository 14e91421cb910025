"""What the last word about a fix costs: the fresh run and all questions, in cold runs of the same tests."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bench.measure import Check, Findings, Method, Stopwatch, in_turns, rows, shown, times
from bench.projects import HEAVY, MID, TINY, Project
from bench.runs import as_changes, check
from bench.surroundings import Surroundings, surroundings_of
from boxes import BACKENDS, Backend
from untilgreen.model import Goal
from untilgreen.pool import Pool
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.start import find_start
from untilgreen.solve.verdicts import Start
from untilgreen.solve.verify import COLD_RUNS, Verifier
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.box import Chosen, RunRequest


async def measure_proof(folder: Path, rounds: int) -> Findings:
    head = ["project", "backend", "tests fixed", "cold run", "verification", "verification / cold run"]
    body: list[list[str]] = []
    checks: list[Check] = []
    n_runs = max(5, rounds // 4)
    for project in (TINY, MID, HEAVY):
        surroundings = await asyncio.to_thread(surroundings_of, project)
        for backend in BACKENDS[::-1]:
            root = project.write(folder / f"{project.name}-{backend}")
            (root / project.edit.path).write_text(project.edit.bad)
            cold, whole = await _measured(project, surroundings, backend, root, n_runs)
            ratio = whole / cold
            fixed = str(len(project.edit.breaks))
            body.append([project.name, backend, fixed, shown(cold), shown(whole), times(ratio)])
            wanted = f"{project.name} on {backend}: verification takes less than {COLD_RUNS:g} cold runs"
            checks.append(Check(wanted, times(ratio), ratio < COLD_RUNS))
    about = (
        f"Medians of {n_runs} fixes of the same bug, from a candidate that looks green to the proof: the "
        "full suite in a fresh box that was opened ahead, then the blind check."
    )
    return Findings((about, "", *rows(head, body)), tuple(checks))


async def _measured(
    project: Project, surroundings: Surroundings, backend: Backend, root: Path, n_runs: int
) -> tuple[float, float]:
    pool = Pool(Chosen(backend, "measured"), surroundings.spec(backend, root))
    snapshot = await asyncio.to_thread(take_snapshot, root)
    bench = Bench(pool, snapshot, ())
    edit = project.edit

    async def cold(n: int, watch: Stopwatch) -> None:
        async with pool.lane(snapshot) as box:
            with watch.running():
                report = await box.run(RunRequest(rung="cold"), as_changes(edit.patch(2 * n)))
        check(report, project, edit, 0)

    async def verify(n: int, watch: Stopwatch) -> None:
        patch = edit.patch(2 * n)
        looked = await bench.run(patch)
        bench.prepare_fresh()
        assert pool._spare is not None
        await asyncio.wait([pool._spare])
        with watch.running():
            proof = await verifier.verify(patch, looked, snapshot.read, start.failing)
        assert proof.judgement.green and proof.questions and not proof.weak, proof

    try:
        start = await find_start(Goal(root), snapshot, bench, Budget(1, 600), lambda _event: None)
        assert isinstance(start, Start) and set(start.failing) == edit.breaks, start
        verifier = await asyncio.to_thread(Verifier, bench, start, snapshot)
        samples = await in_turns([Method("cold", cold), Method("verified", verify)], n_runs, 1)
    finally:
        await pool.close()
    return samples["cold"].median, samples["verified"].median
