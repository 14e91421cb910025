"""What lies around a single run: one file, templates, boxes, verification, and many runs at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

from bench.measure import Check, Findings, Method, Sample, Stopwatch, in_turns, rows, shown, table, times
from bench.projects import HEAVY, MID, TINY, Edit, Project
from bench.runs import as_changes, check
from bench.surroundings import surroundings_of
from boxes import BACKENDS, Backend
from untilgreen.pool import Pool
from untilgreen.solve.bench import Bench
from untilgreen.workspace import Snapshot, take_snapshot
from untilgreen_sandbox.box import Change, Chosen, RunRequest, open_box

CANDIDATES = 10
"""In one measurement of how many are tried in a second; even, so that half of them fail."""


async def measure_edit(folder: Path, rounds: int) -> Findings:
    """One changed file: put into the pristine tree, or laid over it for one run."""
    surroundings = await asyncio.to_thread(surroundings_of, MID)
    methods: list[Method] = []
    edit = MID.edit
    async with AsyncExitStack() as stack:
        for backend in BACKENDS[::-1]:
            root = MID.write(folder / backend)
            bench, pool = await stack.enter_async_context(surroundings.bench(backend, root))
            await bench.run(edit.patch(0))
            snapshot = await asyncio.to_thread(take_snapshot, root)
            methods += _one_file(backend, pool, snapshot, edit)
        samples = await in_turns(methods, 2 * rounds)
    lines = ["One changed file in a box that holds the mid project and a template.", "", *table(samples)]
    for backend in BACKENDS[::-1]:
        with_it, without = (samples[f"{backend}, one test, {what}"] for what in ("one file laid", "no file"))
        cost = shown(with_it.median - without.median)
        lines += ["", f"On {backend}, laying one file over the tree and taking it away costs a run {cost}."]
    put = samples["docker, put"].median
    return Findings(
        tuple(lines), (Check("one changed file in a docker box: below 2 ms", shown(put), put < 0.002),)
    )


def _one_file(backend: Backend, pool: Pool, snapshot: Snapshot, edit: Edit) -> list[Method]:
    test = "tests/test_basket.py::test_of[1]"
    request = RunRequest(ids=(test,), rung="checkpoint", editable=(edit.path,))

    async def one(n: int) -> AsyncIterator[Change]:
        for change in as_changes(edit.patch(2 * n)):
            yield change

    async def put(n: int, watch: Stopwatch) -> None:
        async with pool.lane(snapshot) as box:
            with watch.running():
                await box.put(one(n))

    def running(laid: bool) -> Method:
        async def once(n: int, watch: Stopwatch) -> None:
            async with pool.lane(snapshot) as box:
                with watch.running():
                    report = await box.run(request, as_changes(edit.patch(2 * n)) if laid else ())
            assert report.outcomes() == {test: "passed"} and report.rung == "checkpoint", report

        return Method(f"{backend}, one test, {'one file laid' if laid else 'no file'}", once)

    return [Method(f"{backend}, put", put), running(True), running(False)]


async def measure_candidates(folder: Path, rounds: int) -> Findings:
    """How many candidates are tried in a second, with one box and with two at a time."""
    lines = [f"Candidates that are tried in a second, each with its own bytes, {CANDIDATES} in a row."]
    for project in (TINY, MID):
        surroundings = await asyncio.to_thread(surroundings_of, project)
        async with AsyncExitStack() as stack:
            methods = []
            for backend in BACKENDS[::-1]:
                root = project.write(folder / f"{project.name}-{backend}")
                for lanes in (1, 2):
                    bench, _ = await stack.enter_async_context(surroundings.bench(backend, root, lanes))
                    methods.append(_many(project, bench, f"{backend}, {lanes} lane{'s' * (lanes > 1)}"))
            samples = await in_turns(methods, max(5, rounds // 4), ahead=1)
        body = [
            [name, f"{CANDIDATES / sample.median:.1f}", f"{CANDIDATES / sample.p95:.1f}"]
            for name, sample in samples.items()
        ]
        lines += ["", *rows([project.name, "per second, median", "of the slowest"], body)]
    return Findings(tuple(lines))


def _many(project: Project, bench: Bench, name: str) -> Method:
    async def one(n: int) -> None:
        check(await bench.run(project.edit.patch(n)), project, project.edit, n)

    async def once(n: int, watch: Stopwatch) -> None:
        with watch.running():
            await asyncio.gather(*(one(n * CANDIDATES + k) for k in range(CANDIDATES)))

    return Method(name, once)


async def measure_first(folder: Path, rounds: int) -> Findings:
    """From nothing to the first report."""
    surroundings = await asyncio.to_thread(surroundings_of, TINY)
    methods = []
    for backend in BACKENDS[::-1]:
        root = TINY.write(folder / backend)

        async def once(_n: int, watch: Stopwatch, backend: Backend = backend, root: Path = root) -> None:
            with watch.running():
                snapshot = await asyncio.to_thread(take_snapshot, root)
                opening = open_box(Chosen(backend, "measured"), surroundings.spec(backend, root))
                box = await opening.__aenter__()
                await box.put(snapshot.changes())
                report = await box.run(RunRequest())
            await opening.__aexit__(None, None, None)
            check(report, TINY, TINY.edit, 0)

        methods.append(Method(backend, once))
    samples = await in_turns(methods, rounds)
    about = "From `open_box` to the first report of the tiny project; the image is there."
    return Findings((about, "", *table(samples)))


async def measure_templates(folder: Path, rounds: int) -> Findings:
    """What a template costs, and what the last word costs, both in cold runs."""
    head = ["project", "backend", "cold run", "run that makes a template", "template / cold run",
            "fresh run, box prepared", "fresh / cold run"]  # fmt: skip
    body: list[list[str]] = []
    n_runs = max(5, rounds // 4)
    for project in (TINY, MID, HEAVY):
        surroundings = await asyncio.to_thread(surroundings_of, project)
        for backend in BACKENDS[::-1]:
            root = project.write(folder / f"{project.name}-{backend}")
            async with surroundings.bench(backend, root) as (bench, pool):
                snapshot = await asyncio.to_thread(take_snapshot, root)
                samples = await in_turns(_dear_runs(project, bench, pool, snapshot), n_runs, 1)
            body.append([project.name, backend, *_in_cold_runs(samples)])
    lines = (
        f"Medians of {n_runs} runs.",
        "The template's own cost is the run that makes it without a run from it.",
        "A fresh run is the last word about a fix: the full suite in a box that was opened ahead and is "
        "closed afterwards.",
        "",
        *rows(head, body),
    )
    return Findings(lines)


def _in_cold_runs(samples: dict[str, Sample]) -> list[str]:
    cold, making, warm, fresh = (samples[name].median for name in ("cold", "making", "warm", "fresh"))
    return [shown(cold), shown(making), times((making - warm) / cold), shown(fresh), times(fresh / cold)]


def _dear_runs(project: Project, bench: Bench, pool: Pool, snapshot: Snapshot) -> list[Method]:
    edit = project.edit
    seen = next(path for path in project.files if path.startswith(("test", "conftest")))

    async def again() -> AsyncIterator[Change]:
        # The same bytes, but no template may have looked at what is put: all of them end.
        yield Change(seen, project.files[seen].encode())

    def running(name: str, rung: str) -> Method:
        async def once(n: int, watch: Stopwatch) -> None:
            async with pool.lane(snapshot) as box:
                if name == "making":
                    await box.put(again())
                request = RunRequest(rung="cold" if rung == "cold" else "auto")
                if name == "warm":
                    await box.run(request, as_changes(edit.patch(n)))
                with watch.running():
                    report = await box.run(request, as_changes(edit.patch(n)))
            check(report, project, edit, n)
            assert report.rung == rung, report.rung_reason

        return Method(name, once)

    async def fresh(n: int, watch: Stopwatch) -> None:
        bench.prepare_fresh()
        assert pool._spare is not None
        await asyncio.wait([pool._spare])
        with watch.running():
            report = await bench.run_fresh(edit.patch(n))
        check(report, project, edit, n)

    return [running("cold", "cold"), running("making", "checkpoint"), running("warm", "checkpoint"),
            Method("fresh", fresh)]  # fmt: skip
