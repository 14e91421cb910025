"""Times of several methods, taken in turns, so that what else the machine does falls on all of them alike."""

from __future__ import annotations

import asyncio
import math
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field


class Stopwatch:
    """Takes the time of the part that counts; what stands outside of `running` is preparation."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - begun


@dataclass(frozen=True, slots=True)
class Method:
    """One way to do the thing."""

    name: str
    once: Callable[[int, Stopwatch], Awaitable[None]]
    """Do it for the n-th time, and check that it was really done."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The times of one method."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def p95(self) -> float:
        """The time that 19 of 20 do not pass."""
        ordered = sorted(self.seconds)
        return ordered[math.ceil(0.95 * len(ordered)) - 1]


SETTLE_SECONDS = 0.25
"""Before each run: nobody pays for what the one before leaves to be cleared away, such as a container."""


OTHER_BYTES = 1_000_001
"""Far from all numbers of counted runs, and odd: what passes in one of the two fails in the other."""


async def in_turns(
    methods: Sequence[Method], rounds: int, ahead: int = 2, *, warmed: bool = False
) -> dict[str, Sample]:
    """Each method once per round, each round begun by another one, after some that do not count.

    When `warmed`, each does it once more just before, and only the second time counts: what other methods
    left in the processor's caches is not to be paid either.
    """
    times: dict[str, list[float]] = {method.name: [] for method in methods}
    for n in range(-ahead, rounds):
        first = n % len(methods)
        for method in [*methods[first:], *methods[:first]]:
            await asyncio.sleep(SETTLE_SECONDS)
            if warmed:
                await method.once(n + OTHER_BYTES, Stopwatch())
            watch = Stopwatch()
            await method.once(n, watch)
            if n >= 0:
                times[method.name].append(watch.seconds)
    return {name: Sample(tuple(found)) for name, found in times.items()}


@dataclass(frozen=True, slots=True)
class Check:
    """Something that should hold, and whether it did."""

    wanted: str
    found: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Findings:
    """What one section of the page says."""

    lines: tuple[str, ...]
    checks: tuple[Check, ...] = field(default=())


def table(
    samples: Mapping[str, Sample], against: Sequence[str] = (), *, what: str = "", titles: Sequence[str] = ()
) -> list[str]:
    """Rows of Markdown; a column for each method in `against` says how many times faster than it a row is."""
    named = titles or [f"{name} / this" for name in against]
    head = [what or "method", "median", "p95", "runs", *named]
    lines = [_row(head), _row(["---", *["---:"] * (len(head) - 1)])]
    for name, sample in samples.items():
        ratios = [times(samples[other].median / sample.median) for other in against]
        lines.append(_row([name, shown(sample.median), shown(sample.p95), str(len(sample.seconds)), *ratios]))
    return lines


def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """A table of texts."""
    return [_row(head), _row(["---", *["---:"] * (len(head) - 1)]), *map(_row, body)]


def shown(seconds: float) -> str:
    if abs(seconds) < 0.01:
        return f"{1000 * seconds:.2f} ms"
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def times(ratio: float) -> str:
    return f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.1f}×"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
