"""What stands above tests and stubs, and what a pointer on a failing test tells. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp

from untilgreen.lsp import ext
from untilgreen.lsp.actions import Stub
from untilgreen.lsp.diagnostics import reason_of
from untilgreen.lsp.places import Place
from untilgreen.lsp.results import Result
from untilgreen.lsp.words import age, count, cut, duration, name_of
from untilgreen.model import Attempt, Verdict

_LONGEST_VALUE = 2000
_MOST_CASES = 5
_MOST_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of one test."""

    uri: str
    """Of its file, or of the folder around it in which it was run last."""
    test: str
    """Its name there."""
    results: Sequence[Result]


def lenses_of_tests(
    places: Iterable[Place], told_of: Callable[[str], Told], now: float
) -> list[lsp.CodeLens]:
    """Run, with what the last run said; Solve, unless there is nothing to solve."""
    found: list[lsp.CodeLens] = []
    for place in places:
        told = told_of(place.name)
        said = f" ({_told(told.results, now)})" if told.results else ""
        arguments: dict[str, object] = {"uri": told.uri, "tests": [told.test]}
        found.append(_lens(place, f"Run{said}", ext.TEST, arguments))
        if not told.results or any(not result.case.good for result in told.results):
            found.append(_lens(place, "Solve until green", ext.SOLVE, arguments))
    return found


def lenses_of_stubs(
    stubs: Iterable[Stub], results_of: Callable[[Stub], Sequence[Result]], now: float
) -> list[lsp.CodeLens]:
    """Run the tests that reach it, with what the last run said of them; Solve, until they pass."""
    found: list[lsp.CodeLens] = []
    for stub in stubs:
        tests: dict[str, object] = {"uri": stub.uri, "tests": list(stub.tests)}
        many, results = count(len(stub.tests), "test"), results_of(stub)
        said = f" ({_told(results, now)})" if results else ""
        found.append(_lens(stub.place, f"Run {many}{said}", ext.TEST, tests))
        found.append(_lens(stub.place, f"Solve until green ({many})", ext.SOLVE, tests))
    return found


def lenses_of_fix(
    path: str, places: Iterable[Place], verdict: Verdict, pristine: Mapping[str, bytes | None], job: str
) -> list[lsp.CodeLens]:
    """A verified fix that waits: above the tests that it mends, and above what it changes."""
    functions = {test_id.partition("[")[0] for test_id in verdict.fixed}
    lines = [place.line for place in places if f"{path}::{place.name}" in functions]
    if path in verdict.patch.files:
        lines.append(_first_change(pristine.get(path), verdict.patch.files[path].content))
    title = "Apply verified fix"
    if verdict.findings:
        title += f" with {count(len(verdict.findings), 'finding')}"
    return [_at(line, title, ext.APPLY, {"job": job}) for line in lines]


def hover_text(
    results: Sequence[Result],
    attempts: Callable[[str], Sequence[Attempt]],
    now: float,
    *,
    markdown: bool = True,
) -> str:
    """Failing cases with expected, actual, and what the last solve tried. Empty when all is well."""
    red = [result for result in results if not result.case.good]
    style = _Markdown() if markdown else _Plain()
    parts = [_case(result, attempts(result.case.id), now, style) for result in red[:_MOST_CASES]]
    if len(red) > _MOST_CASES:
        parts.append(f"… and {count(len(red) - _MOST_CASES, 'more case')}")
    return "\n\n".join(parts)


class _Plain:
    """For editors that show a text as it is."""

    def name(self, text: str) -> str:
        return text

    def words(self, text: str) -> str:
        return text.replace("\n", " ")

    def block(self, text: str) -> str:
        return cut(text, _LONGEST_VALUE)


class _Markdown(_Plain):
    def name(self, text: str) -> str:
        return f"**{self.words(text)}**"

    def words(self, text: str) -> str:
        """Words of the workspace are not markdown of ours: no link and no image may come from them."""
        return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#+!|~" else char for char in super().words(text))

    def block(self, text: str) -> str:
        """As it is, whatever it holds: the fence is longer than any inside."""
        fence = "```"
        while fence in text:
            fence += "`"
        return f"{fence}text\n{super().block(text)}\n{fence}"


def _case(result: Result, attempts: Sequence[Attempt], now: float, style: _Plain) -> str:
    case = result.case
    when = f"{age(now - result.at)} ago, {duration(case.seconds)}"
    lines = [f"{style.name(name_of(case.id))} {case.outcome} {when}", style.block(reason_of(case))]
    failure = case.failure
    if failure is not None and failure.expected is not None and failure.actual is not None:
        lines.append(style.block(f"expected: {failure.expected}\nactual:   {failure.actual}"))
    if case.environment:
        lines.append(f"Not the code's fault. {style.words(case.environment)}")
    if result.unsaved:
        lines.append(f"It ran with unsaved changes in {style.words(', '.join(result.unsaved))}.")
    if attempts:
        tried = attempts[-_MOST_ATTEMPTS:]
        lines.append("\n".join(f"- {_attempt(attempt, case.id, style)}" for attempt in tried))
    return "\n\n".join(lines)


def _attempt(attempt: Attempt, test_id: str, style: _Plain) -> str:
    how = "made it pass" if test_id in attempt.fixed else "did not help"
    said = f": {style.words(cut(attempt.hypothesis, 200))}" if attempt.hypothesis else ""
    return f"attempt {attempt.n} {how}{said}"


def _told(results: Sequence[Result], now: float) -> str:
    red = [result for result in results if not result.case.good]
    newest = max(result.at for result in results)
    took = duration(sum(result.case.seconds for result in results))
    said: str = results[0].case.outcome
    if len(results) > 1:
        said = f"{len(red)} of {len(results)} failed" if red else f"{len(results)} passed"
    return f"{said} {age(now - newest)} ago, {took}"


def _first_change(before: bytes | None, after: bytes | None) -> int:
    """The 1-based line of the old text at which the two begin to differ."""
    old, new = (before or b"").splitlines(), (after or b"").splitlines()
    same = 0
    while same < min(len(old), len(new)) and old[same].rstrip() == new[same].rstrip():
        same += 1
    return max(1, min(same + 1, len(old)))


def _lens(place: Place, title: str, command: str, arguments: dict[str, object]) -> lsp.CodeLens:
    return _at(place.line, title, command, arguments)


def _at(line: int, title: str, command: str, arguments: dict[str, object]) -> lsp.CodeLens:
    at = lsp.Position(line=line - 1, character=0)
    return lsp.CodeLens(range=lsp.Range(at, at), command=lsp.Command(title, command, arguments=[arguments]))
