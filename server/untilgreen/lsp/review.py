"""Looking at a fix before it is written: virtual documents `untilgreen:/JOB/ATTEMPT/before|after/PATH`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from untilgreen.diff import unified_diff
from untilgreen.errors import UsageError
from untilgreen.job import Job
from untilgreen.lsp import ext
from untilgreen.model import Patch, Verdict

Side = Literal["before", "after"]
_RIVAL = "rival"


def review_of(job: Job, rival: int | None, attempt: int | None, uri: Callable[[str], str]) -> ext.Reviewed:
    """What there is to look at: the fix, one of its rivals, or what an attempt had changed.

    Of a job that found no fix, its last attempt.
    """
    verdict = verdict_of(job)
    if rival is not None:
        name = f"{_RIVAL}{rival}"
    elif attempt is not None:
        name = str(attempt)
    else:
        name = str(winner_of(job) if verdict.patch else max(job.tried, default=0))
    patch = patch_of(job, name)
    return {
        "job": job.id,
        "attempt": name,
        "reason": verdict.reason,
        "files": [
            {
                "path": path,
                "uri": uri(path),
                "before": virtual_uri(job.id, name, "before", path),
                "after": virtual_uri(job.id, name, "after", path),
            }
            for path in patch.paths
        ],
        "diff": unified_diff(job.pristine.get, patch),
        "findings": [asdict(finding) for finding in verdict.findings],
        "rivals": len(verdict.rivals),
        "attempts": [
            {"n": attempt.n, "hypothesis": attempt.hypothesis}
            for attempt in verdict.attempts
            if attempt.n in job.tried and attempt.n != winner_of(job)
        ],
        "difference": verdict.difference,
    }


def text_of(uri: str, find: Callable[[str], Job | None]) -> str:
    """The text of a virtual document; UsageError when it is not one, or no longer kept."""
    parts = urlsplit(uri)
    # Some editors write `untilgreen://JOB/…`.
    whole = f"{parts.netloc}{parts.path}".lstrip("/")
    job_id, attempt, side, *path = (*(unquote(part) for part in whole.split("/")), "", "", "")
    path = path[: len(path) - 3]
    job = find(job_id)
    if parts.scheme != ext.SCHEME or job is None or side not in ("before", "after") or not path:
        raise UsageError(f"There is no document {uri}.")
    name = "/".join(path)
    patch = patch_of(job, attempt)
    if name not in patch.files:
        raise UsageError(f"There is no document {uri}.")
    data = job.pristine.get(name) if side == "before" else patch.files[name].content
    return (data or b"").decode("utf-8", "replace").removeprefix("\ufeff")


def virtual_uri(job: str, attempt: str, side: Side, path: str) -> str:
    return f"{ext.SCHEME}:/{job}/{attempt}/{side}/{quote(path)}"


def verdict_of(job: Job) -> Verdict:
    """How it ended; a job that broke off has its attempts all the same."""
    return job.verdict or Verdict("stopped", str(job.error or "It has not ended yet."), attempts=job.attempts)


def winner_of(job: Job) -> int:
    """The attempt whose change the verdict holds; 0 when it was changed after all attempts, or is none."""
    verdict = verdict_of(job)
    return next((n for n, patch in job.tried.items() if patch.files == verdict.patch.files), 0)


def patch_of(job: Job, attempt: str) -> Patch:
    """What an attempt changed, by its number, or a rival by `rival1` and so on."""
    verdict = verdict_of(job)
    if attempt.startswith(_RIVAL):
        number = attempt.removeprefix(_RIVAL)
        if number.isdecimal() and 1 <= int(number) <= len(verdict.rivals):
            return verdict.rivals[int(number) - 1]
    elif attempt.isdecimal():
        if verdict.patch and int(attempt) in (0, winner_of(job)):
            return verdict.patch
        if int(attempt) in job.tried:
            return job.tried[int(attempt)]
    if not job.tried and not verdict.patch:
        raise UsageError(f"Job {job.id} has changed nothing that could be looked at. {verdict.reason}")
    raise UsageError(f"Job {job.id} has no attempt {attempt}.")
