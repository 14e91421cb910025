"""Two versions of a package, compared on calls that its own tests make, and on some like them."""

from __future__ import annotations

import ast
import difflib
import json
import subprocess
from pathlib import Path

from repair.bug import Project
from repair.native import bare, environment, run_suite

HERE = Path(__file__).parent
REPLAY = 60.0
FEWEST = 5
"""Calls; with fewer nothing is said."""


def functions_around(one: str, other: str) -> set[str] | None:
    """The functions whose text is not the same, by qualified name; None when there is more than that."""
    lines, others = one.splitlines(), other.splitlines()
    found: set[str] = set()
    spans, other_spans = _spans(one), _spans(other)
    for tag, a, b, c, d in difflib.SequenceMatcher(None, lines, others, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        inside = [_around(spans, n + 1) for n in range(a, b)]
        inside += [_around(other_spans, n + 1) for n in range(c, d)]
        if not all(inside) or any("<locals>" in name for name in inside):
            return None
        found |= set(inside)
    return found


def _spans(source: str) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = child.body[0].lineno
                found.append((min(child.lineno, first), child.end_lineno or 0, prefix + child.name))
                visit(child, f"{prefix}{child.name}.<locals>.")
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")
            else:
                visit(child, prefix)

    visit(ast.parse(source), "")
    return found


def _around(spans: list[tuple[int, int, str]], line: int) -> str:
    inside = [(last - first, name) for first, last, name in spans if first <= line <= last]
    return min(inside)[1] if inside else ""


def compared(
    project: Project, repaired: Path, changed: list[str], seed: int, scratch: Path
) -> tuple[bool, str]:
    """Whether it could be compared, and the first difference, if there is one."""
    wanted = []
    for path in changed:
        names = functions_around(project.files[path].decode(), (repaired / path).read_text())
        if names is None:
            return False, "it is not in a function alone"
        wanted += [[path, name] for name in sorted(names)]
    original = project.write(scratch / "original")
    recorded = scratch / "recorded.json"
    more = {"RECORD": json.dumps(wanted), "RECORDED": str(recorded)}
    run_suite(project, original, 4 * REPLAY, plugin="repair.recording", more=more)
    calls = json.loads(recorded.read_text()) if recorded.exists() else {}
    if sum(map(len, calls.values())) < FEWEST:
        return False, "its arguments cannot be kept"
    expected, found = (_replayed(project, folder, recorded, seed) for folder in (original, repaired))
    if not expected or expected[-1] == "broke down":
        return False, "the calls cannot be repeated"
    for n, line in enumerate(expected):
        other = found[n] if n < len(found) else "nothing"
        if line != other:
            return True, f"call {n}: {line[:80]} became {other[:80]}"
    return True, ""


def _replayed(project: Project, folder: Path, recorded: Path, seed: int) -> list[str]:
    roots = [str(folder / "src"), str(folder), str(HERE.parent)]
    try:
        done = subprocess.run(
            [environment(project) / "bin/python", "-W", "ignore", HERE / "replaying.py", recorded, str(seed)],
            cwd=folder,
            env=bare(PYTHONPATH=":".join(roots), PYTHONHASHSEED="0"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=REPLAY,
        )
    except subprocess.TimeoutExpired:
        return ["broke down"]
    return [*done.stdout.splitlines(), *(["broke down"] if done.returncode else [])]
