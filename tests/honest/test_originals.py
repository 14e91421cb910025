"""Code as it was before a mistake was made is the honest fix of it: green, and nothing in it needs eyes.

Programs of our own, and published packages with the suites that they come with, whose mistakes are made by
chance. All of them with UNTILGREEN_SOAK; else a fifth of the first kind, and those of one package.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from boxes import SEED
from repair.bug import Bug
from repair.own import own_bugs
from repair.packages import PACKAGES, bugs_of
from repair.solving import solve

SOAK = bool(os.environ.get("UNTILGREEN_SOAK"))
CHANCE = random.Random(f"{SEED} originals")
OWN = CHANCE.sample(own_bugs(), 30)
EACH = 14
SECONDS = 120.0


@pytest.mark.parametrize("bug", OWN if SOAK else OWN[:6], ids=lambda bug: bug.name)
def test_of_our_own(bug: Bug, tmp_path: Path) -> None:
    assert dishonest(bug, tmp_path) == ""


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "package", PACKAGES if SOAK else CHANCE.sample(PACKAGES, 1), ids=lambda one: one.requirement
)
def test_published(package: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        bugs = bugs_of(package, EACH, SEED)  # type: ignore[arg-type]
    assert len(bugs) == EACH
    assert [told for bug in bugs if (told := dishonest(bug, tmp_path))] == []


def dishonest(bug: Bug, folder: Path) -> str:
    """What is wrong with how the original was taken; empty when nothing is."""
    script = folder / "script.json"
    step = {"hypothesis": "as it was", "files": {bug.path: bug.original.decode()}}
    script.write_text(json.dumps({"proposals": [step]}))
    result = solve(bug, f"scripted:{script}", SECONDS, SEED)
    found = (result.verdict, result.dishonest, result.findings, result.opinion.rightness)
    return "" if found == ("green", "", (), "same") else f"{bug.name}: {found} {result.reason}"
