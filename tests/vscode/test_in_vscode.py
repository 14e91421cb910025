"""One test for each check that runs inside the real VS Code, or looks at its screen."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from vscode.conftest import MOST_SECONDS, SOURCES, Result, checks

pytestmark = pytest.mark.timeout(MOST_SECONDS + 60)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    cases = [(suite, name) for suite in SOURCES for name in checks(suite)]
    metafunc.parametrize(("suite", "name"), cases, ids=[f"{suite}: {name}" for suite, name in cases])


def test_in_vscode(suite: str, name: str, results: Mapping[tuple[str, str], Result]) -> None:
    assert (suite, name) in results, "it never ran; see the folder of this session"
    assert results[suite, name].error == ""
