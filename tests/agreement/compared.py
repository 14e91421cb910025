"""What a run says, without what no two runs have in common; and whether two ways of running say the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agreement.candidate import LOST, Candidate
from boxes import changes
from untilgreen_sandbox.box import Box, RunRequest
from untilgreen_sandbox.report import CaseResult, Report

# Also what is left of one where a long text was cut in its middle.
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b|(?<=\.\.\.)x?[0-9a-f]{5,}(?=>)")
_DURATION = re.compile(r"\bin \d+\.\d+s( \(\d+:\d\d:\d\d\))?")
_RULE = re.compile(r"={2,}")
_COLD_AGAIN = 3
SECONDS = 20.0


@dataclass(slots=True)
class Tally:
    """How many candidates of which kind there were; printed, so that nothing is hidden."""

    agreed: int = 0
    stepped_down: int = 0
    lost: int = 0
    """Processes to fork from that a crowd of others took with it; the next run made a new one."""
    flaky: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        n = self.agreed + len(self.flaky) + len(self.wrong)
        cold = f"{self.stepped_down} of them cold, as expected"
        text = f"{n} candidates: {self.agreed} agree ({cold}), {self.lost} lost"
        return f"{text}, {len(self.flaky)} differ by themselves {self.flaky}, {len(self.wrong)} disagree"


async def compare(box: Box, candidates: Sequence[Candidate]) -> Tally:
    """Run each candidate both ways in one box.

    A third of them have a template that comes as far as it can with this candidate; the others share one that
    waits before all the files that any of them changes.
    """
    tally = Tally()
    for n, candidate in enumerate(candidates):
        editable = candidate.project.code if 3 * n >= len(candidates) else ()
        cold = await told(box, candidate, "cold")
        warm = await told(box, candidate, "checkpoint", editable=editable)
        if (warm.rung, warm.why) == ("cold", LOST):
            tally.lost += 1
            warm = await told(box, candidate, "checkpoint", editable=editable)
        rung = "cold" if candidate.cold_because else "checkpoint"
        if (warm.rung, cold.rung) != (rung, "cold") or candidate.cold_because not in warm.why:
            tally.wrong.append(f"{candidate}: {cold.rung} and {warm.rung} ({warm.why})")
        elif cold.facts == warm.facts:
            tally.agreed += 1
            tally.stepped_down += rung == "cold"
        else:
            others = [await told(box, candidate, "cold") for _ in range(_COLD_AGAIN)]
            unlike = [other.facts for other in others if other.facts != cold.facts]
            if unlike:
                tally.flaky.append(f"{candidate}: {difference(cold.facts, unlike[0])}")
            else:
                tally.wrong.append(f"{candidate} ({warm.why}): {difference(cold.facts, warm.facts)}")
    return tally


@dataclass(frozen=True, slots=True)
class Told:
    """One run, in values that can be compared."""

    facts: tuple[tuple[str, object], ...]
    rung: str
    why: str


async def told(box: Box, candidate: Candidate, rung: str, **request: object) -> Told:
    seconds = candidate.seconds or SECONDS
    asked = RunRequest(candidate.project.ids, seconds=seconds, rung=rung, **request)  # type: ignore[arg-type]
    report = await box.run(asked, changes(candidate.files))
    facts = tuple(fact for fact in facts_of(report) if fact[0] != "output" or not candidate.output_is_chance)
    return Told(facts, report.rung, report.rung_reason)


def facts_of(report: Report) -> tuple[tuple[str, object], ...]:
    output = report.output
    printed = "" if output.capped else _ADDRESS.sub("0x", output.head + output.tail)
    # Two streams go into one output, and sets are shown in no certain order.
    lines = sorted(_RULE.sub("==", _DURATION.sub("in 0s", printed)).splitlines())
    # The import system's own lines cannot be shown, and how many there are is nobody's business.
    lines = [line for line in lines if line.strip() != "???" and "<frozen importlib" not in line]
    return (
        ("ended", (report.ended, report.detail)),
        ("planned", report.planned),
        *((f"case {case.id}", _case(case)) for case in report.cases),
        ("output", tuple(lines)),
        ("configuration", report.config_file),
    )


def _case(case: CaseResult) -> tuple[object, ...]:
    failure = case.failure
    first = _ADDRESS.sub("0x", case.message).partition("\n")[0]
    what = (failure.type, failure.frames) if failure else ()
    return (case.outcome, case.path, case.line, first, *what)


def difference(cold: tuple[tuple[str, object], ...], warm: tuple[tuple[str, object], ...]) -> str:
    """The first fact that is not the same."""
    for one, other in zip(cold, warm, strict=False):
        if one != other:
            left, right = str(one), str(other)
            at = next((n for n, pair in enumerate(zip(left, right, strict=False)) if len(set(pair)) > 1), 0)
            part = slice(max(0, at - 100), at + 200)
            return f"{one[0]}, {left[part]!r} or {right[part]!r}"
    return f"{len(cold)} facts or {len(warm)}"
