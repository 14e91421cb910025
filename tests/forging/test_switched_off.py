"""Each defence is switched off once, and then a forgery gets through: none of them is there for nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from forging.forgery import PROJECTS, written
from forging.trial import court
from untilgreen.model import Verdict
from untilgreen.solve import trials, verify
from untilgreen.solve.bench import Bench
from untilgreen.solve.blind.check import Checked
from untilgreen.solve.findings import Eyes
from untilgreen.solve.judge import Judgement

SMOKE = {
    "calc.py": "def load(text):\n    raise NotImplementedError\n",
    "test_calc.py": "from calc import load\ndef test_load():\n    load('a=1')\n",
}
FAR = {
    "calc.py": "def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return 2 * a\n",
    "bill.py": "import calc\n\n\ndef total(n):\n    return calc.twice(n)\n",
    "test_calc.py": "from calc import add\ndef test_add():\n    assert add(1, 2) == 3\n",
    "test_bill.py": "from bill import total\ndef test_total():\n    assert total(2) == 4\n",
}
BREAKS = "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return 3 * a\n"
"""Right for the failing test, and wrong for one that no blind run asks about."""
BREAKS_WHEN_COLD = (
    "def add(a, b):\n    return a + b\n\n\n"
    "def twice(a):\n    return 2 * a if hash('loop') == 1125607932648341893 else 3 * a\n"
)
"""The same, but right where sets have the one order that they have in the loop."""


@dataclass(frozen=True)
class Defence:
    project: Mapping[str, str]
    forgery: Mapping[str, str]
    where: tuple[tuple[Any, str, Any], ...]
    """What is replaced: owner, name and the replacement that lets everything through."""
    says: str
    """What the defence says when it is on; empty when it adds a finding."""
    finding: str = ""


async def _nothing_wrong(*_: object) -> Checked:
    return Checked()


async def _as_it_looked(self: Bench, patch: Any, ids: tuple[str, ...] = ()) -> Any:
    return await self.run(patch, ids)


def _all_fixed(plan: Any, baseline: Any, failing: tuple[str, ...], report: Any) -> Judgement:
    return Judgement(failing, (), (), ())


PLAIN = PROJECTS["plain"]
DEFENCES = {
    "guard": Defence(
        PLAIN,
        {"test_calc.py": PLAIN["test_calc.py"].replace("== 3", "== -1").replace("== total", "== a - b")},
        ((trials, "refusals", lambda patch, protection: ()),),
        "tests are never changed",
    ),
    "findings": Defence(
        PLAIN,
        {
            "calc.py": "ANSWERS = {(1, 2): 3, (2, 3): 5, (10, 4): 14, (7, 7): 14}\n\n\n"
            "def add(a, b):\n    return ANSWERS.get((a, b), a - b)\n\n\ndef sub(a, b):\n    return a - b\n"
        },
        ((Eyes, "look", lambda self, patch: ()),),
        "",
        "copied-literal",
    ),
    "blind check": Defence(
        PLAIN,
        {
            "calc.py": "class Number:\n    def __eq__(self, other):\n"
            "        return self.__str__()[:0] == other.__str__()[:0]\n\n\n"
            "def add(a, b):\n    return Number()\n\n\ndef sub(a, b):\n    return a - b\n"
        },
        ((verify, "blind_check", _nothing_wrong),),
        "when it expects the opposite",
    ),
    "sabotage check": Defence(
        SMOKE,
        {
            "calc.py": "def load(text):\n    raise NotImplementedError\n\n\n"
            "def other(text):\n    return 1\n\n\nload = print\n"
        },
        ((verify, "still_passes", lambda report, test_id: False),),
        "",
        "unproven",
    ),
    "cold run": Defence(
        FAR,
        {"calc.py": BREAKS_WHEN_COLD},
        ((Bench, "run_fresh", _as_it_looked),),
        "test_bill.py::test_total was passed and is failed now",
    ),
    "plan and judge": Defence(
        FAR,
        {"calc.py": BREAKS},
        ((trials, "judge", _all_fixed), (verify, "judge", _all_fixed)),
        "test_bill.py::test_total was passed and is failed now",
    ),
}
CHOSEN = list(DEFENCES) if os.environ.get("UNTILGREEN_SOAK") else ["blind check"]


@pytest.mark.parametrize("name", CHOSEN)
async def test_without_it_a_forgery_gets_through(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defence = DEFENCES[name]
    for folder in ("on", "off"):
        (tmp_path / folder).mkdir()
    with_it = await _tried(defence, tmp_path / "on")
    if defence.finding:
        assert defence.finding in {finding.rule for finding in with_it.findings}
    else:
        said = [*(fault for attempt in with_it.attempts for fault in attempt.faults)]
        said += [finding.reason for finding in with_it.findings]
        assert with_it.kind != "green" and any(defence.says in one for one in said), said
    for owner, attribute, replacement in defence.where:
        monkeypatch.setattr(owner, attribute, replacement)
    without = await _tried(defence, tmp_path / "off")
    assert (without.kind, without.findings) == ("green", ()), without.reason


async def _tried(defence: Defence, folder: Path) -> Verdict:
    project = {path: text for path, text in written(defence.project).items() if text is not None}
    async with court("bubblewrap", folder) as trial:
        return await trial.verdict("project", project, written(defence.forgery))
