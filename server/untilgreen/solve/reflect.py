"""What an attempt shows, seen together with those before it, and what to tell whoever proposes next. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from untilgreen.model import Advice, Attempt, Pattern, Reflection, Trend

WARN_AFTER = 3
"""Attempts without progress after which a solver is told to do something else."""
STOP_AFTER = 6
"""Attempts without progress after which the next solver takes over."""
REPEATS = 2
"""How often one solver may come back to a known state: the first time it is warned."""
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the code stands: which tests are red, and why."""

    red: frozenset[str]
    errors: frozenset[tuple[str, str]]
    """Test id and failure key."""

    @classmethod
    def of(cls, attempt: Attempt) -> Standing:
        return cls(frozenset((*attempt.still_failing, *attempt.broken)), frozenset(attempt.errors))


def reflect(start: Standing, attempts: Sequence[Attempt]) -> Reflection:
    """About the last of a solver's attempts; `start` is where that solver began."""
    *earlier, now = attempts
    if now.findings:
        finding = now.findings[0]
        text = f"It was not run: {finding.path or 'the patch'}: {finding.reason}."
        return _advised(start, attempts, "refused", "stable", text)
    ran = [start, *(Standing.of(attempt) for attempt in earlier if not attempt.findings)]
    trend = trend_of(ran[-1], Standing.of(now))
    pattern, text = _pattern(ran, earlier, now, trend)
    return _advised(start, attempts, pattern, trend, text)


def trend_of(before: Standing, now: Standing) -> Trend:
    if now.red == before.red:
        return "stable"
    if now.red < before.red:
        return "improving"
    return "regressing" if now.red > before.red else "mixed"


def without_progress(start: Standing, attempts: Sequence[Attempt]) -> int:
    """How many attempts in a row, the last ones, left no fewer tests red than the best before them."""
    least, quiet = len(start.red), 0
    for attempt in attempts:
        n = len(Standing.of(attempt).red)
        if attempt.findings or attempt.repeats is not None or n >= least:
            quiet += 1
        else:
            least, quiet = n, 0
    return quiet


def _pattern(
    ran: list[Standing], earlier: Sequence[Attempt], now: Attempt, trend: Trend
) -> tuple[Pattern, str]:
    here, before = Standing.of(now), ran[-1]
    if now.repeats is not None:
        if len(earlier) > 1 and earlier[-2].state == now.state != earlier[-1].state:
            return "back_and_forth", f"This undoes the last attempt and is attempt {now.repeats} again."
        again = f"attempt {now.repeats}" if now.repeats else "the code as it was at first"
        return "known_state", f"This is {again} once more; its result is known and will not change."
    if trend == "stable":
        if here.errors == before.errors:
            return "same_error", f"The same error as before: {_first(here)}. The cause lies elsewhere."
        return "same_failures", f"The same tests fail, now with: {_first(here)}."
    if len(ran) > 1 and here.red == ran[-2].red:
        return (
            "back_and_forth",
            f"Again {_names(here.red)} instead of {_names(before.red)}: both must hold at the same time.",
        )
    if trend == "improving":
        return "improving", f"{_names(before.red - here.red)} passes now; still red: {_names(here.red)}."
    if trend == "regressing":
        return "regressing", f"It broke {_names(here.red - before.red)}; take that part back."
    return (
        "mixed",
        f"{_names(before.red - here.red)} passes now, but {_names(here.red - before.red)} does not any more.",
    )


def _advised(
    start: Standing, attempts: Sequence[Attempt], pattern: Pattern, trend: Trend, text: str
) -> Reflection:
    now = attempts[-1]
    quiet = without_progress(start, attempts)
    repeats = sum(attempt.repeats is not None for attempt in attempts)
    advice: Advice = "go_on"
    if now.repeats is not None and repeats >= REPEATS:
        advice, text = "move_on", f"{text} It is the second time that nothing new was proposed."
    elif quiet >= STOP_AFTER:
        advice, text = "move_on", f"{text} {quiet} attempts in a row brought no progress."
    elif now.repeats is not None or quiet == WARN_AFTER:
        advice = "warning"
        if now.repeats is None:
            text = f"{text} {quiet} attempts in a row brought no progress: try something else altogether."
    return Reflection(now.n, pattern, trend, text, advice)


def _first(standing: Standing) -> str:
    keys = sorted(key for _, key in standing.errors if key)
    return keys[0] if keys else "a run that did not finish"


def _names(tests: frozenset[str]) -> str:
    names = sorted(tests)
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
