"""What was measured, as tables of Markdown."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

from bench.measure import rows
from repair.solving import Result

HEAD = (
    *("set", "bugs", "repaired", "of these right", "wrong", "not judged", "CPU median", "CPU p90"),
    *("candidates median", "per CPU second"),
)


def summary(results: Sequence[Result]) -> list[str]:
    """One row for each set and class of bugs."""
    body = []
    for title, chosen in _sets(results):
        for family, name in (("", ""), ("changed", ", changed"), ("removed", ", removed")):
            group = [result for result in chosen if result.bug.family.startswith(family)]
            if group:
                body.append([f"{title}{name}", *_figures(group)])
    return rows(HEAD, body)


def _sets(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    own = [result for result in results if not result.bug.project.published]
    packages = [result for result in results if result.bug.project.published]
    named = [("own programs", own), ("packages", packages)]
    found = [(title, chosen) for title, chosen in named if chosen]
    return [*found, ("all", list(results))] if len(found) > 1 else found


def _figures(group: Sequence[Result]) -> list[str]:
    repaired = [result for result in group if result.repaired]
    right = [result for result in repaired if result.right]
    open_ones = [result for result in repaired if result.opinion.rightness == "not judged"]
    cpu = sorted(result.cpu for result in repaired)
    tried, spent = sum(result.candidates for result in group), sum(result.cpu for result in group)
    return [
        str(len(group)),
        share(len(repaired), len(group)),
        share(len(right), len(repaired)),
        str(len(repaired) - len(right) - len(open_ones)),
        str(len(open_ones)),
        f"{statistics.median(cpu):.1f} s" if cpu else "–",
        f"{cpu[math.ceil(0.9 * len(cpu)) - 1]:.1f} s" if cpu else "–",
        f"{statistics.median(result.candidates for result in repaired):.0f}" if repaired else "–",
        f"{tried / spent:.0f}" if spent else "–",
    ]


def by(results: Sequence[Result], title: str, key: Callable[[Result], str]) -> list[str]:
    """One row for each value of the key, the most frequent first."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    body = []
    for name, group in sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        repaired = [result for result in group if result.repaired]
        right = sum(result.right for result in repaired)
        body.append([name, str(len(group)), share(len(repaired), len(group)), share(right, len(repaired))])
    return rows([title, "bugs", "repaired", "of these right"], body)


def not_repaired(results: Sequence[Result]) -> list[str]:
    """Each one with its reason, so that nobody has to take the shares on trust."""
    body = [
        [
            _cell(result.bug.name),
            result.bug.family,
            result.verdict,
            f"{result.candidates:,}",
            _cell(_why(result)),
        ]
        for result in results
        if not result.repaired
    ]
    return rows(["not repaired", "class", "verdict", "candidates", "reason"], body) if body else []


def wrong(results: Sequence[Result]) -> list[str]:
    body = [
        [_cell(result.bug.name), _cell(result.hypothesis), _cell(result.opinion.why)]
        for result in results
        if result.repaired and result.opinion.rightness == "different"
    ]
    return rows(["green, but not what it was", "what was changed", "how it shows"], body) if body else []


def _why(result: Result) -> str:
    return f"**{result.dishonest}**" if result.dishonest else result.reason


def _cell(text: str) -> str:
    one_line = " ".join(text.split()).replace("|", "\\|")
    return one_line if len(one_line) <= 160 else one_line[:157] + "…"


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "–"
