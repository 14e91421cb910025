"""What verification found. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from untilgreen.model import Finding
from untilgreen.solve.judge import Judgement
from untilgreen_sandbox.report import Report


@dataclass(frozen=True, slots=True)
class Proof:
    """What verification found; green only when its judgement is."""

    judgement: Judgement
    report: Report
    weak: tuple[str, ...] = ()
    """Fixed tests about which nothing could be asked that must fail."""
    findings: tuple[Finding, ...] = ()
    questions: int = 0
    """How many were asked blind, and answered rightly."""
    scope: Literal["full", "affected"] = "full"
