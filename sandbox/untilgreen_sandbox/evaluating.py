"""What an evaluation is told, and what its process claims, read into an Evaluation."""

from __future__ import annotations

import json
import math
from typing import Any, get_args

from untilgreen_sandbox.evaluation import Evaluation, EvaluationRequest, How, Tried
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.text import clean

EVENTS = frozenset({"tried", "evaluated"})
HOW: frozenset[str] = frozenset(get_args(How))
MAX_TEXT = 300
MAX_DIFFERING = 4000
MAX_PROBLEMS = 500
MAX_TOLD = 48 << 20
"""Bytes of sources; what comes after them is not sent."""
UNTRIED = Tried("untried")


def told_candidates(wanted: EvaluationRequest) -> bytes:
    """As the test process reads it: places once, then `[place, source]` for each candidate."""
    places: dict[tuple[str, str, int], int] = {}
    versions: list[tuple[int, str]] = []
    size = 0
    for candidate in wanted.candidates:
        size += len(candidate.source)
        if size > MAX_TOLD:
            break
        place = (candidate.path, candidate.function, candidate.line)
        versions.append((places.setdefault(place, len(places)), candidate.source))
    told = {
        "places": list(places),
        "versions": versions,
        "failing": wanted.failing,
        "passing": wanted.passing,
        "seconds": wanted.seconds,
        "test_seconds": wanted.test_seconds,
        "slowest_seconds": wanted.slowest_seconds,
        "compare": wanted.compare,
    }
    return json.dumps(told).encode()


class EvaluationReading:
    """Collects the events of one run; raises ValueError, TypeError or LookupError on what is none."""

    def __init__(self, wanted: EvaluationRequest) -> None:
        self._ids = (*wanted.failing, *wanted.passing)
        self._n_failing = len(wanted.failing)
        self._tried: list[Tried] = [UNTRIED] * len(wanted.candidates)
        self._cpu_seconds = 0.0
        self._differing = ""
        self._problems: tuple[str, ...] = ()
        self._whole = False

    def take(self, event: dict[str, Any]) -> None:
        if event["ev"] == "tried":
            for n, *told in event["results"]:
                # What is said last counts: whoever runs candidates speaks after they did.
                self._tried[_index(n, len(self._tried))] = self._read(*told)
            return
        seconds = float(event["cpu"])
        if not math.isfinite(seconds) or seconds < 0:
            raise ValueError("not a duration")
        if not isinstance(event["problems"], list):
            raise TypeError("not a list")
        self._cpu_seconds = seconds
        self._differing = _text(event["differing"], MAX_DIFFERING)
        self._problems = tuple(_text(problem) for problem in event["problems"][:MAX_PROBLEMS])
        self._whole = True

    def evaluation(self, report: Report) -> Evaluation:
        """What is known when the run has ended, in whichever way."""
        problems = self._problems
        if not self._whole or report.ended != "finished":
            problems = (*problems, f"the run ended early ({report.ended}): {report.detail}")
        return Evaluation(tuple(self._tried), self._cpu_seconds, self._differing, problems)

    def _read(
        self, how: object, passed: object, killer: object, detail: object, answers: object, stumbles: object
    ) -> Tried:
        if how not in HOW:
            raise ValueError("no such end")
        return Tried(
            how=how,  # type: ignore[arg-type]
            passed=_index(passed, self._n_failing + 1),
            killer="" if killer is None else self._ids[_index(killer, len(self._ids))],
            detail=_text(detail),
            answers=_text(answers),
            stumbles=_index(stumbles, 101),
        )


def _index(value: object, end: int) -> int:
    if type(value) is not int or not 0 <= value < end:
        raise ValueError("not a number of these")
    return value


def _text(value: object, most: int = MAX_TEXT) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return clean(value[:most])
