"""How far a search has come: what was changed so far, what still fails, and how sure that is. Pure."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from untilgreen.model import Confidence, Patch
from untilgreen.solvers.offline.checking import Checked
from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.offline.tree import Tree

_SURE: tuple[Confidence, ...] = ("contested", "agreed", "unique")


@dataclass(frozen=True, slots=True)
class State:
    """One base of the search."""

    tree: Tree
    failing: tuple[str, ...]
    known: Knowledge
    story: tuple[str, ...] = ()
    """A sentence for each change."""
    confidence: Confidence = "unique"
    """Of the least sure change."""
    difference: str = ""

    def after(
        self,
        patch: Patch,
        checked: Checked,
        told: str,
        confidence: Confidence = "contested",
        difference: str = "",
    ) -> State:
        """A change was taken: what it fixed passes from here on."""
        cases = {case.id: case for case in checked.report.cases}
        fixed = checked.passed | {
            test for test in self.failing if test in cases and cases[test].outcome == "passed"
        }
        inside = [test for test in checked.remaining if test not in self.failing]
        failing = tuple(
            test for test in (*self.failing, *inside) if test not in fixed and test in _left(self, checked)
        )
        known = self.known
        return dataclasses.replace(
            self,
            tree=self.tree.on(patch),
            failing=failing,
            known=dataclasses.replace(
                known,
                cases={
                    test: cases.get(test) or known.cases[test]
                    for test in failing
                    if test in {**known.cases, **cases}
                },
                hanging=tuple(test for test in known.hanging if test in failing),
                waiting=tuple(test for test in known.waiting if test in failing),
                passing=(*known.passing, *sorted(fixed)),
                seconds={**known.seconds, **{test: case.seconds for test, case in cases.items()}},
            ),
            story=(*self.story, told),
            confidence=min(self.confidence, confidence, key=_SURE.index),
            difference=self.difference or difference,
        )


def _left(state: State, checked: Checked) -> frozenset[str]:
    """What still fails; a file that can be collected now is no test any more."""
    collected = {test.split("::")[0] for test in (*checked.passed, *checked.remaining) if "::" in test}
    return frozenset((*state.failing, *checked.remaining)) - collected
