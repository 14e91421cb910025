"""Changes that were found are tried in earnest one after the other, when they are wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import cast

from untilgreen.model import FileChange, Patch
from untilgreen.solvers.offline.checking import Checked, Checker
from untilgreen.solvers.offline.comparing import Compared
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.queue import Option, Scene
from untilgreen.solvers.offline.rank import Plausible
from untilgreen.solvers.offline.round import MOST_RIVALS, Found
from untilgreen.solvers.offline.site import sites
from untilgreen_sandbox.report import Report

SCENE = Scene(sites("a.py", "def f():\n    pass\n")[0], ("t",))


class ScriptedChecker:
    def __init__(self, *good: int) -> None:
        self.good = good
        self.asked: list[int] = []

    async def check(self, patch: Patch, covering: Iterable[str]) -> Checked:
        n = int(patch.files["a.py"].content or b"")
        self.asked.append(n)
        remaining = () if n in self.good else ("t",)
        return Checked(frozenset({"t"}), remaining, (), Report("finished"))


def found(checker: ScriptedChecker, n: int) -> Found:
    options = [Option(float(k), SCENE, Edit("a.py", 0, 0, "", "t", 1, float(k)), ("t",)) for k in range(n)]
    plausible = [
        Plausible(k, Patch({"a.py": FileChange(str(k).encode())}), "a.py", "f", "", float(k), answers=str(k))
        for k in range(n)
    ]
    return Found(cast(Checker, checker), options, Compared(tuple(plausible)))


def test_the_best_is_tried_alone_and_the_next_when_it_is_asked_for() -> None:
    checker = ScriptedChecker(1, 2, 3)
    waiting = found(checker, 5)
    first = asyncio.run(waiting.next())
    assert first is not None and first.plausible.n == 1 and checker.asked == [0, 1]
    assert first.confidence == "contested" and len(first.rivals) == MOST_RIVALS
    second = asyncio.run(waiting.next())
    assert second is not None and second.plausible.n == 2 and checker.asked == [0, 1, 2]


def test_no_more_than_a_few_of_one_look_are_offered() -> None:
    waiting = found(ScriptedChecker(*range(9)), 9)
    for _ in range(MOST_RIVALS + 1):
        assert asyncio.run(waiting.next()) is not None
    assert asyncio.run(waiting.next()) is None
    assert asyncio.run(found(ScriptedChecker(), 3).next()) is None
