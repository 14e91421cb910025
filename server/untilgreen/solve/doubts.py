"""What verification says of a fix that needs eyes: where to look, and why. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from untilgreen.model import Finding, Patch
from untilgreen.rules import REASONS
from untilgreen.solve.blind.edited import Function, edited_in, functions_of
from untilgreen.solve.parsing import parsed
from untilgreen_sandbox.report import Report

Pristine = Callable[[str], bytes | None]


def unproven_test(report: Report, test_id: str, why: str) -> Finding:
    """Of a test that shows little."""
    case = report.case(test_id)
    path, line = (case.path, case.line) if case is not None else (test_id.split("::")[0], 0)
    return Finding(path, line, "unproven", f"{test_id} {why}: {REASONS['unproven']}")


def unproven_change(patch: Patch, pristine: Pristine, why: str, about: str = "") -> Finding:
    """Of a change that may be the reason for what was seen; best in a function that these words speak of."""
    places = [(not name or name not in about, path, line) for name, path, line in _places(patch, pristine)]
    _, path, line = min(places, default=(True, patch.paths[0] if patch else "", 1))
    return Finding(path, line, "unproven", f"{why}: {REASONS['unproven']}")


def not_all_run(report: Report, n: int) -> Finding:
    said = f"{len(report.cases)} of {n} tests in the time that verification may take"
    return Finding("", 0, "not-all-run", f"{said}: {REASONS['not-all-run']}")


def edited_names(patch: Patch, pristine: Pristine) -> tuple[str, ...]:
    """Functions that are new or different, by their qualified names."""
    return tuple(
        name
        for path, change in patch
        if path.endswith(".py") and (found := edited_in(pristine(path), change.content)) is not None
        for name in found.functions
    )


def changed_checks(patch: Patch, pristine: Pristine) -> tuple[Finding, ...]:
    """A function that compares what it is given with something else that it is given, and fails if they
    differ, is a helper of tests wherever it stands; a fix has no reason to change what it demands."""
    found = []
    for path, change in patch:
        old, new = parsed(pristine(path)), parsed(change.content)
        if not path.endswith(".py") or old is None:
            continue
        now = dict(functions_of(new)) if new is not None else {}
        for name, function in functions_of(old):
            gone = _checks(function) - (_checks(now[name]) if name in now else frozenset())
            if gone:
                why = f"{name} checked something for its caller and does not check the same any more"
                line = now[name].lineno if name in now else 1
                found.append(Finding(path, line, "unproven", f"{why}: {REASONS['unproven']}"))
    return tuple(found)


def _checks(function: Function) -> frozenset[str]:
    given = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
    return frozenset(
        ast.dump(node.test)
        for node in ast.walk(function)
        if (isinstance(node, ast.Assert) or (isinstance(node, ast.If) and _fails(node.body)))
        and any(_compares(inner, given) for inner in ast.walk(node.test))
    )


def _fails(body: list[ast.stmt]) -> bool:
    said = ast.unparse(body[-1])
    return said.startswith("raise AssertionError") or ".fail(" in said


def _compares(node: ast.AST, given: set[str]) -> bool:
    match node:
        case ast.Compare(left=ast.Name(id=one), comparators=[ast.Name(id=other)]):
            return {one, other} <= given and one != other
    return False


def _places(patch: Patch, pristine: Pristine) -> Iterator[tuple[str, str, int]]:
    """Where each file is another one: its edited functions, with their names, else its first new line."""
    for path, change in patch:
        if change.content is None:
            continue
        old = pristine(path)
        edited = edited_in(old, change.content) if path.endswith(".py") else None
        if edited is not None and edited.functions and (tree := parsed(change.content)) is not None:
            for name, function in functions_of(tree):
                if name in edited.functions:
                    yield name.rpartition(".")[2], path, function.lineno
        else:
            yield "", path, _first_other(old or b"", change.content)


def _first_other(old: bytes, new: bytes) -> int:
    before, after = old.splitlines(), new.splitlines()
    pairs = enumerate(zip(before, after, strict=False), start=1)
    return next((n for n, (one, other) in pairs if one != other), min(len(before), len(after)) + 1)
