"""Selection on real projects: whatever test a mistake in a function changes, it is among the first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agreement.mutations import mutated
from agreement.project import INFLECTION, SHOP, TOOLZ, Project
from boxes import changes
from untilgreen.solve.changed import Edit
from untilgreen.solve.selection import select
from untilgreen_sandbox.box import RunRequest

SEED = int(os.environ.get("UNTILGREEN_SEED", "1"))
OUTSIDE = ("raise at import", "syntax error")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("project", [SHOP, INFLECTION, TOOLZ], ids=lambda project: project.name)
async def test_every_changed_outcome_is_among_the_first(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    candidates = [one for one in mutated(project, 24, SEED) if not one.name.startswith(OUTSIDE)]
    assert len(candidates) >= 14
    n_changed, shares = 0, []
    async with project.box("bubblewrap", tmp_path) as box:
        told = await box.trace(RunRequest(ids=project.ids, rung="cold"))
        before = told.report.outcomes()
        assert told.report.ended == "finished"
        assert list(told.trace.tests) == list(before)
        for candidate in candidates:
            ((path, content),) = candidate.files.items()
            assert isinstance(content, bytes)
            edits = {path: Edit(project.source(path), content.decode())}
            selection = select(before, told.trace, edits)
            report = await box.run(RunRequest(ids=project.ids, seconds=20), changes(candidate.files))
            now = report.outcomes()
            # After a hang nothing is known of the tests that did not come to run.
            ran = [test_id for test_id in before if test_id in now]
            affected = {test_id for test_id in ran if now[test_id] != before[test_id]}
            assert affected <= set(selection.first), (candidate.name, selection.why)
            n_changed += bool(affected)
            shares.append(len(selection.first) / len(before))
    with capsys.disabled():
        mean = sum(shares) / len(shares)
        print(f"\n{project.name}: {len(candidates)} mistakes, {n_changed} noticed, first {mean:.0%} of tests")
    assert n_changed >= 5
    assert min(shares) < 0.5
