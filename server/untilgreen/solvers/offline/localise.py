"""Asks the workbench for traces, and makes of them where to look."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

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
PASSING_SECONDS = 1.5
"""How long the traced passing tests took together when they were not traced."""
TRACE_SECONDS = 20.0
HANGING_SECONDS = 2.0


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


async def localise(bench: Workbench, tree: Tree, failing: tuple[str, ...], known: Knowledge) -> Localisation:
    """Trace the failing tests with their values, and passing ones that have something to do with them."""
    listed = [test for test in failing if "::" in test]
    hanging = [test for test in listed if test in known.hanging]
    ordinary = [test for test in listed if test not in known.hanging][:MOST_FAILING]
    passing = sample(known, listed)
    asked = []
    if len(ordinary) + len(passing) <= FEW and ordinary:
        asked.append(_trace(bench, tree, (*ordinary, *passing), TRACE_SECONDS, values=True))
    else:
        asked += [_trace(bench, tree, tuple(ordinary), TRACE_SECONDS, values=True)] if ordinary else []
        asked += [_trace(bench, tree, tuple(passing), TRACE_SECONDS, values=False)] if passing else []
    patience = max(HANGING_SECONDS, 5 * known.run_seconds)
    asked += [_trace(bench, tree, (test,), patience, values=True) for test in hanging[:2]]
    traces = [told.trace for told in await asyncio.gather(*asked)]
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
        complete=not starting & set(failing) and all(test in trace.tests for test in really),
        starts_processes=frozenset(starting),
        imported=tuple(sorted(path for path in trace.at_import.lines if tree.may_change(path))),
        called_at_import=trace.at_import.functions,
    )


def sample(known: Knowledge, failing: Iterable[str]) -> tuple[str, ...]:
    """Passing tests that are worth a trace: those beside failing ones first, the cheapest of each."""
    files = {test.split("::")[0] for test in failing}
    chosen: list[str] = []
    spent = 0.0
    order = sorted(
        known.passing, key=lambda test: (test.split("::")[0] not in files, known.seconds.get(test, 0.0))
    )
    for test in order[:MOST_PASSING]:
        spent += known.seconds.get(test, 0.0)
        if spent > PASSING_SECONDS:
            break
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
