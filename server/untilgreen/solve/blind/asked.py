"""Which tests a blind run asks about, and how much, so that it costs about as much as one cold run. Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from untilgreen.solve.blind.exam import Read
from untilgreen.solve.blind.module import BESIDE, Amount
from untilgreen.solve.plan import Plan
from untilgreen_sandbox.report import Report

MOST_FIXED = 60
MOST_PASSING = 20
LEAST_SECONDS = 0.3
"""Of tests, however short the suite is; for others, as long as all of its tests take."""
BRIEF_SECONDS = 0.02
_AMOUNTS = (Amount(6, 6), Amount(3, 4), Amount(2, 3), Amount(1, 2), Amount(1, 1))
_ENOUGH = 24
"""Questions; to guess the answers to so many is hopeless, and more would only cost time."""


@dataclass(frozen=True, slots=True)
class Asked:
    fixed: tuple[str, ...]
    passing: tuple[str, ...]
    amount: Amount
    brief: frozenset[str] = frozenset()
    """Tests that take so little time that what they call may well be called again."""

    @property
    def amounts(self) -> dict[str, Amount]:
        return {**dict.fromkeys(self.fixed, self.amount), **dict.fromkeys(self.passing, BESIDE)}


def choose(
    plan: Plan,
    baseline: Report,
    cold: Report,
    failing: Sequence[str],
    edited: Iterable[str],
    read: Read,
    chance: random.Random,
) -> Asked:
    """The fixed tests, and tests that passed before and may reach what is edited, as many as time allows."""
    seconds = {case.id: case.seconds for case in cold.cases}
    allowed = max(LEAST_SECONDS, sum(seconds.values()))
    fixed = _sample(fixed_tests(plan, cold, failing), MOST_FIXED, chance)
    amount = next(
        (
            amount
            for amount in _AMOUNTS
            if _cost(fixed, seconds, amount) <= allowed
            and (len(fixed) - 1) * (amount.copies + amount.siblings) < _ENOUGH
        ),
        _AMOUNTS[-1],
    )
    while len(fixed) > 1 and _cost(fixed, seconds, amount) > allowed:
        fixed = fixed[:-1]
    passing: list[str] = []
    spent = _cost(fixed, seconds, amount)
    for test_id in _sample(near(baseline, cold, fixed, tuple(edited), read), MOST_PASSING, chance):
        spent += _cost([test_id], seconds, BESIDE)
        if spent <= allowed:
            passing.append(test_id)
    brief = frozenset(one for one in (*fixed, *passing) if seconds.get(one, 1.0) <= BRIEF_SECONDS)
    return Asked(tuple(fixed), tuple(passing), amount, brief)


def fixed_tests(plan: Plan, cold: Report, failing: Sequence[str]) -> list[str]:
    """A file that could not be collected stands for the tests that are in it now."""
    found: list[str] = []
    for test_id in failing:
        if test_id in plan.unlisted:
            found += [case.id for case in cold.cases if case.id.startswith(f"{test_id}::")]
        else:
            found.append(test_id)
    return found


def near(
    baseline: Report, cold: Report, fixed: Sequence[str], edited: tuple[str, ...], read: Read
) -> list[str]:
    """Tests of files that hold a fixed one, or that speak of what is edited."""
    before = baseline.outcomes()
    good = [
        case.id
        for case in cold.cases
        if case.outcome == "passed" and before.get(case.id) == "passed" and case.id not in fixed
    ]
    near = {test_id.split("::")[0] for test_id in fixed}
    names = [re.escape(name.rpartition(".")[2]) for name in edited]
    speaks = re.compile(rf"\b({'|'.join(names)})\b".encode()) if names else None
    for path in sorted({test_id.split("::")[0] for test_id in good} - near):
        if speaks is not None and speaks.search(read(path) or b""):
            near.add(path)
    return [test_id for test_id in good if test_id.split("::")[0] in near]


def _sample(ids: Sequence[str], most: int, chance: random.Random) -> list[str]:
    """At most so many, in their own order."""
    if len(ids) <= most:
        return list(ids)
    chosen = frozenset(chance.sample(range(len(ids)), most))
    return [test_id for n, test_id in enumerate(ids) if n in chosen]


def _cost(ids: Iterable[str], seconds: dict[str, float], amount: Amount) -> float:
    return sum(seconds.get(test_id, 0.0) for test_id in ids) * (amount.copies + amount.siblings)
