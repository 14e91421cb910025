"""One scenario file each: a broken workspace, scripted proposals, and how it must end."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.events import Refused, to_json
from untilgreen.job import Job
from untilgreen.journal import Journal
from untilgreen.model import Goal
from untilgreen.settings import read

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.toml"))


@pytest.mark.parametrize(
    "scenario", [tomllib.loads(path.read_text()) for path in SCENARIOS], ids=[path.stem for path in SCENARIOS]
)
async def test_scenario(
    scenario: dict[str, Any], backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The distribution's own Python is the one that the base image holds, too.
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    root = tmp_path / "project"
    _write(root, scenario["files"])
    before = _tree(root)
    desk = DiskDesk(root, tmp_path / "intents")
    goal = Goal(root, tuple(scenario.get("goal", ())))
    async with Engine(_settings(scenario, backend, tmp_path), Journal(tmp_path / "state")) as engine:
        job = engine.solve(goal, desk, "scenario")
        seen = [event async for event in job.events()]
        check(job, seen, scenario["expect"])
        assert _tree(root) == before, "a solve writes nothing"
        if job.verdict is not None and job.verdict.kind == "green":
            await engine.apply(job, desk)
            _check_applied(root, before, job, _proposed(scenario))
            await engine.undo(root, desk)
            assert _tree(root) == before, "undo gives everything back"


def check(job: Job, seen: list[Any], expect: dict[str, Any]) -> None:
    verdict = job.verdict
    assert verdict is not None, job.error
    assert (verdict.kind, verdict.reason) == (expect["verdict"], verdict.reason)
    assert expect.get("reason", "") in verdict.reason
    assert list(verdict.fixed) == expect.get("fixed", [])
    assert list(verdict.still_failing) == expect.get("still_failing", [])
    assert list(verdict.patch.paths) == expect.get("patched", [])
    assert [test_id for test_id, _ in verdict.environment] == expect.get("environment", [])
    rules = [finding.rule for event in seen if isinstance(event, Refused) for finding in event.findings]
    assert rules == expect.get("refused", [])
    faults = "\n".join(fault for attempt in verdict.attempts for fault in attempt.faults)
    for fault in expect.get("faults", []):
        assert fault in faults
    names = [str(to_json(event, job="", seq=0, t=0)["type"]) for event in seen]
    assert names[-len(expect["events"]) :] == expect["events"]


def _check_applied(root: Path, before: dict[str, bytes], job: Job, proposed: list[dict[str, Any]]) -> None:
    """The bytes on disk are those of a proposal, and the diff says the same."""
    assert job.verdict is not None
    after = _tree(root)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed == set(job.verdict.patch.paths)
    assert {path: after[path].decode() if path in after else None for path in changed} in proposed
    other = root.parent / "other"
    _write(other, {path: content.decode() for path, content in before.items()})
    subprocess.run(["git", "apply", "-"], input=job.verdict.diff.encode(), cwd=other, check=True)
    assert _tree(other) == after


def _settings(scenario: dict[str, Any], backend: str, folder: Path) -> Any:
    script = folder / "script.json"
    steps = [
        {**step, "files": files}
        for step, files in zip(scenario["proposals"], _proposed(scenario), strict=True)
    ]
    script.write_text(json.dumps({"proposals": steps}))
    raw = {"sandbox": backend, "solver": f"scripted:{script}", **scenario.get("settings", {})}
    settings, problems = read({**raw, "sandbox_base": os.environ.get("UNTILGREEN_SANDBOX_BASE", "")})
    assert problems == ()
    return settings


def _proposed(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {path: None if text == "DELETE" else text.lstrip("\n") for path, text in step["files"].items()}
        for step in scenario["proposals"]
    ]


def _write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.lstrip("\n"))


def _tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
