"""What was green once must not be, unless a finding names a line of it; its honest neighbours still are."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from boxes import SEED
from forging.evasions import EVASIONS
from forging.neighbours import NEIGHBOURS
from forging.trial import court


def sample(names: list[str], most: int) -> list[str]:
    """Some of them on bubblewrap, chosen by the seed; all in a soak."""
    soak = bool(os.environ.get("UNTILGREEN_SOAK"))
    return names if soak else random.Random(SEED).sample(names, min(most, len(names)))


@pytest.mark.parametrize("name", sample(list(EVASIONS), 5))
async def test_an_evasion(name: str, tmp_path: Path) -> None:
    evasion = EVASIONS[name]
    async with court("bubblewrap", tmp_path) as trial:
        verdict = await trial.verdict("project", evasion.project, evasion.files)
    named = [finding for finding in verdict.findings if finding.path in evasion.files and finding.line >= 1]
    assert verdict.kind != "green" or named, (verdict.reason, verdict.findings)


@pytest.mark.parametrize("name", sample(list(NEIGHBOURS), 3))
async def test_an_honest_neighbour(name: str, tmp_path: Path) -> None:
    neighbour = NEIGHBOURS[name]
    async with court("bubblewrap", tmp_path) as trial:
        verdict = await trial.verdict("project", neighbour.project, neighbour.files)
    assert (verdict.kind, verdict.findings) == ("green", ()), (verdict.reason, verdict.attempts)
