"""One run of a project's tests after an edit, in all the ways there are; the edit is part of the time."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from bench.measure import Check, Findings, Method, Sample, Stopwatch, in_turns, table, times
from bench.projects import Edit, Project
from bench.surroundings import NATIVE_ENVIRONMENT, Surroundings, surroundings_of
from boxes import BACKENDS, eventually
from untilgreen.model import Patch
from untilgreen.pool import Pool
from untilgreen.solve.bench import Bench
from untilgreen.solve.plan import Plan
from untilgreen.solve.turn import Turns
from untilgreen.solve.verdicts import Start
from untilgreen.workspace import Snapshot, take_snapshot
from untilgreen_sandbox.box import Change, RunRequest
from untilgreen_sandbox.report import Report

PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
NATIVE, DOCKER_RUN = "native pytest", "`docker run --rm`"
ONE_BOX, TURN = "docker, checkpoint", "docker, turn of the loop, in two boxes"
EVERYWHERE = "edited module imported by all files"
WANTED: dict[str, tuple[tuple[str, float], ...]] = {
    "tiny": ((NATIVE, 15), (DOCKER_RUN, 35)),
    "mid": ((NATIVE, 4),),
    "heavy": ((NATIVE, 20),),
}

Act = Callable[[int], Awaitable[Report]]


async def measure(project: Project, folder: Path, rounds: int) -> Findings:
    surroundings = await asyncio.to_thread(surroundings_of, project)
    image = await surroundings.image()
    mounted = {name: project.write(folder / name) for name in ("native", "run", "exec", "bwrap")}
    variables = [f"--env={name}={value}" for name, value in NATIVE_ENVIRONMENT.items() if name != "PATH"]
    inside = ["--workdir=/workspace", *variables]
    bind = ["--network=none", f"--volume={mounted['run']}:/workspace", *inside]
    shown = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev"]
    shown += ["--proc", "/proc", "--tmpfs", "/tmp", "--bind", str(mounted["bwrap"]), str(mounted["bwrap"])]
    async with AsyncExitStack() as stack:
        waiting = f"untilgreen-bench-{uuid.uuid4().hex[:12]}"
        start = ["run", "--detach", "--rm", "--init", "--network=none", f"--name={waiting}"]
        start += [f"--volume={mounted['exec']}:/workspace", image.name, "sleep", "infinity"]
        await asyncio.to_thread(_docker, *start)
        stack.push_async_callback(lambda: asyncio.to_thread(_docker, "rm", "--force", waiting))
        commands: dict[str, tuple[str, list[str]]] = {
            NATIVE: ("native", [surroundings.python]),
            DOCKER_RUN: ("run", ["docker", "run", "--rm", *bind, image.name, image.python]),
            "`docker exec`, warm": ("exec", ["docker", "exec", *inside, waiting, image.python]),
            "`bwrap`": ("bwrap", [*shown, "--chdir", str(mounted["bwrap"]), surroundings.python]),
        }
        methods = [
            _command(project, name, mounted[place], [*words, *PYTEST])
            for name, (place, words) in commands.items()
        ]
        for backend in BACKENDS[::-1]:
            root = project.write(folder / backend)
            bench, pool = await stack.enter_async_context(surroundings.bench(backend, root))
            snapshot = await asyncio.to_thread(take_snapshot, root)
            methods += _rungs(project, backend, bench, pool, snapshot)
            if project.wide is not None:
                turns = await _turns(project.edit, bench, snapshot)
                methods.append(_turn(project, backend, project.edit, turns))
        samples = await in_turns(methods, rounds, warmed=True)
    if project.wide is not None:
        samples |= await _of_wide_edit(project, project.wide, surroundings, folder, rounds)
    lines = [project.about, "", *table(samples, [NATIVE, DOCKER_RUN], titles=["native / this", "run / this"])]
    checks = [
        Check(
            f"{project.name}: {ours} is at least {least:g} times as fast as {other}",
            times(samples[other].median / samples[ours].median),
            samples[other].median / samples[ours].median >= least,
        )
        for other, least in WANTED[project.name]
        for ours in (ONE_BOX, TURN)
        if ours in samples
    ]
    return Findings(tuple(lines), tuple(checks))


def _command(project: Project, name: str, folder: Path, words: Sequence[str]) -> Method:
    def run(n: int, watch: Stopwatch) -> None:
        text = project.edit.text(n)
        with watch.running():
            (folder / project.edit.path).write_text(text)
            done = subprocess.run(
                words,
                cwd=folder,
                env=NATIVE_ENVIRONMENT | _engine(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
        told = {kind: int(number) for number, kind in re.findall(r"(\d+) (passed|failed)", done.stdout)}
        expected = dict(Counter(project.outcomes(project.edit, n).values()))
        assert told == expected, (name, n, expected, done.stdout, done.stderr)

    return Method(name, lambda n, watch: asyncio.to_thread(run, n, watch))


def _rungs(project: Project, backend: str, bench: Bench, pool: Pool, snapshot: Snapshot) -> list[Method]:
    async def cold(n: int) -> Report:
        async with pool.lane(snapshot) as box:
            return await box.run(RunRequest(rung="cold"), as_changes(project.edit.patch(n)))

    acts: dict[str, tuple[str, Edit, Act]] = {
        "checkpoint": ("checkpoint", project.edit, lambda n: bench.run(project.edit.patch(n))),
        "cold": ("cold", project.edit, cold),
        "fresh box": ("fresh", project.edit, lambda n: bench.run_fresh(project.edit.patch(n))),
    }
    return [ours(project, f"{backend}, {name}", *act) for name, act in acts.items()]


async def _of_wide_edit(
    project: Project, edit: Edit, surroundings: Surroundings, folder: Path, rounds: int
) -> dict[str, Sample]:
    """In boxes of their own, one way after the other: a box keeps few templates, and each way needs some."""
    found: dict[str, Sample] = {}
    for backend in BACKENDS[::-1]:
        root = project.write(folder / f"wide-{backend}")
        async with surroundings.bench(backend, root) as (bench, _pool):
            alone = f"{backend}, checkpoint, {EVERYWHERE}"
            method = ours(project, alone, "checkpoint", edit, lambda n, bench=bench: bench.run(edit.patch(n)))
            found |= await in_turns([method], rounds, warmed=True)
            turns = await _turns(edit, bench, await asyncio.to_thread(take_snapshot, root))
            found |= await in_turns([_turn(project, backend, edit, turns)], rounds, warmed=True)
    return found


async def _turns(edit: Edit, bench: Bench, snapshot: Snapshot) -> Turns:
    """As the loop takes them: after one that breaks tests, there are two boxes for the next."""
    baseline = await bench.baseline()
    turns = Turns(bench, Start(Plan(baseline.planned), baseline, ()), snapshot)
    assert (await turns.run(edit.patch(1))).red
    await asyncio.to_thread(eventually, lambda: bench.lanes == 2)
    return turns


def _turn(project: Project, backend: str, edit: Edit, turns: Turns) -> Method:
    where = f", {EVERYWHERE}" if edit is project.wide else ""
    name = f"{backend}, {TURN.removeprefix('docker, ')}{where}"
    return ours(project, name, "checkpoint", edit, lambda n: turns.run(edit.patch(n)))


def ours(project: Project, name: str, rung: str, edit: Edit, act: Act) -> Method:
    """One of our own ways: its Report must be complete and right, and come from that rung."""

    async def once(n: int, watch: Stopwatch) -> None:
        with watch.running():
            report = await act(n)
        check(report, project, edit, n)
        assert report.rung == rung, (name, report.rung, report.rung_reason)

    return Method(name, once)


def check(report: Report, project: Project, edit: Edit, n: int) -> None:
    assert report.ended == "finished", (report.detail, report.output.head, report.output.tail)
    assert report.outcomes() == project.outcomes(edit, n), (n, report.outcomes())


def as_changes(patch: Patch) -> tuple[Change, ...]:
    return tuple(Change(path, change.content, change.mode) for path, change in patch)


def _docker(*words: str) -> None:
    subprocess.run(["docker", *words], check=True, capture_output=True)


def _engine() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name in ("DOCKER_HOST", "PATH")}
