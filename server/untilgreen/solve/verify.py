"""The last word: pristine tests and configuration, the candidate's bytes, a fresh box, the full suite."""

from __future__ import annotations

from untilgreen.model import Patch
from untilgreen.solve.bench import Bench
from untilgreen.solve.judge import Judgement, judge
from untilgreen.solve.plan import Plan
from untilgreen_sandbox.report import Report


async def verify(
    bench: Bench, plan: Plan, baseline: Report, failing: tuple[str, ...], patch: Patch, looked_green: Report
) -> tuple[Judgement, Report]:
    """Only this may end in green."""
    report = await bench.run_fresh(patch)
    judgement = judge(plan, baseline, failing, report)
    if not judgement.green:
        bench.disagreed(looked_green, report)
        bench.prepare_fresh()
    return judgement, report
