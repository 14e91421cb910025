"""The first messages: the rules, and all that is known about the task. Blocking: files are read."""

from __future__ import annotations

import ast

from untilgreen.diff import unified_diff
from untilgreen.model import Attempt, Clues, Patch
from untilgreen.solvers.agent.drafts import Drafts
from untilgreen.solvers.agent.failures import told
from untilgreen.solvers.agent.fence import clipped, excerpt, fenced
from untilgreen.solvers.agent.map import mapped
from untilgreen.solvers.agent.refusal import Refusal
from untilgreen.solvers.agent.relevance import Relevance
from untilgreen.solvers.agent.wording import words
from untilgreen.solvers.solver import Task

MOST_TESTS = 30
MOST_TEST_FILES = 6
MOST_SUSPECTS = 8
MOST_OBSERVED = 8
MOST_NEAR_MISSES = 2
MOST_ATTEMPTS = 6
FEW_FILES = 12
_INSTRUCTIONS = ("instructions.md", "instructions.append.md", "task.md", "exercise.md")
_READ_ME = ("readme.md", "readme.rst", "readme.txt", "readme")


def rules(tools: bool | None) -> str:
    """How to work: with tools, as text, or either when nobody knows yet what the model can do."""
    parts = [words("rules")]
    if tools is not False:
        parts.append(words("tools"))
    if tools is not True:
        when = "" if tools is False else "When you have no tools, write edits as text. "
        parts.append(words("text_form").format(when=when))
    return "\n\n".join(parts)


class Opening:
    """Writes the task with as many characters as there are."""

    def __init__(self, task: Task, drafts: Drafts, clues: Clues, attempts: tuple[Attempt, ...]) -> None:
        self._task = task
        self._drafts = drafts
        self._clues = clues
        self._attempts = attempts
        self._relevance = Relevance(drafts, task.failing, task.baseline, clues)
        self._mixed = _mixed(self._relevance.tests, drafts) if not task.goal.may_change_tests else ()
        """Files that hold code and failing tests."""

    def __call__(self, room: int) -> str:
        """A quarter for the failures, a third for the program, the rest for what helps."""
        parts = [self._goal(), self._failures(room // 4), self._tests(room // 5)]
        sources, shown = self._sources(room // 3)
        parts += [self._instructions(room // 8), sources, self._clue_text(room // 10), self._attempt_text()]
        if outline := mapped(self._relevance, shown, room // 10):
            parts.append("Other files of the project:\n" + self._fenced("map", outline, room // 10))
        return "\n\n".join((*(part for part in parts if part), words("begin")))

    def _fenced(self, name: str, text: str, most: int) -> str:
        return fenced(name, self._drafts.redaction.redacted(text), most)

    def _goal(self) -> str:
        failing = self._task.failing
        names = "\n".join(failing[:MOST_TESTS])
        more = f"\n… and {len(failing) - MOST_TESTS} more" if len(failing) > MOST_TESTS else ""
        text = f"These tests fail and should pass:\n{self._fenced('tests', names + more, 6_000)}"
        if self._task.base:
            text += "\n\nThe code already holds a change that made some tests pass; build upon it."
        if self._task.goal.may_change_tests:
            text += "\n\nThe user allows that tests are changed, too, where they are wrong."
        if note := self._task.goal.note.strip():
            text += f"\n\nThe user says: {note[:4_000]}"
        return text

    def _failures(self, most: int) -> str:
        failures = told(self._task.baseline, self._task.failing)
        return "How they fail:\n" + self._fenced("test run", self._drafts.redaction.printed(failures), most)

    def _tests(self, most: int) -> str:
        """The failing tests themselves; of long files only the parts that matter."""
        paths = [path for path in self._relevance.tests if path not in self._mixed][:MOST_TEST_FILES]
        parts = []
        for path in paths:
            text = self._relevance.text(path)
            if text is not None:
                share = most // len(paths)
                if len(text) > share:
                    text = _parts_of(text, self._relevance.tree(path), path, self._task.failing)
                parts.append(self._fenced(path, text, share))
        told = "The tests" if self._task.goal.may_change_tests else "The tests, which may not be changed"
        return f"{told}:\n" + "\n".join(parts) if parts else ""

    def _sources(self, most: int) -> tuple[str, frozenset[str]]:
        """Whole files while there is room, the most telling first; of one that is too long what matters."""
        parts: list[str] = []
        shown: set[str] = set()
        room = most
        for path in (*self._mixed, *self._relevance.sources()):
            text = self._relevance.text(path)
            if text is None or not text.strip() or (len(text) > room and shown):
                continue
            if len(text) > room:
                text = excerpt(text, self._relevance.lines.get(path, set()))
            parts.append(self._fenced(path, text, max(room, 1_000)))
            shown.add(path)
            room -= len(text)
            if room < 500:
                break
        told = "Files that the tests reach, as they are now:\n" + "\n".join(parts) if parts else ""
        if self._mixed:
            told += f"\nThe tests in {', '.join(self._mixed)} may not be changed."
        return told, frozenset(shown)

    def _instructions(self, most: int) -> str:
        """What a person wrote about the task; a read-me only in a project so small that it speaks of it."""
        paths = self._drafts.paths()
        small = sum(path.endswith(".py") for path in paths) <= FEW_FILES
        wanted = (*_INSTRUCTIONS, *(_READ_ME if small else ()))
        found = sorted((path for path in paths if path.rsplit("/", 1)[-1].lower() in wanted), key=len)[:2]
        parts = [
            self._fenced(path, text, most // len(found))
            for path in found
            if (text := self._relevance.text(path))
        ]
        return "What the project says about itself:\n" + "\n".join(parts) if parts else ""

    def _clue_text(self, most: int) -> str:
        clues, lines = self._clues, []
        for suspect in clues.suspects[:MOST_SUSPECTS]:
            lines.append(
                f"{suspect.path}:{suspect.line} {suspect.function} ({suspect.score:.2f}): "
                f"{_line(self._relevance.text(suspect.path), suspect.line)}"
            )
        if lines:
            lines.insert(0, "Lines that the failing tests have in common, the most suspicious first:")
        if clues.observed:
            lines += ["Calls that were observed:", *clues.observed[:MOST_OBSERVED]]
        for patch in clues.near_misses[:MOST_NEAR_MISSES]:
            if diff := self._diff(patch):
                lines += ["A change with which some of the tests pass, but not all:", diff]
        if not lines:
            return ""
        return "A search for small changes found no fix, but this:\n" + self._fenced(
            "search", "\n".join(lines), most
        )

    def _attempt_text(self) -> str:
        lines = []
        for attempt in self._attempts[-MOST_ATTEMPTS:]:
            what = f"{len(attempt.fixed)} fixed, {len(attempt.broken)} broken"
            why = f"; {attempt.faults[0]}" if attempt.faults else ""
            lines.append(f"- {attempt.hypothesis or 'a change'} → {what}{why}")
        return (
            "Tried before, and not enough:\n" + self._fenced("attempts", "\n".join(lines), 3_000)
            if lines
            else ""
        )

    def _diff(self, patch: Patch) -> str:
        def before(path: str) -> bytes | None:
            try:
                return self._drafts.text(path).encoded(path)
            except Refusal:
                return None

        return clipped(unified_diff(before, patch), 2_000)


def _mixed(tests: tuple[str, ...], drafts: Drafts) -> tuple[str, ...]:
    there = frozenset(drafts.paths())
    return tuple(path for path in tests if path in there and drafts.may_change(path))


def _line(text: str | None, number: int) -> str:
    lines = (text or "").split("\n")
    return lines[number - 1].strip()[:200] if 0 < number <= len(lines) else ""


def _parts_of(text: str, tree: ast.Module | None, path: str, failing: tuple[str, ...]) -> str:
    """Imports and fixtures of a test file, and the tests that fail."""
    if tree is None:
        return text
    names = {
        part.partition("[")[0]
        for test in failing
        if test.startswith(f"{path}::")
        for part in test.split("::")
    }
    lines = text.split("\n")
    kept = [node for node in tree.body if _is_wanted(node, names)]
    parts = ["\n".join(lines[_first(node) - 1 : node.end_lineno]) for node in kept]
    return "\n\n".join(parts)


def _is_wanted(node: ast.stmt, names: set[str]) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name in names or not node.name.lower().startswith("test")
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign)


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min((one.lineno for one in decorators), default=node.lineno)
