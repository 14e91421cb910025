"""Which lines the failing tests have in common that passing ones do not: where to look first. Pure."""

from __future__ import annotations

import ast
import dataclasses
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from untilgreen_sandbox.report import Frame
from untilgreen_sandbox.trace import Trace

LEAST = 0.02
BITS_PER_HALVING = 0.75
NOT_BY_ALL = 2.0
INNERMOST, ON_THE_WAY = 1.5, 0.5
Lines = frozenset[int]
Reached = Mapping[str, Mapping[int, int]]
"""By path and line the tests that execute it, a bit for each one in their order."""


@dataclass(frozen=True, slots=True)
class Spectrum:
    """What each test executed of the files that may be changed."""

    failing: Mapping[str, Mapping[str, Lines]]
    """By test, by path."""
    passing: Mapping[str, Mapping[str, Lines]]
    frames: Mapping[tuple[str, int], float] = field(default_factory=dict)
    """Bits in favour of each line that a traceback names."""
    scores: Mapping[tuple[str, int], float] = field(default_factory=dict)
    highest: float = 1.0
    """Of the scores."""
    failing_at: Reached = field(default_factory=dict)
    passing_at: Reached = field(default_factory=dict)

    @property
    def paths(self) -> tuple[str, ...]:
        """Files that failing tests execute, those with the most suspicious lines first."""
        best: dict[str, float] = {}
        for (path, line), score in self.scores.items():
            best[path] = max(best.get(path, 0.0), score + self.frames.get((path, line), 0.0))
        return tuple(sorted(best, key=lambda path: (-best[path], path)))

    def score(self, path: str, first: int, last: int) -> float:
        """The highest of these lines, from 0 to 1; 0 when no failing test executes one of them."""
        return max((self.scores.get((path, line), 0.0) for line in range(first, last + 1)), default=0.0)

    def reaching(self, path: str, first: int, last: int) -> frozenset[str]:
        """The failing tests that execute one of these lines."""
        return frozenset(_touching(self.failing, self.failing_at, path, first, last))

    def covering(self, path: str, first: int, last: int) -> tuple[str, ...]:
        """The passing tests that do."""
        return tuple(_touching(self.passing, self.passing_at, path, first, last))

    def penalty(self, path: str, first: int, last: int, reaching: int) -> float:
        """Bits against these lines; fewer means that they are tried earlier."""
        score = max(self.score(path, first, last), LEAST)
        bits = -BITS_PER_HALVING * math.log2(min(score / self.highest, 1.0))
        bits -= max((self.frames.get((path, line), 0.0) for line in range(first, last + 1)), default=0.0)
        return bits if reaching >= len(self.failing) else bits + NOT_BY_ALL


def spectrum(
    trace: Trace,
    failing: Collection[str],
    passing: Collection[str],
    paths: Collection[str],
    frames: Mapping[str, tuple[Frame, ...]],
) -> Spectrum:
    """From a trace; `frames` are those of each failing test's traceback, outermost first."""
    wanted = frozenset(paths)
    failed = {test: _lines(trace, test, wanted) for test in failing if test in trace.tests}
    passed = {test: _lines(trace, test, wanted) for test in passing if test in trace.tests}
    favoured = _favoured(frames, wanted)
    for test, places in _places(frames, wanted).items():
        # A traceback proves what was executed even where the trace ended early.
        lines = dict(failed.get(test, {}))
        for path, line in places:
            lines[path] = lines.get(path, frozenset()) | {line}
        failed[test] = lines
    scores = _ochiai(failed, passed)
    highest = max(scores.values(), default=1.0)
    return Spectrum(failed, passed, favoured, scores, highest, _reached(failed), _reached(passed))


def spread(found: Spectrum, path: str, tree: ast.Module) -> Spectrum:
    """A tracer tells of some lines of a statement; its others are as suspicious, and a function's head."""
    scores, frames = dict(found.scores), dict(found.frames)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            lines = range(node.lineno, _head_end(node) + 1)
            score = max((found.scores.get((path, line), 0.0) for line in lines), default=0.0)
            named = max((found.frames.get((path, line), 0.0) for line in lines), default=0.0)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                # It was executed when the module was imported; what counts is who calls it.
                score = 0.8 * found.score(path, node.body[0].lineno, node.end_lineno or node.lineno)
            for line in lines if score else ():
                scores[path, line] = max(score, found.scores.get((path, line), 0.0))
            for line in lines if named else ():
                frames[path, line] = max(named, frames.get((path, line), 0.0))
    return dataclasses.replace(found, scores=scores, frames=frames)


def _head_end(node: ast.stmt) -> int:
    """The last line of a statement without the blocks in it."""
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return node.end_lineno or node.lineno
    first = body[0].pattern.lineno if isinstance(body[0], ast.match_case) else body[0].lineno
    return max(node.lineno, first - 1)


def _lines(trace: Trace, test: str, wanted: frozenset[str]) -> dict[str, Lines]:
    found: dict[str, set[int]] = {}
    for executed in trace.executed_by(test):
        for path, ranges in executed.lines.items():
            if path in wanted:
                for first, last in ranges:
                    found.setdefault(path, set()).update(range(first, last + 1))
    return {path: frozenset(lines) for path, lines in found.items()}


def _ochiai(
    failing: Mapping[str, Mapping[str, Lines]], passing: Mapping[str, Mapping[str, Lines]]
) -> dict[tuple[str, int], float]:
    failed = Counter(_all(failing.values()))
    passed = Counter(place for place in _all(passing.values()) if place in failed)
    n = len(failing)
    return {place: hits / math.sqrt(n * (hits + passed[place])) for place, hits in failed.items()}


def _all(tests: Iterable[Mapping[str, Lines]]) -> Iterable[tuple[str, int]]:
    return ((path, line) for lines in tests for path, found in lines.items() for line in found)


def _reached(tests: Mapping[str, Mapping[str, Lines]]) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for n, lines in enumerate(tests.values()):
        for path, executed in lines.items():
            here = found.setdefault(path, {})
            for line in executed:
                here[line] = here.get(line, 0) | 1 << n
    return found


def _touching(
    tests: Mapping[str, Mapping[str, Lines]], reached: Reached, path: str, first: int, last: int
) -> Iterable[str]:
    here, bits = reached.get(path, {}), 0
    for line in range(first, last + 1):
        bits |= here.get(line, 0)
    return (test for n, test in enumerate(tests) if bits >> n & 1)


def _places(
    frames: Mapping[str, tuple[Frame, ...]], wanted: frozenset[str]
) -> dict[str, list[tuple[str, int]]]:
    return {
        test: [(frame.path, frame.line) for frame in found if frame.path in wanted and frame.path is not None]
        for test, found in frames.items()
    }


def _favoured(
    frames: Mapping[str, tuple[Frame, ...]], wanted: frozenset[str]
) -> dict[tuple[str, int], float]:
    favoured: dict[tuple[str, int], float] = {}
    for places in _places(frames, wanted).values():
        for place in places[:-1]:
            favoured[place] = max(favoured.get(place, 0.0), ON_THE_WAY)
        for place in places[-1:]:
            favoured[place] = max(favoured.get(place, 0.0), INNERMOST)
    return favoured
