"""Drafts on a small real folder."""

from __future__ import annotations

from pathlib import Path

from agent.solving import Files, write
from untilgreen.model import Finding, Patch
from untilgreen.solve.guard import protect, refusals
from untilgreen.solvers.agent.drafts import Drafts
from untilgreen.solvers.agent.redaction import Redaction
from untilgreen.workspace import take_snapshot


def drafts_of(root: Path, files: Files, redaction: Redaction | None = None) -> Drafts:
    root.mkdir(exist_ok=True)
    write(root, files)
    return drafts_in(root, redaction)


def drafts_in(root: Path, redaction: Redaction | None = None) -> Drafts:
    snapshot = take_snapshot(root)
    tests = frozenset(path for path in snapshot.entries if "test_" in path)
    protection = protect(snapshot.entries, tests, ("",), frozenset({"yaml"}), may_change_tests=False)

    def refuses(patch: Patch) -> tuple[Finding, ...]:
        return refusals(patch, protection)

    return Drafts(snapshot, Patch(), refuses, redaction or Redaction())
