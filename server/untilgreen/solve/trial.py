"""One proposal and what became of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from untilgreen.failure_key import failure_key
from untilgreen.model import Attempt, Finding, Proposal
from untilgreen.solve.judge import Judgement
from untilgreen_sandbox.report import Report


@dataclass(frozen=True, slots=True)
class Trial:
    """All that the loop knows about one attempt."""

    n: int
    solver: str
    proposal: Proposal
    state: str
    judgement: Judgement
    report: Report
    findings: tuple[Finding, ...] = ()
    """Why it was refused, and not run."""
    flaky: tuple[str, ...] = ()
    """Tests that failed once and passed when they ran again, on this very code."""
    repeats: int | None = None
    """The attempt with the same code, whose result this is."""
    verified: bool = False
    weak: tuple[str, ...] = ()
    """Fixed tests about which nothing could be asked that must fail."""
    doubts: tuple[Finding, ...] = ()
    """What verification saw that needs eyes."""
    questions: int = 0
    """How many were asked blind, and answered rightly."""
    scope: Literal["full", "affected"] = "full"
    complete: bool = True
    """False when its run was stopped."""

    @property
    def runs(self) -> bool:
        return not self.findings

    @property
    def green(self) -> bool:
        """Only verification may say so."""
        return self.verified and self.runs and self.judgement.green

    @property
    def attempt(self) -> Attempt:
        """What everybody else is told about it."""
        judgement, cases = self.judgement, self.report.cases if self.runs else ()
        keys = {case.id: failure_key(case.failure) for case in cases if not case.good}
        red = (*judgement.still_failing, *judgement.broken) if self.runs else ()
        return Attempt(
            self.n,
            self.solver,
            self.proposal.hypothesis,
            fixed=judgement.fixed,
            broken=judgement.broken,
            seconds=round(self.report.seconds, 3),
            faults=judgement.faults if self.runs else (),
            findings=self.findings,
            passed=sum(case.good for case in cases),
            tests=len(cases),
            still_failing=judgement.still_failing,
            errors=tuple((test_id, keys.get(test_id, "")) for test_id in red),
            state=self.state,
            repeats=self.repeats,
            spent=self.proposal.spent,
        )
