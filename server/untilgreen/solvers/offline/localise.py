"""Asks the workbench for traces, and makes of them where to look."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field

from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.offline.site import parse
from untilgreen.solvers.offline.spectrum import Spectrum, spectrum, spread
from untilgreen.solvers.offline.tree import Tree
from untilgreen.solvers.solver import Workbench
from untilgreen_sandbox.trace import Observation, Trace, TraceReport

MOST_FAILING = 24
MOST_PASSING = 400
FEW = 60
"""So few tests are traced together: starting a process costs more than they do."""
PASSING_SECONDS, SLOW_SECONDS = 0.15, 0.005
"""How long the traced passing tests took together when they were not traced, and how long one of them may
have taken: traced it can be fifty times as long."""
MANY, TIMES = 150, 10
"""The same in times of what most tests took: a busy machine takes longer for everything."""
TRACE_SECONDS = 15.0
HANGING_SECONDS = 0.7
"""For tests that do not end; what they execute is told in between."""
MOST_HANGING = 2
LIMITED = "limits reached"
"""Of a trace that was given up before its test ended."""


@dataclass(frozen=True, slots=True)
class Localisation:
    """Where the failing tests lead, and what was seen on the way."""

    spectrum: Spectrum
    observations: tuple[Observation, ...] = ()
    complete: bool = True
    """False when tests may execute more than is known, such as in processes that they start."""
    starts_processes: frozenset[str] = frozenset()
    """Tests that do."""
    imported: tuple[str, ...] = ()
    """Files that may be changed and whose code runs when modules are imported."""
    called_at_import: frozenset[str] = frozenset()
    """Functions that are called then, as `path:qualified.name`."""
    trace: Trace = field(default_factory=Trace)
    """All that was traced on this base."""


async def localise(bench: Workbench, tree: Tree, failing: tuple[str, ...], known: Knowledge) -> Localisation:
    """Trace the failing tests with their values, and passing ones that have something to do with them."""
    listed = [test for test in failing if "::" in test]
    hanging = [test for test in listed if test in known.hanging]
    ordinary = [test for test in listed if test not in known.hanging][:MOST_FAILING]
    passing = sample(known, listed)
    patience = max(HANGING_SECONDS, 2 * known.run_seconds)
    together = (*ordinary, *passing)
    asked: list[tuple[tuple[str, ...], float, bool]] = []
    if len(together) <= FEW and ordinary:
        asked.append((together, TRACE_SECONDS, True))
    else:
        asked += [(tuple(ordinary), TRACE_SECONDS, True)] if ordinary else []
        asked += [(passing, TRACE_SECONDS, False)] if passing else []
    asked += [((test,), patience, True) for test in hanging[:MOST_HANGING]]
    # One after the other: each is a fork of the same process, and another box would cost more.
    traces = [
        (await _trace(bench, tree, tests, seconds, values=values)).trace for tests, seconds, values in asked
    ]
    return place(traces, tree, failing, known)


def place(traces: list[Trace], tree: Tree, failing: tuple[str, ...], known: Knowledge) -> Localisation:
    """What several traces tell together."""
    trace = _joined(traces)
    frames = {test: known.frames(test) for test in failing}
    executed = {path for test in trace.tests for part in trace.executed_by(test) for path in part.lines}
    named = {frame.path for found in frames.values() for frame in found if frame.path is not None}
    paths = [path for path in executed | named if tree.may_change(path)]
    waiting = frozenset(known.waiting)
    really = [test for test in failing if test not in waiting]
    starting = {test.id for test in trace.tests.values() if any("process" in why for why in test.incomplete)}
    found = spectrum(trace, really, (*known.passing, *known.waiting), paths, frames)
    for path in found.paths:
        parsed = parse(tree.text(path) or "")
        found = found if parsed is None else spread(found, path, parsed)
    return Localisation(
        found,
        trace.observations,
        complete=not starting & set(failing)
        and all(test in trace.tests and LIMITED not in trace.tests[test].incomplete for test in really),
        starts_processes=frozenset(starting),
        imported=tuple(sorted(path for path in trace.at_import.lines if tree.may_change(path))),
        called_at_import=trace.at_import.functions,
        trace=trace,
    )


def sample(known: Knowledge, failing: Iterable[str]) -> tuple[str, ...]:
    """Passing tests that are worth a trace: those beside failing ones first, the cheapest of each."""
    files = {test.split("::")[0] for test in failing}
    chosen: list[str] = []
    spent = 0.0
    taken = sorted(known.seconds.get(test, 0.0) for test in known.passing)
    usual = taken[len(taken) // 2] if taken else 0.0
    most, slow = max(PASSING_SECONDS, MANY * usual), max(SLOW_SECONDS, TIMES * usual)
    order = sorted(
        known.passing, key=lambda test: (test.split("::")[0] not in files, known.seconds.get(test, 0.0))
    )
    for test in order[:MOST_PASSING]:
        seconds = known.seconds.get(test, 0.0)
        if seconds <= slow and spent + seconds <= most:
            spent += seconds
            chosen.append(test)
    return tuple(chosen)


async def _trace(
    bench: Workbench, tree: Tree, tests: tuple[str, ...], seconds: float, *, values: bool
) -> TraceReport:
    return await bench.trace(tests, ("*",) if values else (), tree.base, seconds=seconds)


def _joined(traces: list[Trace]) -> Trace:
    if len(traces) == 1:
        return traces[0]
    first = max(traces, key=lambda trace: len(trace.at_import.lines), default=Trace())
    return dataclasses.replace(
        first,
        shared={name: part for trace in traces for name, part in trace.shared.items()},
        tests={name: test for trace in traces for name, test in trace.tests.items()},
        observations=tuple(seen for trace in traces for seen in trace.observations),
    )
