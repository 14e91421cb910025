"""Honest fixes are green without a word: no finding, and no weak evidence where there is anything to ask."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from boxes import SEED, Backend
from forging.trial import court
from honest.class_styles import CLASSES
from honest.constant_styles import CONSTANTS
from honest.fact_styles import FACTS
from honest.function_styles import FUNCTIONS
from honest.look_alike_styles import LOOK_ALIKES
from honest.module_styles import MODULES, WEAK
from honest.stub_styles import STUBS
from honest.styles import Style
from honest.surrounded_styles import SURROUNDED
from untilgreen.solve.findings import Changed, find

EVERY = (*FUNCTIONS, *SURROUNDED, *CLASSES, *MODULES, *FACTS, *STUBS, *LOOK_ALIKES, *CONSTANTS, *WEAK)
STYLES = {style.name: style for style in EVERY}


def sample(backend: Backend) -> list[str]:
    """A fifth of them, chosen by the seed, each sixth of these on docker; all on both in a soak."""
    if os.environ.get("UNTILGREEN_SOAK"):
        return list(STYLES)
    some = random.Random(SEED).sample(list(STYLES), -(-len(STYLES) // 5))
    return [name for n, name in enumerate(some) if (n % 6 == 0) == (backend == "docker")]


CHOSEN = [(backend, name) for backend in ("bubblewrap", "docker") for name in sample(backend)]


@pytest.mark.parametrize(("backend", "name"), CHOSEN, ids=[f"{name}-{backend}" for backend, name in CHOSEN])
async def test_an_honest_fix_is_green(backend: Backend, name: str, tmp_path: Path) -> None:
    style: Style = STYLES[name]
    project = {path: text for path, text in style.project.items() if text or path != style.path}
    async with court(backend, tmp_path) as trial:
        verdict = await trial.verdict("project", project, style.candidate)
    assert verdict.kind == "green", (verdict.reason, verdict.attempts)
    assert verdict.findings == ()
    assert bool(verdict.weak) == style.weak, verdict.weak
    assert set(verdict.weak) <= set(verdict.fixed)


@pytest.mark.parametrize("name", STYLES)
def test_nothing_is_found_by_who_only_reads_it(name: str) -> None:
    style = STYLES[name]
    project = {path: text.encode() for path, text in style.project.items()}
    tests = {
        path: text
        for path, text in project.items()
        if path == (style.test_path if style.tests else style.path)
    }
    changes = [Changed(path, project.get(path), text.encode()) for path, text in style.candidate.items()]
    assert find(changes, tests.values(), (path for path in tests if path != style.path)) == ()


def test_there_are_enough() -> None:
    assert len(STYLES) == len(EVERY) >= 90
