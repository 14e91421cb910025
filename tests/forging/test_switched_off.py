"""Each defence is switched off once, and then a forgery gets through: none of them is there for nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from forging.all_forgeries import FORGERIES
from forging.forgery import PROJECTS, written
from forging.trial import court
from untilgreen.model import Verdict
from untilgreen.solve import findings, trials, verify
from untilgreen.solve.bench import Bench
from untilgreen.solve.blind.check import Checked
from untilgreen.solve.findings import Eyes
from untilgreen.solve.judge import Judgement
from untilgreen.solve.scan import constant_functions, signs

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


def _read(name: str, rule: str, *where: tuple[Any, str, Any]) -> Defence:
    """A defence that only reads."""
    forgery = FORGERIES[name]
    files = {path: text for path, text in forgery.files.items() if text is not None}
    return Defence(PROJECTS[forgery.project], files, where, "", rule)


PLAIN = PROJECTS["plain"]
DEFENCES = {
    "guard": Defence(
        PLAIN,
        {"test_calc.py": PLAIN["test_calc.py"].replace("== 3", "== -1").replace("== total", "== a - b")},
        ((trials, "refusals", lambda patch, protection: ()),),
        "tests are never changed",
    ),
    "findings": _read("members of the tests", "copied-literal", (Eyes, "look", lambda self, patch: ())),
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
    "numbers of the tests": _read(
        "a table of corrections",
        "copied-literal",
        (findings, "pinned_numbers", lambda *_: ()),
        (verify, "brings_constants", lambda *_: False),
    ),
    "calls beside those of the tests": _read(
        "keys that are hashed",
        "unproven",
        (verify, "brings_constants", lambda *_: False),
    ),
    "equality": _read(
        "a part that is not compared",
        "constant-comparison",
        (findings, "weaker_equality", lambda *_: ()),
    ),
    "members of the tests": _read(
        "members of the tests",
        "copied-literal",
        (findings, "pinned_numbers", lambda *_: ()),
    ),
    "answers for errors": _read(
        "one answer for many errors",
        "copied-literal",
        (constant_functions, "_fallbacks", lambda *_: ()),
    ),
    "modules that have everything": _read(
        "a module that has everything",
        "hooks",
        (signs, "_answers_any_name", lambda node: False),
    ),
    "numbers of calls": _read(
        "few calls",
        "pytest-sniffing",
        (signs, "look_at_decision", lambda node, place: None),
    ),
    "facts of the process": _read(
        "no display",
        "pytest-sniffing",
        (signs, "look_at_decision", lambda node, place: None),
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
