"""What happens in a job, in plain words. Pure."""

from __future__ import annotations

from untilgreen import events
from untilgreen.model import Goal, Spent, Verdict
from untilgreen_sandbox.report import Report


class Narrator:
    """Says each event in a few words, behind how far the job has come."""

    def __init__(self, most_attempts: int = 0) -> None:
        self.most_attempts = most_attempts
        """Known when the project was looked at: a repository may lower what its user allows."""
        self._tests = 0
        self._green = 0
        self._best = 0
        self._spent = Spent()

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
                self._best = self._green
                return f"{self._green} of {self._tests} green"
            case events.Rerunning(tests):
                return f"running {count(len(tests), 'test')} once more"
            case events.FlakyFound(tests):
                return f"{count(len(tests), 'test')} flaky, not counted"
            case events.Reflecting(reflection) if reflection.advice != "go_on":
                return self._far(reflection.attempt, reflection.text)
            case events.Coding(attempt):
                return self._far(attempt, "looking for a fix")
            case events.Searching(attempt, text):
                return self._far(attempt, text)
            case events.Told(_, text):
                return text.partition("\n")[0]
            case events.Refused(attempt):
                return self._far(attempt, "refused, it touches what no fix may touch")
            case events.Testing(attempt, hypothesis):
                return self._far(attempt, hypothesis or "testing")
            case events.Tested(attempt):
                self._spent += attempt.spent
                green = self._green + len(attempt.fixed) - len(attempt.broken)
                self._best = max(self._best, green)
                return self._far(attempt.n, "", green)
            case events.Verifying():
                return "verifying in a fresh sandbox"
            case _:
                return None

    def _far(self, attempt: int, doing: str, green: int | None = None) -> str:
        """`attempt 2 of 8 · 14 of 17 green · 1,240 candidates · $0.01`, and what is being done."""
        parts = [f"attempt {attempt} of {self.most_attempts}"]
        parts.append(f"{self._best if green is None else green} of {self._tests} green")
        if self._spent.candidates and "candidate" not in doing:
            parts.append(f"{self._spent.candidates:,} candidates")
        if self._spent.usd:
            parts.append(f"${self._spent.usd:.2f}")
        return " · ".join([*parts, doing] if doing else parts)


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


def summary_of(report: Report, unsaved: tuple[str, ...] = ()) -> str:
    """How a run of tests ended, and whether it saw what is not on disk."""
    said = _summary(report)
    return f"{said[:-1]}, with unsaved changes in {name_list(unsaved)}." if unsaved else said


def _summary(report: Report) -> str:
    if report.ended != "finished":
        return f"The run ended early ({report.ended}). {report.detail}".strip()
    if not report.cases:
        return "No tests were found."
    if not report.red:
        return f"All {count(len(report.cases), 'test')} green."
    return f"{len(report.red)} of {count(len(report.cases), 'test')} not green."


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ending_of(verdict: Verdict, applied: tuple[str, ...], left: str = "") -> str:
    """How a solve ended, with the files it changed and what is left to the user."""
    sentence = verdict.reason.rstrip(".")
    if applied:
        return f"{sentence}. Changed: {name_list(applied)}.{left}"
    return f"{sentence}."


def left_to_do(unsaved: tuple[str, ...], stale: tuple[str, ...] = ()) -> str:
    """What is left to the user where an editor saves or edits nothing for us; empty when nothing is."""
    save = f" Not saved yet: {name_list(unsaved)}." if unsaved else ""
    return save + (f" It is on disk: reload {name_list(stale)}." if stale else "")


def apply_title(verdict: Verdict) -> str:
    """What the button says that writes a fix."""
    n = len(verdict.findings)
    return f"Apply with {count(n, 'finding')}" if n else "Apply"


def written_by_model(verdict: Verdict) -> bool:
    """Solvers say in their names whether a model stands behind them."""
    return verdict.solver.startswith(("agent", "model"))


def asking_of(verdict: Verdict) -> str:
    """The question before a fix is written, with what needs eyes in it."""
    seen = [f"{finding.path}:{finding.line} {finding.reason}" for finding in verdict.findings]
    look = f" Look at {'; '.join(seen[:3])}{'; …' if len(seen) > 3 else ''}." if seen else ""
    if verdict.difference:
        look += f" They differ: {verdict.difference}"
    return f"{ending_of(verdict, ())}{look} Change {name_list(verdict.patch.paths)}?"


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} …"


def age(seconds: float) -> str:
    """How long ago, in the largest unit that says something."""
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"


def duration(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
