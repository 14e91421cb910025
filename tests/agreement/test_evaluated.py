"""What is said of candidates in forks is what runs of the patched project say.

Two of five projects, chosen by UNTILGREEN_SEED; with UNTILGREEN_SOAK a slow one, too, and more of each.
"""

from __future__ import annotations

import ast
import os
import random
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from agreement.mutations import EDITS
from agreement.project import MAIL, OURS, PUBLISHED, Project
from boxes import SEED, Backend
from untilgreen_sandbox.box import Box, Change, RunRequest
from untilgreen_sandbox.evaluation import Candidate, EvaluationRequest

SOAK = bool(os.environ.get("UNTILGREEN_SOAK"))
N_BUGS, N_CANDIDATES = (8, 24) if SOAK else (1, 8)
EVERY = [*OURS, *PUBLISHED]
# One of them takes so long to import what it needs that others must do.
CHOSEN = EVERY if SOAK else random.Random(SEED).sample([one for one in EVERY if one is not MAIL], 2)


@dataclass(frozen=True, slots=True)
class Bug:
    """A project with one mistake, and versions of the function that has it; the first one is right."""

    path: str
    source: str
    candidates: tuple[Candidate, ...]

    def patched(self, candidate: Candidate) -> str:
        lines = self.source.splitlines(keepends=True)
        node = next(node for node, name in outermost(ast.parse(self.source)) if begin(node) == candidate.line)
        return "".join([*lines[: candidate.line - 1], candidate.source, *lines[node.end_lineno :]])


Function = ast.FunctionDef | ast.AsyncFunctionDef


def begin(node: Function) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def outermost(tree: ast.AST, above: str = "") -> list[tuple[Function, str]]:
    """Functions of the module and of its classes, with their qualified names."""
    found: list[tuple[Function, str]] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            found.append((node, above + node.name))
        elif isinstance(node, ast.ClassDef):
            found += outermost(node, f"{above}{node.name}.")
    return found


def text(node: Function) -> str:
    return textwrap.indent(ast.unparse(node), " " * node.col_offset) + "\n"


def edited(source: str, at: int, chance: random.Random) -> str:
    """The text of this function with one mistake, or nothing."""
    node = outermost(ast.parse(source))[at][0]
    # A docstring may be a test itself.
    inner = [one for part in node.body[ast.get_docstring(node) is not None :] for one in ast.walk(part)]
    chance.shuffle(inner)
    edit = chance.choice(list(EDITS.values()))
    return text(node) if any(edit(one) for one in inner) else ""


def bugs(project: Project, seed: int) -> list[Bug]:
    chance = random.Random(f"{seed} {project.name}")
    found: list[Bug] = []
    while len(found) < N_BUGS:
        path = chance.choice(project.code)
        original = ast.unparse(ast.parse(project.source(path))) + "\n"
        functions = outermost(ast.parse(original))
        if not functions:
            continue
        at = chance.randrange(len(functions))
        node, name = functions[at]
        mistake = edited(original, at, chance)
        if not mistake:
            continue
        lines = original.splitlines(keepends=True)
        source = "".join([*lines[: begin(node) - 1], mistake, *lines[node.end_lineno :]])
        texts = dict.fromkeys([text(node)])
        for _ in range(4 * N_CANDIDATES):
            if len(texts) < N_CANDIDATES:
                texts.update(dict.fromkeys([edited(source, at, chance) or mistake]))
        candidates = tuple(Candidate(path, name, begin(node), one) for one in texts)
        found.append(Bug(path, source, candidates))
    return found


async def red(box: Box, project: Project, path: str, source: str) -> set[str] | None:
    report = await box.run(RunRequest(project.ids, seconds=60), (Change(path, source.encode()),))
    return {case.id for case in report.red} if report.ended == "finished" else None


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("project", CHOSEN, ids=lambda project: project.name)
async def test_the_same_is_said_of_candidates(project: Project, backend: Backend, tmp_path: Path) -> None:
    async with project.box(backend, tmp_path) as box:
        n_bugs = 0
        for seed in range(SEED, SEED + 20):
            for bug in bugs(project, seed):
                n_bugs += await agrees(box, project, bug)
            if n_bugs >= N_BUGS:
                return
        raise AssertionError("no mistake is seen by a test")


async def agrees(box: Box, project: Project, bug: Bug) -> bool:
    """False when no test sees the mistake."""
    before = await box.run(RunRequest(project.ids, seconds=60), (Change(bug.path, bug.source.encode()),))
    failing = tuple(case.id for case in before.red)
    if before.ended != "finished" or not failing or not set(failing) <= set(before.planned):
        return False
    passing = tuple(case.id for case in before.cases if case.good)
    wanted = EvaluationRequest(bug.candidates, failing, passing, seconds=20)
    told = await box.evaluate(
        RunRequest((*failing, *passing)), wanted, (Change(bug.path, bug.source.encode()),)
    )
    if any(problem.split(": ")[0] in failing for problem in told.problems):
        return False
    wrong = []
    for candidate, tried in zip(bug.candidates, told.tried, strict=True):
        if tried.how in ("duplicate", "unfit", "untried"):
            continue
        found = await red(box, project, bug.path, bug.patched(candidate))
        good = found is not None and not found - {problem.split(": ")[0] for problem in told.problems}
        if good != (tried.how == "plausible"):
            wrong.append((candidate, tried, found))
    assert wrong == [], told.problems
    # The right one stands first.
    assert told.tried[0].how in ("plausible", "unfit"), told
    return told.tried[0].how == "plausible"
