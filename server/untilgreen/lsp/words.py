"""What happens in a job, in plain words. Pure."""

from __future__ import annotations

from untilgreen import events
from untilgreen.model import Goal, Verdict
from untilgreen_sandbox.report import Report


class Narrator:
    """Says each event in a few words; remembers how many tests were green before."""

    def __init__(self) -> None:
        self._tests = 0
        self._green = 0

    def say(self, event: events.Event) -> str | None:
        """None for what nobody needs to hear."""
        match event:
            case events.Preparing(text):
                return text
            case events.BoxOpened(backend):
                return f"sandbox open ({backend})"
            case events.PlanMade(tests):
                return f"running {count(tests, 'test')}"
            case events.BaselineDone(report):
                self._tests, self._green = len(report.cases), len(report.cases) - len(report.red)
                return f"{self._green} of {self._tests} green"
            case events.Rerunning(tests):
                return f"running {count(len(tests), 'test')} once more"
            case events.FlakyFound(tests):
                return f"{count(len(tests), 'test')} flaky, not counted"
            case events.Reflecting(reflection) if reflection.advice != "go_on":
                return f"attempt {reflection.attempt} · {reflection.text}"
            case events.Coding(attempt):
                return f"attempt {attempt} · looking for a fix"
            case events.Searching(attempt, text):
                return f"attempt {attempt} · {text}"
            case events.Refused(attempt):
                return f"attempt {attempt} · refused, it touches what no fix may touch"
            case events.Testing(attempt, hypothesis):
                return f"attempt {attempt} · {hypothesis or 'testing'}"
            case events.Tested(attempt):
                green = self._green + len(attempt.fixed) - len(attempt.broken)
                return f"attempt {attempt.n} · {green} of {self._tests} green"
            case events.Verifying():
                return "verifying in a fresh sandbox"
            case _:
                return None


def title_of(kind: str, goal: Goal) -> str:
    """What a job is called while it runs."""
    names = name_list(tuple(name_of(test) for test in goal.tests))
    verb = "Solve until green" if kind == "solve" else "Run tests"
    return f"{verb}: {names}" if names else verb


def name_of(test: str) -> str:
    """The test's own name, or the path when the whole file is meant."""
    return test.partition("::")[2] or test


def name_list(names: tuple[str, ...], most: int = 3) -> str:
    """The first few, and a hint that there are more."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def summary_of(report: Report) -> str:
    """How a run of tests ended."""
    if report.ended != "finished":
        return f"The run ended early ({report.ended}). {report.detail}".strip()
    if not report.cases:
        return "No tests were found."
    if not report.red:
        return f"All {count(len(report.cases), 'test')} green."
    return f"{len(report.red)} of {count(len(report.cases), 'test')} not green."


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ending_of(verdict: Verdict, applied: tuple[str, ...]) -> str:
    """How a solve ended, with the files it changed."""
    sentence = verdict.reason.rstrip(".")
    if applied:
        return f"{sentence}. Changed: {name_list(applied)}."
    return f"{sentence}."


def apply_title(verdict: Verdict) -> str:
    """What the button says that writes a fix."""
    n = len(verdict.findings)
    return f"Apply with {count(n, 'finding')}" if n else "Apply"


def asking_of(verdict: Verdict) -> str:
    """The question before a fix is written, with what needs eyes in it."""
    seen = [f"{finding.path}:{finding.line} {finding.reason}" for finding in verdict.findings]
    look = f" Look at {'; '.join(seen[:3])}{'; …' if len(seen) > 3 else ''}." if seen else ""
    if verdict.difference:
        look += f" They differ: {verdict.difference}"
    return f"{ending_of(verdict, ())}{look} Change {name_list(verdict.patch.paths)}?"
