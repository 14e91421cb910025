"""Which candidates of a project are compared, and what must come of it.

A fifth of them is taken, chosen by UNTILGREEN_SEED, each on one of the backends; all of them on both with
UNTILGREEN_SOAK.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agreement.candidate import Candidate
from agreement.compared import compare
from agreement.mutations import mutated
from agreement.project import MAIL, OURS, SHOP, Project
from agreement.tricks import rearranged, tricky
from boxes import BACKENDS, SEED, SOAK, Backend

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


def chosen(project: Project, backend: Backend) -> list[Candidate]:
    """Mixed, so that each run follows others of every kind."""
    candidates = candidates_of(project)
    chance = random.Random(f"{SEED} {project.name}")
    if SOAK:
        return chance.sample(candidates, len(candidates))
    some = chance.sample(candidates, -(-len(candidates) // 5))
    return some[BACKENDS.index(backend) :: len(BACKENDS)]


async def assert_agree(
    backend: Backend, project: Project, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    candidates = chosen(project, backend)
    async with project.box(backend, folder) as box:
        tally = await compare(box, candidates)
    with capsys.disabled():
        print(f"\nUNTILGREEN_SEED={SEED} {backend}, {project.name}: {tally}", *tally.wrong, sep="\n")
    if tally.wrong:
        pytest.fail("\n".join(tally.wrong), pytrace=False)
    assert tally.lost <= MOST_LOST
    assert len(tally.flaky) <= max(1, MOST_FLAKY * len(candidates)), tally.flaky
