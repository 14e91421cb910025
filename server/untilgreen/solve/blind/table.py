"""What each question must be answered, known to the host alone, and where the answers differ. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from untilgreen_sandbox.report import CaseResult, Report


@dataclass(frozen=True, slots=True)
class Question:
    """One test of a blind run."""

    id: str
    """Its id in the rewritten file."""
    origin: str
    """The id of the user's own test that it was made from; empty for a canary."""
    passes: bool
    type: str = ""
    """Of one that must fail: the exception that it ends with; empty when that may be any."""
    message: str = ""
    """Of a canary that must fail: what it says."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One answer that is not the right one."""

    question: Question
    said: str

    def sentence(self) -> str:
        who = self.question.origin
        if not who:
            must = "pass" if self.question.passes else "fail"
            return f"a test that must {must} whatever the code does is told otherwise ({self.said})"
        if self.question.passes:
            return f"{who} does not pass under another name ({self.said})"
        if self.said == "passed":
            return f"{who} also passes when it expects the opposite"
        return f"{who} should fail when it expects the opposite, and {self.said}"


@dataclass(frozen=True, slots=True)
class Answers:
    """A blind run compared with its table."""

    faults: tuple[str, ...]
    """What is wrong with the run as a whole."""
    mismatches: tuple[Mismatch, ...]

    @property
    def right(self) -> bool:
        return not self.faults and not self.mismatches

    @property
    def wrong_origins(self) -> frozenset[str]:
        """The tests that were answered wrongly; a canary's is empty."""
        return frozenset(mismatch.question.origin for mismatch in self.mismatches)


def compare(table: Iterable[Question], report: Report) -> Answers:
    """Every question once, nothing else, and every answer as it must be."""
    questions = {question.id: question for question in table}
    if report.ended != "finished":
        return Answers((f"a blind run did not finish ({report.ended}): {report.detail}",), ())
    listed, seen = Counter(report.planned), Counter(case.id for case in report.cases)
    faults = [
        f"{test_id} was told of in a blind run, where nobody asked for it"
        for test_id in {**listed, **seen}
        if test_id not in questions
    ]
    faults += [
        f"{questions[test_id].origin or 'a question'} was answered {count} times in a blind run"
        for test_id, count in (*seen.items(), *listed.items())
        if count > 1 and test_id in questions
    ]
    cases = {case.id: case for case in report.cases}
    mismatches = []
    for question in questions.values():
        said = _wrong(question, cases.get(question.id), listed[question.id])
        if said:
            mismatches.append(Mismatch(question, said))
    return Answers(tuple(faults), tuple(mismatches))


def _wrong(question: Question, case: CaseResult | None, n_listed: int) -> str:
    """What was said instead of the right answer; empty when it was right."""
    if case is None or not n_listed:
        return "did not run"
    if question.passes:
        return "" if case.outcome == "passed" else case.outcome
    if case.outcome != "failed":
        return case.outcome
    kind = case.failure.type if case.failure is not None else ""
    # Libraries that run a test many times fail in their own way.
    several = kind.endswith(("Group", "Failure", "Failures", "Flaky")) and not question.message
    if question.type and not kind.endswith(question.type) and not several:
        return f"failed with {kind or 'nothing'} instead of {question.type}"
    if question.message and (case.failure is None or question.message not in case.failure.message):
        return "failed in other words"
    return ""
