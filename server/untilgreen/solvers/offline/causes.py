"""Failing tests that fail for different reasons, told by what they execute. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from untilgreen.solvers.offline.queue import Scene

TELLING = 0.25
"""A function joins the failing tests that execute it, when so many of all that do are failing ones."""


def causes(failing: tuple[str, ...], scenes: Iterable[Scene]) -> tuple[tuple[str, ...], ...]:
    """Tests that share a suspicious function stand together; the smallest group first.

    When one reason comes in two groups, the change that is found for the first mends the second as well.
    """
    group_of = {test: {test} for test in failing}
    for scene in scenes:
        shared = [test for test in scene.target if test in group_of]
        if len(shared) > 1 and len(shared) >= TELLING * (len(shared) + len(scene.covering)):
            joined = set().union(*(group_of[test] for test in shared))
            group_of |= dict.fromkeys(joined, joined)
    groups = {tuple(test for test in failing if test in group) for group in group_of.values()}
    return tuple(sorted(groups, key=lambda group: (len(group), group)))
