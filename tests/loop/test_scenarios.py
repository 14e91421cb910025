"""One scenario file each: how a job goes, how it ends, and that nothing else happened."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from boxes import SEED, eventually, processes_with
from loop.chances import Chances
from loop.scenario import SCENARIOS, Scenario
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.errors import WorkspaceChanged
from untilgreen.events import FOLLOWS, Event, Planning, Reflecting, Refused, state_after, to_json
from untilgreen.job import Job
from untilgreen.journal import Journal
from untilgreen.model import Goal

SOAK = bool(os.environ.get("UNTILGREEN_SOAK"))
PARTS = {"bubblewrap": 3, "docker": 10}
"""Of so many scenarios one is run, by the seed; all of them in a soak."""
STOP_SECONDS = 1.0


def _chosen() -> list[Any]:
    chance = random.Random(SEED)
    found = []
    for backend, part in PARTS.items():
        some = chance.sample(SCENARIOS, len(SCENARIOS) if SOAK else -(-len(SCENARIOS) // part))
        found += [pytest.param(one, backend, id=f"{backend}-{one.name}") for one in some]
    return found


def test_every_scenario_has_a_reason_to_be() -> None:
    assert len(SCENARIOS) >= 40
    assert all(scenario.about.endswith(".") for scenario in SCENARIOS)


@pytest.mark.parametrize(("scenario", "backend"), _chosen())
async def test_scenario(
    scenario: Scenario, backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The distribution's own Python is the one that the base image holds, too.
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    folder = tmp_path / "project"
    scenario.write(folder)
    root = folder / scenario.root
    before = tree(root)
    desk = DiskDesk(root, tmp_path / "intents")
    jobs: list[Job] = []
    if scenario.chances:
        chances = Chances(scenario.chances, lambda: jobs[0].state)
        monkeypatch.setattr("untilgreen.pool.open_box", chances.open_box())
    journal = Journal(tmp_path / "state")
    async with Engine(scenario.settings_for(backend, tmp_path), journal) as engine:
        job = engine.solve(Goal(root, scenario.goal), desk, "scenario")
        jobs.append(job)
        seen = await follow(job, scenario, root)
        check(job, seen, scenario)
        check_journal(journal, job, seen)
        if scenario.chances:
            assert chances.taken == len(scenario.chances)
        if not scenario.edits:
            assert tree(root) == before, "a solve writes nothing"
        if job.verdict is not None and job.verdict.kind == "green":
            await _check_apply(engine, job, desk, scenario, before)
    eventually(lambda: not processes_with(str(root)))
    assert [path.name for path in journal.locks.iterdir()] == []


async def follow(job: Job, scenario: Scenario, root: Path) -> list[Event]:
    """Hear all events; edit and stop where the scenario says so."""
    seen: list[Event] = []
    stopped = time.monotonic()
    if scenario.stop == "at once":
        job.stop()
    async for event in job.events():
        seen.append(event)
        name = name_of(event)
        for edit in scenario.edits:
            if edit["when"] == name:
                path = root / edit["path"]
                path.write_bytes(path.read_bytes().replace(edit["old"].encode(), edit["new"].encode()))
        if name == scenario.stop:
            stopped = time.monotonic()
            job.stop()
            job.stop()
    if scenario.stop:
        assert time.monotonic() - stopped < STOP_SECONDS
    return seen


def check(job: Job, seen: list[Event], scenario: Scenario) -> None:
    verdict, expect = job.verdict, scenario.expect
    assert verdict is not None, job.error
    assert (verdict.kind, verdict.reason) == (expect["verdict"], verdict.reason)
    assert expect.get("reason", "") in verdict.reason
    assert list(verdict.fixed) == expect.get("fixed", [])
    assert list(verdict.still_failing) == expect.get("still_failing", [])
    assert list(verdict.flaky) == expect.get("flaky", [])
    assert list(verdict.patch.paths) == expect.get("patched", [])
    assert [test_id for test_id, _ in verdict.environment] == expect.get("environment", [])
    assert (verdict.spent.tokens, verdict.spent.usd) == tuple(expect.get("spent", (0, 0.0)))
    assert expect.get("solver", verdict.solver) == verdict.solver
    rules = [finding.rule for event in seen if isinstance(event, Refused) for finding in event.findings]
    assert rules == expect.get("refused", [])
    faults = "\n".join(fault for attempt in verdict.attempts for fault in attempt.faults)
    for fault in expect.get("faults", []):
        assert fault in faults
    reflections = [event.reflection for event in seen if isinstance(event, Reflecting)]
    assert [one.pattern for one in reflections] == expect.get(
        "patterns", [one.pattern for one in reflections]
    )
    assert [one.advice for one in reflections] == expect.get("advice", ["go_on"] * len(reflections))
    assert expect.get("diff", "") in verdict.diff
    assert len(verdict.attempts) == expect.get("attempts", len(verdict.attempts))
    ran = sum(attempt.repeats is None for attempt in verdict.attempts)
    assert ran == expect.get("runs", ran), "what is known is not run again"
    begun = [event.failing for event in seen if isinstance(event, Planning)]
    assert begun == expect.get("planning", begun)
    names = [name_of(event) for event in seen]
    assert names[-len(expect["events"]) :] == expect["events"], names
    _check_states(seen)


def check_journal(journal: Journal, job: Job, seen: list[Event]) -> None:
    """It tells the same, and each failure with its key."""
    lines = list(journal.lines(job.id))
    assert [line["type"] for line in lines] == [name_of(event) for event in seen]
    reports = [line["report"] for line in lines if line["type"] == "baseline_done"]
    failures = [case["failure"] for report in reports for case in report["cases"] if case["failure"]]
    assert all(failure["key"].startswith(failure["type"]) for failure in failures)


def _check_states(seen: list[Event]) -> None:
    state = state_after("preparing", seen[0])
    for event in seen[1:]:
        after = state_after(state, event)
        assert after in (state, "done") or after in FOLLOWS[state], (state, event)
        state = after
    assert state == "done"


async def _check_apply(
    engine: Engine, job: Job, desk: DiskDesk, scenario: Scenario, before: dict[str, bytes]
) -> None:
    """What is written is what was proposed and what the diff says, and it can all be taken back."""
    assert job.verdict is not None
    root, mine = job.goal.root, tree(job.goal.root)
    if scenario.expect.get("apply", "written") == "refused":
        with pytest.raises(WorkspaceChanged):
            await engine.apply(job, desk)
        assert tree(root) == mine, "the user's edits win"
        return
    await engine.apply(job, desk)
    after = tree(root)
    changed = {path for path in mine.keys() | after.keys() if mine.get(path) != after.get(path)}
    assert changed == set(job.verdict.patch.paths)
    if not scenario.edits:
        assert {path: after.get(path) for path in changed} in scenario.proposed()
    other = root.parent / "other"
    for path, content in mine.items():
        (other / path).parent.mkdir(parents=True, exist_ok=True)
        (other / path).write_bytes(content)
    _apply_diff(other, job.verdict.diff)
    assert tree(other) == after
    await engine.undo(root, desk)
    assert tree(root) == mine, "undo gives everything back"


def _apply_diff(folder: Path, diff: str) -> None:
    data = diff.encode("utf-8", "surrogateescape")
    subprocess.run(["git", "apply", "-"], input=data, cwd=folder, check=True)


def name_of(event: Event) -> str:
    return str(to_json(event, job="", seq=0, t=0)["type"])


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
