"""What is said to a model about an attempt that is not green. Pure."""

from __future__ import annotations

from untilgreen.model import Attempt, Reflection
from untilgreen.solvers.agent.failures import told
from untilgreen.solvers.agent.fence import fenced
from untilgreen.solvers.agent.wording import words
from untilgreen_sandbox.report import Report

MOST_CHARACTERS = 10_000


def after_attempt(attempt: Attempt, reflection: Reflection | None, report: Report | None) -> str:
    """How it went, the failures, and the wish to hear the cause first."""
    left, broke = len(attempt.still_failing), len(attempt.broken)
    counts = f"{len(attempt.fixed)} of the goal pass now, {left} do not, {broke} broke"
    lines = [reflection.text] if reflection is not None else []
    lines += [finding.reason for finding in attempt.findings]
    if attempt.broken:
        lines.append(f"Passed before and does not any more: {', '.join(attempt.broken[:10])}")
    red = (*attempt.still_failing, *attempt.broken)
    if report is not None and not attempt.findings and attempt.repeats is None:
        lines.append(told(report, red) if red else "; ".join(attempt.faults[:5]))
    parts = [f"All tests were run: it is not green. {counts}."]
    parts.append(fenced("test run", "\n\n".join(line for line in lines if line), MOST_CHARACTERS))
    if reflection is not None and reflection.advice != "go_on":
        parts.append(words("stuck"))
    return "\n\n".join((*parts, words("after")))
