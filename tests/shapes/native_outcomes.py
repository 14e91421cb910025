"""A pytest plugin for the native side of a comparison: writes what happened to each test as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

_RANK = ["passed", "xpassed", "xfailed", "skipped", "error", "failed"]
_seen: dict[str, str] = {}


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        _seen[report.nodeid] = "error"


def pytest_runtest_logreport(report: Any) -> None:
    if hasattr(report, "context") and not report.failed:
        return  # A subtest; only a failed one says something about its test.
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if report.skipped else "xpassed"
    elif report.failed:
        outcome = "failed" if report.when == "call" else "error"
    else:
        outcome = report.outcome
    _seen[report.nodeid] = max(_seen.get(report.nodeid, "passed"), outcome, key=_RANK.index)


def pytest_sessionfinish() -> None:
    Path(os.environ["NATIVE_OUTCOMES"]).write_text(json.dumps(_seen))
