"""What code in a box can reach. Each probe is a test that runs inside; here its outcome is read."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from boxes import Rig, run
from hostile.unprivileged import Unprivileged
from untilgreen_sandbox.box import Box

PROBES = {path.stem: path.read_text() for path in sorted((Path(__file__).parent / "probes").glob("*.py"))}
FILES = {f"test_{name}.py": source for name, source in PROBES.items()}
NAMES = [
    f"test_{name}.py::{node.name}"
    for name, source in PROBES.items()
    for node in ast.parse(source).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]
Told = Mapping[str, tuple[str, str]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def told(shared_rig: Rig, box: Box) -> Told:
    """One run of all probes, with something beside the workspace that they must not find."""
    (shared_rig.root.parent / "sentinel.txt").write_text("not for the box\n")
    report = await run(box, FILES, *FILES)
    assert report.ended == "finished", (report.detail, report.output.tail)
    return {case.id: (case.outcome, case.message) for case in report.cases}


@pytest.fixture(scope="module")
def told_unprivileged(unprivileged: Unprivileged) -> Told:
    (outcome,) = unprivileged(FILES, files={})
    assert outcome.ended == "finished", outcome.detail
    return outcome.cases


@pytest.mark.parametrize("name", NAMES)
def test_probe(told: Told, name: str) -> None:
    check(told, name)


@pytest.mark.parametrize("name", NAMES)
def test_probe_unprivileged(told_unprivileged: Told, name: str) -> None:
    check(told_unprivileged, name)


def check(told: Told, name: str) -> None:
    mine = {test_id: outcome for test_id, outcome in told.items() if test_id.split("[")[0] == name}
    assert mine, "the probe ran"
    assert {test_id: outcome for test_id, outcome in mine.items() if outcome[0] != "passed"} == {}
