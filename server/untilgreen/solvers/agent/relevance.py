"""Which files matter for the failing tests, the most telling first. Blocking: files are read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from untilgreen.model import Clues
from untilgreen.solvers.agent.drafts import Drafts
from untilgreen.solvers.agent.refusal import Refusal
from untilgreen.solvers.offline.site import parse
from untilgreen_sandbox.report import Report

MOST_FILES = 1500
_WORD = re.compile(r"\b[A-Za-z_]\w{2,}\b")


class Relevance:
    """Reads and parses each file once."""

    def __init__(self, drafts: Drafts, failing: Iterable[str], report: Report, clues: Clues) -> None:
        self._drafts = drafts
        self._trees: dict[str, ast.Module | None] = {}
        self.tests = tuple(dict.fromkeys(test.split("::")[0] for test in failing))
        """Files of the failing tests."""
        self._paths = frozenset(drafts.paths())
        self._python = [path for path in drafts.paths() if path.endswith(".py")][:MOST_FILES]
        self._modules = _modules(self._python)
        self._scores: dict[str, float] = {}
        self.lines: dict[str, set[int]] = {}
        """Lines that a traceback or a search points to."""
        self._from_failures(report, frozenset(failing))
        for n, suspect in enumerate(clues.suspects):
            self._add(suspect.path, max(10.0, 60.0 - 3 * n), suspect.line)
        self._from_imports()

    def sources(self) -> tuple[str, ...]:
        """Files that are not tests and seem to matter, the most telling first."""
        found = [path for path, score in self._scores.items() if score > 0 and path not in self.tests]
        return tuple(sorted(found, key=lambda path: (-self._scores[path], path)))

    def others(self) -> tuple[str, ...]:
        """The rest of the Python files: those that define what the tests name come first."""
        named = set(_WORD.findall(" ".join(self.text(path) or "" for path in self.tests)))
        rest = [path for path in self._python if not self._scores.get(path) and path not in self.tests]
        return tuple(sorted(rest, key=lambda path: (-len(named & set(self.defined(path))), path)))

    def text(self, path: str) -> str | None:
        try:
            return self._drafts.shown(path)
        except Refusal:
            return None

    def tree(self, path: str) -> ast.Module | None:
        if path not in self._trees:
            self._trees[path] = parse(self.text(path) or "")
        return self._trees[path]

    def defined(self, path: str) -> list[str]:
        tree = self.tree(path)
        return [node.name for node in tree.body if isinstance(node, _DEFINING)] if tree is not None else []

    def _from_failures(self, report: Report, failing: frozenset[str]) -> None:
        for case in report.red:
            frames = case.failure.frames if case.failure is not None and case.id in failing else ()
            for n, frame in enumerate(reversed([one for one in frames if one.path is not None])):
                self._add(frame.path or "", max(20.0, 80.0 - 10 * n), frame.line)

    def _from_imports(self) -> None:
        """What tests import matters, and what that imports matters a little."""
        first = {path for test in self.tests for path in self._imported(test)}
        for path in sorted(first):
            self._add(path, 50.0)
        for path in sorted({one for near in first for one in self._imported(near)} - first):
            self._add(path, 8.0)

    def _imported(self, path: str) -> set[str]:
        tree = self.tree(path)
        found: set[str] = set()
        for node in ast.walk(tree) if tree is not None else ():
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = _absolute(path, node)
                names = [base, *(f"{base}.{alias.name}".strip(".") for alias in node.names)]
            for name in names:
                found |= self._modules.get(name, frozenset())
        return found - {path}

    def _add(self, path: str, score: float, line: int = 0) -> None:
        if path in self._paths:
            self.lines.setdefault(path, set()).update({line} - {0})
            self._scores[path] = max(self._scores.get(path, 0.0), score)


_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _modules(paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """By every dotted name under which a file could be imported, from whatever folder."""
    found: dict[str, set[str]] = {}
    for path in paths:
        parts = path.removesuffix(".py").split("/")
        if parts[-1] == "__init__":
            parts.pop()
        for n in range(min(len(parts), 6)):
            found.setdefault(".".join(parts[n:]), set()).add(path)
    return {name: frozenset(files) for name, files in found.items()}


def _absolute(path: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    folder = path.split("/")[: -node.level]
    return ".".join((*folder, *([node.module] if node.module else [])))
