"""A run that is forked from a template says exactly what a new process says, whatever the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from agreement.choosing import assert_agree, candidates_of
from agreement.project import OURS, PUBLISHED, Project
from boxes import Backend

LEAST = 300


def test_there_are_enough() -> None:
    assert sum(len(candidates_of(project)) for project in (*OURS, *PUBLISHED)) >= LEAST


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("project", OURS, ids=lambda project: project.name)
async def test_agree(
    backend: Backend, project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await assert_agree(backend, project, tmp_path, capsys)
