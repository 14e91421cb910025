"""What scripts rely on: exit codes and the one JSON object of each command."""

from __future__ import annotations

from typing import Any

from untilgreen.doctor import Diagnosis
from untilgreen.job import Job
from untilgreen.model import Verdict
from untilgreen_sandbox.report import CaseResult, Report

SCHEMA = 1
HELD_BACK = 1
"""Green, but it was to be written and was not: something in it needs eyes."""
HUNG_UP = 129
"""Its terminal was closed."""
STOPPED = 130
TERMINATED = 143


def exit_code(verdict: Verdict, scope: str = "full") -> int:
    """`scope` is what the user said is good enough."""
    if verdict.ok:
        return 0 if verdict.scope in ("full", scope) else 1
    if verdict.kind == "blocked":
        return 3
    if verdict.kind == "stopped":
        return STOPPED
    return 1


def solve_object(job: Job, verdict: Verdict, sandbox: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "verdict": verdict.kind,
        "reason": verdict.reason,
        "solver": verdict.solver,
        "patch": verdict.diff,
        "fixed": list(verdict.fixed),
        "broken": list(verdict.broken),
        "still_failing": list(verdict.still_failing),
        "flaky": list(verdict.flaky),
        "environment": _environment(verdict),
        "findings": [
            {"path": finding.path, "line": finding.line, "rule": finding.rule, "reason": finding.reason}
            for finding in verdict.findings
        ],
        "weak": list(verdict.weak),
        "scope": verdict.scope,
        "confidence": verdict.confidence,
        "rivals": list(verdict.rival_diffs),
        "candidates": max(verdict.spent.candidates, len(verdict.attempts)),
        "attempts": [
            {
                "n": attempt.n,
                "solver": attempt.solver,
                "hypothesis": attempt.hypothesis,
                "fixed": list(attempt.fixed),
                "broken": list(attempt.broken),
                "seconds": attempt.seconds,
            }
            for attempt in verdict.attempts
        ],
        "seconds": verdict.seconds,
        "tokens": verdict.spent.tokens,
        "usd": verdict.spent.usd,
        "job": job.id,
        "sandbox": sandbox,
    }


def test_object(verdict: Verdict, sandbox: str) -> dict[str, Any]:
    report = verdict.after or Report("lost")
    return {
        "schema": SCHEMA,
        "green": verdict.ok,
        "ended": report.ended,
        "reason": verdict.reason,
        "tests": [_test(case) for case in report.cases],
        "environment": _environment(verdict),
        "seconds": verdict.seconds,
        "sandbox": sandbox,
        "rung": report.rung,
    }


def doctor_object(diagnosis: Diagnosis, *, images: bool) -> dict[str, Any]:
    checks = [
        {"name": check.name, "state": check.state, "detail": check.detail, "remedy": check.remedy}
        for check in diagnosis.checks
    ]
    told: dict[str, Any] = {"schema": SCHEMA, "can_solve": diagnosis.can_solve, "checks": checks}
    if images:
        found = diagnosis.inventory.images if diagnosis.inventory is not None else ()
        told["images"] = [{"name": image.name, "megabytes": image.megabytes} for image in found]
    return told


def error_object(reason: str, code: int) -> dict[str, Any]:
    return {"schema": SCHEMA, "error": reason, "exit_code": code}


def _environment(verdict: Verdict) -> list[dict[str, str]]:
    return [{"id": test_id, "remedy": remedy} for test_id, remedy in verdict.environment]


def _test(case: CaseResult) -> dict[str, Any]:
    return {
        "id": case.id,
        "outcome": case.outcome,
        "seconds": case.seconds,
        "message": case.message,
        "path": case.path,
        "line": case.line,
    }
