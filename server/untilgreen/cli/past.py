"""What `untilgreen history` shows: a table of jobs, the way of one job; for scripts the same as JSON."""

from __future__ import annotations

import time
from typing import Any

from rich.table import Table
from rich.text import Text

from untilgreen.checking import DIFFERS
from untilgreen.cli.contract import SCHEMA
from untilgreen.history import JobSummary, Step
from untilgreen.model import Verdict

_COLOURS = {"green": "green", "already_green": "green", "running": "cyan", "undone": ""}
_MOST_WORDS = 48


def jobs_object(jobs: list[JobSummary]) -> dict[str, Any]:
    return {"schema": SCHEMA, "jobs": [_summary(job) for job in jobs]}


def job_object(job: JobSummary, steps: list[Step]) -> dict[str, Any]:
    timeline = [
        {"t": step.t, "text": step.text, "attempt": step.attempt, "passed": step.passed, "tests": step.tests}
        for step in steps
    ]
    return {"schema": SCHEMA, **_summary(job), "timeline": timeline}


def checked_object(job: JobSummary, verdict: Verdict, sandbox: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "job": job.job,
        "verdict": job.verdict,
        "confirmed": is_confirmed(verdict),
        "reason": verdict.reason,
        "differs": [finding.path for finding in verdict.findings if finding.rule == DIFFERS],
        "tests": list(verdict.broken),
        "seconds": verdict.seconds,
        "sandbox": sandbox,
    }


def is_confirmed(verdict: Verdict) -> bool:
    ran = verdict.after is not None and verdict.after.ended == "finished"
    return ran and not verdict.broken and not verdict.findings


def jobs_table(jobs: list[JobSummary]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("when", "job", "what", "verdict"):
        table.add_column(name, no_wrap=name != "what")
    table.add_column("s", justify="right")
    table.add_column("fix", no_wrap=True)
    for job in jobs:
        verdict = Text(_word(job), _COLOURS.get(job.verdict, "red"))
        table.add_row(_when(job.t), job.job, Text(_what(job)), verdict, f"{job.seconds:.1f}", _fix(job))
    return table


def job_story(job: JobSummary, steps: list[Step]) -> Text:
    text = Text.assemble((f"{job.job}  ", "bold"), f"{_when(job.t)}  {job.root}\n")
    for step in steps:
        count = f"  [{step.passed} of {step.tests} pass]" if step.tests else ""
        text.append(f"{step.t - job.t:8.2f} s  {step.text}{count}\n")
    if job.verdict in ("running", "interrupted"):
        text.append(f"{job.verdict}. {job.reason}\n", _COLOURS.get(job.verdict, "red"))
    if job.state == "undone":
        text.append("It is undone.\n")
    elif job.state == "applied":
        text.append(f"It stands. Take it back with: untilgreen undo {job.job}\n")
    return text


def _summary(job: JobSummary) -> dict[str, Any]:
    return {
        "job": job.job,
        "t": job.t,
        "kind": job.kind,
        "cause": job.cause,
        "tests": list(job.tests),
        "verdict": job.verdict,
        "reason": job.reason,
        "seconds": job.seconds,
        "state": job.state,
        "paths": list(job.paths),
        "undoes": job.undoes,
    }


def _what(job: JobSummary) -> str:
    if job.undoes:
        return f"undo {job.undoes}"
    names = ", ".join(job.tests) or "all tests"
    return f"{job.kind} {names if len(names) <= _MOST_WORDS else names[: _MOST_WORDS - 1] + '…'}"


def _word(job: JobSummary) -> str:
    return "" if job.undoes else job.verdict.replace("_", " ")


def _fix(job: JobSummary) -> str:
    if job.undoes:
        return "undone" if job.state == "undone" else ""
    return job.state


def _when(t: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(t))
