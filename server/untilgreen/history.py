"""What the journal tells: the jobs of a workspace, the way of one of them, and what its verdict rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilgreen.evidence import Evidence, different, files_of
from untilgreen.journal import Journal, owner_of
from untilgreen.model import Entry, Patch
from untilgreen.undo_records import State, one_name
from untilgreen.workspace import digest_of
from untilgreen_sandbox.owner import is_gone


@dataclass(frozen=True, slots=True)
class JobSummary:
    """One job in one line."""

    job: str
    t: float
    """When it began, in seconds since 1970."""
    kind: str
    root: str
    cause: str
    tests: tuple[str, ...]
    verdict: str
    """The verdict; `failed` when the job could not go on, `undone`, `running` or `interrupted`."""
    reason: str
    seconds: float
    state: State
    """Whether its fix was written, and whether it was taken back."""
    paths: tuple[str, ...]
    undoes: str
    outcomes: Mapping[str, str]
    """Of the run that the verdict rests on."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened on the way."""

    t: float
    text: str
    attempt: int = 0
    passed: int = 0
    tests: int = 0
    """How many tests did well in this step's run, and how many there were; 0 when nothing ran."""


def jobs_of(journal: Journal, root: Path, most: int) -> list[JobSummary]:
    """The newest jobs of this workspace, the newest first."""
    found: list[JobSummary] = []
    for job in journal.jobs():
        first = next(journal.lines(job), {})
        if str(first.get("root", "")) == "" or one_name(Path(str(first["root"]))) != one_name(root):
            continue
        if (summary := summary_of(journal, job)) is not None:
            found.append(summary)
            if len(found) == most:
                break
    return found


def summary_of(journal: Journal, job: str) -> JobSummary | None:
    """None when there is no such job."""
    started: dict[str, Any] = {}
    told: dict[str, Any] = {}
    for line in journal.lines(job):
        if line["type"] == "job_started":
            started = line
        elif line["type"] in ("finished", "failed", "undone", "applied", "shifted"):
            told[line["type"]] = line
    if not started:
        return None
    verdict, reason, seconds, outcomes = _ending(started, told)
    paths = told.get("undone", {}).get("paths") or told.get("applied", {}).get("paths") or ()
    return JobSummary(
        job=job,
        t=float(started["t"]),
        kind=str(started["kind"]),
        root=str(started["root"]),
        cause=str(started["cause"]),
        tests=tuple(started["tests"]),
        verdict=verdict,
        reason=reason,
        seconds=seconds,
        state=journal.undo.state(job),
        paths=tuple(paths),
        undoes=str(told.get("undone", {}).get("undoes", "")),
        outcomes=outcomes,
    )


def timeline(journal: Journal, job: str) -> list[Step]:
    """What happened, step by step, with the pass count of each run."""
    return [step for line in journal.lines(job) for step in _steps(line)]


def missing_from(evidence: Evidence, entries: Mapping[str, Entry], digest: str) -> Patch | tuple[str, ...]:
    """What has to be laid over the tree as it is now to check again; or the files that differ.

    The tree may be as it was before the fix, or as the fix left it.
    """
    if digest == evidence.tree:
        return evidence.patch
    now = files_of(entries)
    changed = set(different(evidence.files, now))
    holds = {path for path, change in evidence.patch if _holds(entries.get(path), change.content)}
    if evidence.patch and evidence.files and changed <= holds == set(evidence.patch.paths):
        return Patch()
    return tuple(sorted(changed - holds)) or tuple(sorted(changed))


def _holds(entry: Entry | None, content: bytes | None) -> bool:
    if entry is None or content is None:
        return entry is None and content is None
    return entry.digest == digest_of(content)


def _ending(started: dict[str, Any], told: dict[str, Any]) -> tuple[str, str, float, dict[str, str]]:
    if "finished" in told:
        verdict = told["finished"]["verdict"]
        return verdict["kind"], verdict["reason"], verdict["seconds"], _outcomes(verdict.get("after"))
    last = told.get("failed") or told.get("undone")
    if last is not None:
        return last["type"], last.get("reason", ""), round(last["t"] - started["t"], 3), {}
    owner = owner_of(started)
    if owner is not None and not is_gone(owner):
        return "running", "", 0.0, {}
    return "interrupted", "Its process ended before the job did.", 0.0, {}


def _outcomes(report: dict[str, Any] | None) -> dict[str, str]:
    if report is None:
        return {}
    told = {case["id"]: case["outcome"] for case in report["cases"]}
    return told | dict.fromkeys(report.get("passed", {}), "passed")


def _steps(line: dict[str, Any]) -> Iterator[Step]:
    t = float(line["t"])
    match line["type"]:
        case "job_started":
            what = ", ".join(line["tests"]) or "all tests"
            yield Step(t, f"{line['kind']} {what}, asked by {line['cause']}")
        case "preparing":
            yield Step(t, line["text"])
        case "snapshot_taken":
            yield Step(t, f"{line['files']} files copied, {line['bytes'] / 1024:.0f} KB")
        case "box_opened":
            yield Step(t, f"sandbox: {line['description']}")
        case "baseline_done":
            outcomes = _outcomes(line["report"])
            good = sum(outcome not in ("failed", "error") for outcome in outcomes.values())
            yield Step(t, "first run", passed=good, tests=len(outcomes))
        case "flaky_found":
            yield Step(t, f"flaky, and not counted: {', '.join(line['tests'])}")
        case "reflecting" if line["reflection"]["advice"] != "go_on":
            yield Step(t, line["reflection"]["text"], line["reflection"]["attempt"])
        case "told":
            yield Step(t, f"{line['solver']}: {' / '.join(line['text'].splitlines())}")
        case "testing":
            yield Step(t, f"attempt {line['attempt']}: {line['hypothesis']}", line["attempt"])
        case "tested":
            yield _tested(t, line["attempt"])
        case "verifying":
            yield Step(t, f"verifying all {line['tests']} tests in a fresh sandbox")
        case "finished":
            verdict = line["verdict"]
            yield Step(t, f"{verdict['kind'].replace('_', ' ')}: {verdict['reason']}")
        case "failed":
            yield Step(t, f"failed: {line['reason']}")
        case "shifted":
            yield Step(t, f"moved along with edits in {', '.join(line['paths'])}")
        case "applied":
            yield Step(t, f"written: {', '.join(line['paths'])}")
        case "undone":
            yield Step(t, f"took back job {line['undoes']}: {', '.join(line['paths'])}")


def _tested(t: float, attempt: dict[str, Any]) -> Step:
    n = attempt["n"]
    if attempt["findings"]:
        finding = attempt["findings"][0]
        return Step(t, f"attempt {n} refused: {finding['path']}: {finding['reason']}", n)
    said = attempt["faults"][0] if attempt["faults"] else f"{len(attempt['fixed'])} fixed, none broken"
    return Step(t, f"attempt {n}: {said}", n, attempt.get("passed", 0), attempt.get("tests", 0))
