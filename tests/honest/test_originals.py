"""Code as it was before a mistake was made is the honest fix of it: green, and nothing in it needs eyes.

Programs of our own, and published packages with the suites that they come with, whose mistakes are made by
chance. All of them with UNTILGREEN_SOAK; else a few of the first kind, and of one package.
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
OWN = CHANCE.sample(own_bugs(), 40 if SOAK else 4)
EACH = 12 if SOAK else 2
STEADY = [package for package in PACKAGES if not package.requirement.startswith("isodate")]
"""The other one names its tests by the order of sets, which no two processes share: no plan can hold them."""
SECONDS = 120.0


@pytest.mark.parametrize("bug", OWN, ids=lambda bug: bug.name)
def test_of_our_own(bug: Bug, tmp_path: Path) -> None:
    assert_honest(bug, tmp_path)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("package", STEADY if SOAK else STEADY[:1], ids=lambda one: one.requirement)
def test_published(package: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        bugs = bugs_of(package, EACH, SEED)  # type: ignore[arg-type]
    assert len(bugs) == EACH
    for bug in bugs:
        assert_honest(bug, tmp_path)


def assert_honest(bug: Bug, folder: Path) -> None:
    script = folder / "script.json"
    step = {"hypothesis": "as it was", "files": {bug.path: bug.original.decode()}}
    script.write_text(json.dumps({"proposals": [step]}))
    result = solve(bug, f"scripted:{script}", SECONDS, SEED)
    assert (result.verdict, result.dishonest) == ("green", ""), (bug.name, result.reason)
    assert result.findings == (), bug.name
    assert result.opinion.rightness == "same"
