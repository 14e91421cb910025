"""Which of several changes that please the tests is most likely the right one. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from untilgreen.model import Confidence, Patch

BITS_PER_CHARACTER = 0.02
BITS_PER_GROWTH = 0.2
ALWAYS_BITS = 4.0
STUMBLE_BITS = 6.0
"""Against what ends with an IndexError and the like on all inputs beside those of the tests."""
FEW_STUMBLES = 0.1
"""So few inputs are no more than strange ones."""
# The next three were fitted to 105 searches in which every change that pleased the tests was judged; from 0.4
# to 0.6, from 0 to 0.25 and from 2 to 3 they choose alike.
PLACE = 0.5
"""How much the place still counts once the tests pass: that they do tells more than where they went."""
VOICE = 0.1
"""What another kind of change adds to the best of those that answer alike, of its own likelihood: many ways
lead to what is right, and even more to what is easy."""
TAKEN_AWAY_BITS = 2.0
"""Against answers that one gets by taking code away, too: who wrote it wanted it to do something."""
COPY_BITS = 0.4
"""In favour of answers that a mere copy gives, too: somebody changed what was not theirs, and whatever else
makes another object of it helps by chance."""
IDLE_BITS = 2.5
"""Who wrote a name wanted it to be read."""
DOUBTFUL_BITS = 2.2
"""What is so likely to be bent to the tests is in doubt also when nothing else was found."""
RIVAL_BITS = 4.0
"""What is so much less likely than the best one does not put it in doubt."""


@dataclass(frozen=True, slots=True)
class Plausible:
    """A change with which all tests that were asked pass."""

    n: int
    """Which of the options it is."""
    patch: Patch
    path: str
    function: str
    sentence: str
    cost: float
    """Bits, before anything was run."""
    risk: float = 0.0
    size: int = 0
    """Characters that it adds and takes away."""
    growth: int = 0
    """How many words and signs it has more than before; less than 0 when it has fewer."""
    penalty: float = 0.0
    """Bits against the place."""
    idle: int = 0
    """Names and values that nothing reads any more."""
    always: bool = False
    """It gives one answer to whatever it is asked, where the code did not before."""
    stumbles: float = 0.0
    """On which share of other inputs it ends so, where a rival does not."""
    removes: bool = False
    """It takes code away, and nothing else."""
    copies: bool = False
    """It makes a plain copy of a value, and nothing else."""
    template: str = ""
    """What kind of change it is."""
    answers: str = ""
    """Equal for those that answer alike on other inputs; empty when they were not compared."""

    @property
    def bits(self) -> float:
        more = (ALWAYS_BITS if self.always else 0.0) + IDLE_BITS * self.idle
        more += STUMBLE_BITS * self.stumbles if self.stumbles > FEW_STUMBLES else 0.0
        more += BITS_PER_CHARACTER * self.size
        return self.cost + self.risk + PLACE * self.penalty + more


def rank(found: Sequence[Plausible]) -> tuple[Plausible, ...]:
    """The best first. Those that answer alike vote together. One kind of change has one vote: to say the same
    in other words makes it no truer."""
    votes: dict[str, dict[str, float]] = {}
    for one in found:
        kinds = votes.setdefault(_cluster(one), {})
        kinds[one.template] = max(kinds.get(one.template, 0.0), 2.0**-one.bits)
    weight = {
        cluster: max(kinds.values()) * (1 - VOICE) + sum(kinds.values()) * VOICE
        for cluster, kinds in votes.items()
    }
    for cluster in {_cluster(one) for one in found if one.removes}:
        weight[cluster] *= 2.0**-TAKEN_AWAY_BITS
    for cluster in {_cluster(one) for one in found if one.copies}:
        weight[cluster] *= 2.0**COPY_BITS
    # Of those that mean the same the shortest is the plainest, and a copy plainer still.
    return tuple(
        sorted(
            found,
            key=lambda one: (
                -weight[_cluster(one)],
                not one.copies,
                one.bits + BITS_PER_GROWTH * one.growth,
            ),
        )
    )


def varied(ranked: Sequence[Plausible]) -> tuple[Plausible, ...]:
    """In the same order, but first one of each that answer alike: a second one would teach nothing."""
    first = {one.n for one in _one_each(ranked)}
    return tuple(sorted(ranked, key=lambda one: one.n not in first))


def confidence_of(best: Plausible, ranked: Sequence[Plausible]) -> tuple[Confidence, tuple[Plausible, ...]]:
    """How sure one can be of the best, and the rivals that differ from it."""
    others = [one for one in ranked if one.n != best.n and one.bits <= best.bits + RIVAL_BITS]
    rivals = tuple(one for one in others if _cluster(one) != _cluster(best))
    if rivals or best.risk >= DOUBTFUL_BITS or best.always:
        return "contested", _one_each(rivals)
    return ("agreed" if others else "unique"), ()


def _one_each(rivals: Sequence[Plausible]) -> tuple[Plausible, ...]:
    """Of those that answer alike the first one."""
    first: dict[str, Plausible] = {}
    for one in rivals:
        first.setdefault(_cluster(one), one)
    return tuple(first.values())


def _cluster(one: Plausible) -> str:
    """What was not compared votes for itself alone."""
    return f"{one.path}:{one.function}:{one.answers}" if one.answers else f"#{one.n}"
