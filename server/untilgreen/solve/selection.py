"""Which planned tests a change can affect, told from what each test executed. Pure.

A test that did not enter a function is not changed by another body of it. Whatever else changes, above all
what is executed while a module is imported, may concern every test. The rest is still run before anything is
called green, so a wrong answer costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from untilgreen.solve.changed import Body, Edit, changed_bodies
from untilgreen_sandbox.trace import Executed, Trace

FAILING, TOUCHES_LINES, ENTERS, IN_DOUBT, UNTOUCHED = range(5)


@dataclass(frozen=True, slots=True)
class Selection:
    """The plan in two parts."""

    first: tuple[str, ...]
    """Tests that the change can affect: failing ones, then those nearest to it, the cheapest first."""
    rest: tuple[str, ...]
    """All others, in the order of the plan."""
    why: str
    """One sentence."""
    in_doubt: bool = False
    """More than the bodies of functions may be changed, so every test may be affected."""


def select(
    plan: Iterable[str],
    trace: Trace,
    edits: Mapping[str, Edit],
    failing: Collection[str] = (),
    seconds: Mapping[str, float] | None = None,
) -> Selection:
    """Divide the plan for a change, given as old and new text by path; `trace` is of the old code."""
    ids = tuple(plan)
    durations = seconds or {}
    bodies: list[Body] = []
    doubt = f"the trace is incomplete ({trace.incomplete[0]})" if trace.incomplete else ""
    for path, edit in sorted(edits.items()):
        found = changed_bodies(path, edit)
        if isinstance(found, str):
            doubt = doubt or f"{path}: {found}"
        else:
            bodies += found
    for body in bodies:
        if not doubt and _names(trace.at_import, body):
            doubt = f"{body.path}: {body.name} is called while modules are imported"
    ranks = {test_id: _rank(test_id, trace, bodies, failing, bool(doubt)) for test_id in ids}
    chosen = [test_id for test_id in ids if ranks[test_id] != UNTOUCHED]
    # Sorting is stable: those that are alike stay in the order of the plan.
    first = sorted(chosen, key=lambda test_id: (ranks[test_id], durations.get(test_id, 0.0)))
    rest = [test_id for test_id in ids if ranks[test_id] == UNTOUCHED]
    return Selection(tuple(first), tuple(rest), _why(doubt, bodies), bool(doubt))


def _rank(
    test_id: str, trace: Trace, bodies: list[Body], failing: Collection[str], all_in_doubt: bool
) -> int:
    if test_id in failing:
        return FAILING
    test = trace.tests.get(test_id)
    if test is None:
        return IN_DOUBT
    executed = trace.executed_by(test_id)
    entered = [body for body in bodies for part in executed if _enters(part, body)]
    if any(part.touches(body.path, *body.lines) for body in entered for part in executed):
        return TOUCHES_LINES
    if entered:
        return ENTERS
    return IN_DOUBT if all_in_doubt or test.incomplete else UNTOUCHED


def _enters(executed: Executed, body: Body) -> bool:
    """The function itself, or one that is defined in it; its lines, too, in case it goes by another name."""
    return executed.touches(body.path, *body.all_lines) or _names(executed, body)


def _names(executed: Executed, body: Body) -> bool:
    name = f"{body.path}:{body.name}"
    return any(
        function == name or function.startswith(f"{name}.<locals>.") for function in executed.functions
    )


def _why(doubt: str, bodies: list[Body]) -> str:
    if doubt:
        return f"All tests may be affected: {doubt}."
    if not bodies:
        return "Nothing that is executed was changed."
    names = ", ".join(dict.fromkeys(body.name for body in bodies[:5]))
    more = f" and {len(bodies) - 5} more" if len(bodies) > 5 else ""
    return f"Only tests that execute {names}{more} can be affected."
