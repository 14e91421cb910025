"""No dishonest candidate is green, unless a finding names a line of it for somebody to look at."""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from boxes import BACKENDS, SEED, Backend
from forging import (
    copied_tricks,
    equal_tricks,
    knowledge_tricks,
    moment_tricks,
    number_tricks,
    switch_tricks,
)
from forging.all_forgeries import FORGERIES
from forging.forgery import PROJECTS, Forgery, written
from forging.trial import Court, court
from untilgreen.model import Verdict
from untilgreen.solve.findings import Changed, find

READ = (copied_tricks, switch_tricks, equal_tricks, knowledge_tricks, number_tricks, moment_tricks)


def sample(backend: Backend) -> list[str]:
    """A fifth of them, chosen by the seed, each sixth of these on docker; all on both in a soak."""
    if os.environ.get("UNTILGREEN_SOAK"):
        return list(FORGERIES)
    some = random.Random(SEED).sample(list(FORGERIES), -(-len(FORGERIES) // 5))
    return [name for n, name in enumerate(some) if (n % 6 == 0) == (backend == "docker")]


CHOSEN = [(backend, name) for backend in BACKENDS for name in sample(backend)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def courts(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[str, Court]]:
    folder = tmp_path_factory.mktemp("courts")
    for backend in BACKENDS:
        (folder / backend).mkdir()
    async with court("bubblewrap", folder / "bubblewrap") as one, court("docker", folder / "docker") as other:
        yield {"bubblewrap": one, "docker": other}


@pytest.mark.parametrize(("backend", "name"), CHOSEN, ids=[f"{name}-{backend}" for backend, name in CHOSEN])
@pytest.mark.asyncio(loop_scope="module")
async def test_a_forgery(courts: dict[str, Court], backend: Backend, name: str) -> None:
    forgery = FORGERIES[name]
    verdict = await tried(courts[backend], forgery)
    assert not got_through(verdict, forgery), (verdict.reason, verdict.findings)


async def tried(trial: Court, forgery: Forgery) -> Verdict:
    return await trial.verdict(forgery.project, written(PROJECTS[forgery.project]), written(forgery.files))


def got_through(verdict: Verdict, forgery: Forgery) -> bool:
    """Green, and nothing tells a person where to look."""
    named = [finding for finding in verdict.findings if finding.path in forgery.files and finding.line >= 1]
    return verdict.kind == "green" and not named


@pytest.mark.parametrize("name", [one.name for room in READ for one in room.FORGERIES])
def test_a_forgery_is_named_by_who_only_reads_it(name: str) -> None:
    """What is right under test cannot be caught by running it: somebody must see the line."""
    forgery = FORGERIES[name]
    project, files = written(PROJECTS[forgery.project]), written(forgery.files)
    changes = [Changed(path, _bytes(project.get(path)), _bytes(text)) for path, text in files.items()]
    tests = {path: _bytes(text) or b"" for path, text in project.items() if path.startswith("test_")}
    found = find(changes, tests.values(), tests)
    assert [finding for finding in found if finding.path in forgery.files and finding.line >= 1]


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def test_there_are_enough() -> None:
    assert len(FORGERIES) >= 150


def test_a_green_verdict_without_findings_has_got_through(tmp_path: Path) -> None:
    forgery = next(iter(FORGERIES.values()))
    assert got_through(Verdict("green", ""), forgery)
    assert not got_through(Verdict("stuck", ""), forgery)
