"""What to try next: edits of several places, the likeliest first, made when they are needed. Pure."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import log2

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.site import Site

TIERS = (1, 2, 3)
CHEAPEST = {1: 0.0, 2: 3.0, 3: 6.0}
"""Bits below which no edit of a tier lies, more or less: when it is worth making them."""
CROWD, CROWD_BITS = 64, 0.5
SLACK = 1.5
"""Bits that one batch may run ahead of other places, so that few batches are needed."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A site that may be edited, and the tests that see it."""

    site: Site
    target: tuple[str, ...]
    """Failing tests that reach it: they decide."""
    covering: tuple[str, ...] = ()
    """Passing tests that reach it."""
    penalty: float = 0.0
    """Bits against the best of its lines."""


@dataclass(frozen=True, slots=True)
class Option:
    """One edit of one site, and which tests decide about it."""

    order: float
    scene: Scene
    edit: Edit
    target: tuple[str, ...]

    @property
    def source(self) -> str:
        return self.scene.site.source_of(self.edit)


Generate = Callable[[Scene, int], Iterable[Edit]]
Penalty = Callable[[Scene, Edit], float | None]


class Queue:
    """Options by their order; those that ask the same tests come in batches."""

    def __init__(self, scenes: Iterable[Scene], generate: Generate, penalty: Penalty) -> None:
        self._generate = generate
        self._penalty = penalty
        self._count = itertools.count()
        self._later: list[tuple[float, int, Scene, int]] = []
        self._ready: dict[tuple[str, ...], list[tuple[float, int, Option]]] = {}
        self._seen: set[tuple[str, int, int, str]] = set()
        self.generated = 0
        self._targets: list[frozenset[str]] = []
        for scene in scenes:
            self._targets.append(frozenset(scene.target))
            for tier in TIERS:
                bound = CHEAPEST[tier] + scene.penalty
                heapq.heappush(self._later, (bound, next(self._count), scene, tier))

    @property
    def next_order(self) -> float:
        """Of what comes next; infinite when nothing is left."""
        self._make_ready()
        return min((heap[0][0] for heap in self._ready.values() if heap), default=float("inf"))

    def nothing_within(self, bits: float) -> bool:
        """Whether all that is left is less likely; no more edits are made than it takes to know."""
        while self._later and self._later[0][0] <= bits < self._first():
            self._make_one()
        return self._first() > bits

    def reaches(self, tests: frozenset[str]) -> bool:
        """Whether all of these tests reach one place."""
        return any(tests <= target for target in self._targets)

    def push(self, option: Option) -> None:
        heapq.heappush(self._ready.setdefault(option.target, []), (option.order, next(self._count), option))

    def batch(self, most: int, least: int = 16, within: float = float("inf")) -> tuple[Option, ...]:
        """The next options, all with the same target, and none that is less likely than `within` says."""
        if self.nothing_within(within):
            return ()
        self._make_ready()
        heaps = [heap for heap in self._ready.values() if heap]
        if not heaps:
            return ()
        heap = min(heaps, key=lambda one: one[0][0])
        limit = min((other[0][0] for other in heaps if other is not heap), default=float("inf")) + SLACK
        taken: list[Option] = []
        while heap and len(taken) < most and (heap[0][0] <= limit or len(taken) < least):
            if heap[0][0] > within:
                break
            taken.append(heapq.heappop(heap)[2])
            if self._later and heap and heap[0][0] > self._later[0][0]:
                if len(taken) >= least:
                    break
                self._make_ready()
        return tuple(taken)

    def _make_ready(self) -> None:
        """Make all edits that may come before what is ready."""
        while self._later and self._later[0][0] <= self._first():
            self._make_one()

    def _make_one(self) -> None:
        _, _, scene, tier = heapq.heappop(self._later)
        for option in self._options(scene, tier):
            self.push(option)

    def _first(self) -> float:
        return min((heap[0][0] for heap in self._ready.values() if heap), default=float("inf"))

    def _options(self, scene: Scene, tier: int) -> Iterator[Option]:
        found: list[tuple[float, Edit]] = []
        for edit in self._generate(scene, tier):
            bits = self._penalty(scene, edit)
            key = (edit.path, edit.start, edit.end, edit.text)
            if bits is not None and key not in self._seen:
                self._seen.add(key)
                found.append((edit.cost + bits, edit))
        self.generated += len(found)
        crowds = Counter(edit.template for _, edit in found)
        for order, edit in found:
            yield Option(order + crowded(crowds[edit.template]), scene, edit, scene.target)


def crowded(n: int) -> float:
    """Bits against one of so many of its kind in one place: they share what speaks for the kind."""
    return CROWD_BITS * log2(n / CROWD) if n > CROWD else 0.0
