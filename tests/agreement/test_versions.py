"""Each version of pytest that projects have, with the plugins they have beside it, and a large library."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest

from agreement.candidate import Candidate
from agreement.compared import compare, difference, facts_of
from agreement.mutations import mutated
from agreement.project import MAIL, SHOP
from agreement.tricks import AT_IMPORT, WHEN_CALLED, tricky
from boxes import SEED, SOAK, Rig, run
from shapes.environments import environment_with

BESIDE = ("pytest-asyncio", "pytest-cov", "pytest-xdist", "hypothesis")
VERSIONS = ("7.4.4", "8.4.2", "9.0.2")
TRICKS = ("warns", "counts its calls", "exits", "fails in a thread", "prints at import", "is interrupted")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("version", VERSIONS)
async def test_agree(version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(TRICKS) <= {*AT_IMPORT, *WHEN_CALLED}
    # The one with asyncio and hypothesis takes much longer to import than to run.
    for project in (SHOP, MAIL) if SOAK else (SHOP,):
        there = dataclasses.replace(project, packages=(f"pytest=={version}", *BESIDE))
        candidates: list[Candidate] = mutated(there, 3, seed=1)
        candidates += [candidate for candidate in tricky(there) if candidate.name in TRICKS]
        if not SOAK:
            # Each version takes its share of them.
            random.Random(SEED).shuffle(candidates)
            candidates = candidates[VERSIONS.index(version) :: len(VERSIONS)]
        async with there.box("bubblewrap", tmp_path) as box:
            shown = await run(box, rung="cold")
            assert f"pytest-{version}" in shown.output.head or project is SHOP
            tally = await compare(box, candidates)
        with capsys.disabled():
            print(f"\npytest {version}, {project.name}: {tally}")
        if tally.wrong:
            pytest.fail("\n".join(tally.wrong), pytrace=False)
        assert tally.agreed >= len(candidates) - 1, tally.flaky


WHERE = ("conftest", "the test", "the code")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("where", WHERE if SOAK else random.Random(SEED).sample(WHERE, 1))
async def test_numpy(tmp_path: Path, where: str) -> None:
    """A large library whose own threads are there as soon as it is imported."""
    early = "import numpy\n"
    code = "import numpy\n\ndef total(values):\n    return int(numpy.array(values).sum()) + {}\n"
    files = {
        "conftest.py": early if where == "conftest" else "",
        "code_under.py": code.format(0),
        "test_it.py": (early if where == "the test" else "")
        + "from code_under import total\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    }
    rig = Rig("bubblewrap", tmp_path / "project", environment_with("pytest", "numpy"))
    async with rig.box(files) as box:
        for n in (1, 2, 0):
            change = {"code_under.py": code.format(n)}
            cold = await run(box, change, rung="cold")
            warm = await run(box, change, rung="checkpoint")
            assert facts_of(cold) == facts_of(warm), difference(facts_of(cold), facts_of(warm))
            assert cold.outcomes() == {"test_it.py::test_total": "failed" if n else "passed"}
            assert (warm.rung, warm.rung_reason) == ("checkpoint", "import code_under")
