"""A run that is forked from a template says exactly what a new process says, whatever the code does.

A fifth of the candidates is taken, chosen by UNTILGREEN_SEED; all of them with UNTILGREEN_SOAK.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from agreement.candidate import Candidate
from agreement.compared import compare
from agreement.mutations import mutated
from agreement.project import MAIL, OURS, PUBLISHED, SHOP, Project
from agreement.tricks import rearranged, tricky
from boxes import Backend

SEED = int(os.environ.get("UNTILGREEN_SEED", "1"))
SOAK = bool(os.environ.get("UNTILGREEN_SOAK"))
LEAST = 300
N_MUTATED = 25
MOST_FLAKY = 0.05
MOST_LOST = 2


def candidates_of(project: Project) -> list[Candidate]:
    # One of them takes so long to import what it needs that fewer must do.
    slow = project is MAIL
    candidates = mutated(project, N_MUTATED - 10 if slow else N_MUTATED, SEED)
    tricks = tricky(project) if project in OURS else []
    candidates += [trick for trick in tricks if trick.seconds is None][::3] if slow else tricks
    candidates += rearranged() if project is SHOP else []
    return candidates


def chosen(project: Project) -> list[Candidate]:
    """Mixed, so that each run follows others of every kind."""
    candidates = candidates_of(project)
    chance = random.Random(f"{SEED} {project.name}")
    return chance.sample(candidates, len(candidates) if SOAK else -(-len(candidates) // 5))


def test_there_are_enough() -> None:
    assert sum(len(candidates_of(project)) for project in (*OURS, *PUBLISHED)) >= LEAST


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("project", [*OURS, *PUBLISHED], ids=lambda project: project.name)
async def test_agree(
    backend: Backend, project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    candidates = chosen(project)
    async with project.box(backend, tmp_path) as box:
        tally = await compare(box, candidates)
    with capsys.disabled():
        print(f"\nUNTILGREEN_SEED={SEED} {backend}, {project.name}: {tally}", *tally.wrong, sep="\n")
    if tally.wrong:
        pytest.fail("\n".join(tally.wrong), pytrace=False)
    assert tally.lost <= MOST_LOST
    assert len(tally.flaky) <= max(1, MOST_FLAKY * len(candidates)), tally.flaky
