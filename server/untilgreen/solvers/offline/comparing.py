"""Lets changes that please the same tests answer on other inputs: do they mean the same?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from untilgreen.solvers.offline.queue import Option
from untilgreen.solvers.offline.rank import Plausible
from untilgreen.solvers.offline.tree import Tree
from untilgreen.solvers.solver import Workbench
from untilgreen_sandbox.evaluation import Candidate, EvaluationRequest, Tried

COMPARE_SECONDS = 1.0
MOST_COMPARED = 16


@dataclass(frozen=True, slots=True)
class Compared:
    """The same changes, each with what it answered."""

    found: tuple[Plausible, ...]
    differing: dict[str, str] = field(default_factory=dict)
    """By function: an input on which two of its versions differ, with both answers."""

    def difference(self, best: Plausible, rivals: Sequence[Plausible]) -> str:
        """In a sentence; empty when nothing is known."""
        for rival in rivals:
            key = f"{rival.path}:{rival.function}"
            if (rival.path, rival.function) == (best.path, best.function) and key in self.differing:
                return f"{self.differing[key].rstrip('.')}."
        return ""


async def compare(
    bench: Workbench, tree: Tree, options: Sequence[Option], found: Sequence[Plausible]
) -> Compared:
    """Only versions of one function can be compared."""
    groups: dict[tuple[str, str], list[Plausible]] = {}
    for one in found:
        groups.setdefault((one.path, one.function), []).append(one)
    told: dict[int, Tried] = {}
    differing: dict[str, str] = {}
    for (path, function), same in groups.items():
        if len(same) < 2 or not function:
            continue
        some = same[:MOST_COMPARED]
        chosen = [options[one.n] for one in some]
        evaluation = await bench.evaluate(
            EvaluationRequest(
                tuple(_candidate(option) for option in chosen),
                chosen[0].target,
                chosen[0].scene.covering[:50],
                seconds=COMPARE_SECONDS,
                compare=True,
            ),
            tree.base,
        )
        for one, tried in zip(some, evaluation.tried, strict=False):
            told[one.n] = tried
        if evaluation.differing:
            differing[f"{path}:{function}"] = evaluation.differing
    return Compared(tuple(_answered(one, told, found) for one in found), differing)


def _answered(one: Plausible, told: Mapping[int, Tried], found: Sequence[Plausible]) -> Plausible:
    tried = told.get(one.n, Tried("untried"))
    if not tried.answers:
        return one
    # What no rival can do anything about is the input's fault.
    rivals = [other.n for other in found if (other.path, other.function) == (one.path, one.function)]
    least = min(told[n].stumbles for n in rivals if n in told and told[n].answers)
    return replace(
        one,
        answers=tried.answers,
        always=bool(tried.detail),
        stumbles=(tried.stumbles - least) / 100,
    )


def _candidate(option: Option) -> Candidate:
    site = option.scene.site
    return Candidate(site.path, site.name, site.first_line, option.source)
