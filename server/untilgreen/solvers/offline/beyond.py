"""What no small change can mend: code that was never written. Pure."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.offline.localise import Localisation
from untilgreen.solvers.offline.site import Site, parse, sites
from untilgreen.solvers.offline.tree import Tree

ALIKE = 0.6
_UNREADABLE = ("SyntaxError", "IndentationError", "TabError")
_MISSING = (
    re.compile(r"cannot import name '(\w+)' from"),
    re.compile(r"module '[\w.]+' has no attribute '(\w+)'"),
    re.compile(r"type object '\w+' has no attribute '(\w+)'"),
    re.compile(r"'\w+' object has no attribute '(\w+)'"),
    re.compile(r"got an unexpected keyword argument '(\w+)'"),
    re.compile(r"No module named '(?:\w+\.)*(\w+)'"),
)


def beyond_search(place: Localisation, tree: Tree, failing: Iterable[str], known: Knowledge) -> str:
    """One sentence that says what has to be written; empty when a small change may help."""
    tests = [test for test in failing if test not in known.waiting]
    if not tests:
        return ""
    unreadable = newer_files(place, tree, known)
    if unreadable and set(place.spectrum.paths) == set(unreadable):
        return written_for_newer(unreadable)
    stubs = {test: stub for test in tests if (stub := _stub_of(test, place, tree, known))}
    missing = {test: name for test in tests if test not in stubs and (name := _missing(test, tree, known))}
    if len(stubs) + len(missing) < len(tests):
        return ""
    told = [f"`{site.name}` in `{site.path}` has no body yet" for site in stubs.values()]
    told += [f"nothing in the project is called `{name}`" for name in missing.values()]
    some = list(dict.fromkeys(told))
    more = f" (and {len(some) - 2} more)" if len(some) > 2 else ""
    return f"{' and '.join(some[:2])}{more}: writing it takes a model"


def newer_files(place: Localisation, tree: Tree, known: Knowledge) -> tuple[str, ...]:
    """Files that failing tests executed, and that this Python cannot read though theirs can."""
    executed = frozenset(path for lines in place.spectrum.failing.values() for path in lines)
    failures = (case.failure for case in known.cases.values() if case.failure is not None)
    # What theirs cannot read, either, is named as the place of its mistake.
    broken = {one.frames[-1].path for one in failures if one.frames and one.type in _UNREADABLE}
    return tuple(
        path
        for path in place.spectrum.paths
        if path in executed and path not in broken and parse(tree.text(path) or "") is None
    )


def written_for_newer(paths: Sequence[str]) -> str:
    """What is to be done about them, in a sentence."""
    names = " and ".join(f"`{path}`" for path in paths[:2])
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (
        f"{names} cannot be read by Python {ours}, which untilgreen runs on: install untilgreen "
        "with the project's version of Python to have it repaired, or ask a model"
    )


def is_stub(site: Site) -> bool:
    """Whether nothing is written there yet: a docstring, `pass`, `...`, `raise NotImplementedError`."""
    if isinstance(site.node, ast.Module):
        return False
    body = [node for node in site.node.body if not _says_nothing(node)]
    return not body or (len(body) == 1 and _raises_not_implemented(body[0]))


def _stub_of(test: str, place: Localisation, tree: Tree, known: Knowledge) -> Site | None:
    """A function without a body that this test calls, and that nothing else explains."""
    frames = [frame for frame in known.frames(test) if frame.path is not None and tree.may_change(frame.path)]
    for path, lines in place.spectrum.failing.get(test, {}).items():
        for site in sites(path, tree.text(path) or ""):
            if not is_stub(site) or not any(site.first_line < line <= site.last_line for line in lines):
                continue
            raised_here = bool(frames) and (
                frames[-1].path == path and site.first_line <= frames[-1].line <= site.last_line
            )
            # Hooks without a body are called by tests that pass, too.
            if raised_here or not place.spectrum.covering(path, site.first_line + 1, site.last_line):
                return site
    return None


def _missing(test: str, tree: Tree, known: Knowledge) -> str:
    """A name that the test wants and nobody has, not even a similar one."""
    case = known.cases.get(test)
    if case is None or case.failure is None:
        return ""
    frames = [frame for frame in case.failure.frames if frame.path is not None]
    if frames and tree.may_change(frames[-1].path or ""):
        # The project's own code uses it: that may be a slip.
        return ""
    for pattern in _MISSING:
        if (found := pattern.search(case.failure.message)) is not None:
            name = found[1]
            return "" if get_close_matches(name, sorted(_names(tree)), 1, ALIKE) else name
    return ""


def _names(tree: Tree) -> set[str]:
    """All that the project defines: functions, classes, parameters, attributes, variables, modules."""
    found: set[str] = set()
    for path in tree.sources():
        found |= {part.removesuffix(".py") for part in path.split("/")}
        parsed = parse(tree.text(path) or "")
        for node in ast.walk(parsed) if parsed is not None else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.id if isinstance(node, ast.Name) else node.attr)
    return found


def _says_nothing(node: ast.stmt) -> bool:
    is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_constant or isinstance(node, ast.Pass)


def _raises_not_implemented(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
