"""The same for published packages with suites of their own, apart, so that two can share the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from agreement.choosing import assert_agree
from agreement.project import PUBLISHED, Project
from boxes import Backend


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("project", PUBLISHED, ids=lambda project: project.name)
async def test_agree(
    backend: Backend, project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await assert_agree(backend, project, tmp_path, capsys)
