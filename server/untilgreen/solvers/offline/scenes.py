"""The places worth editing, each with the tests that decide about it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.offline.localise import Localisation
from untilgreen.solvers.offline.queue import Scene
from untilgreen.solvers.offline.site import Site, sites
from untilgreen.solvers.offline.tree import Tree

MOST_FILES = 40
MOST_SCENES = 60
AT_IMPORT, ELSEWHERE_AT_IMPORT = 1.0, 2.0
"""Bits against what runs when modules are imported, in files that failing tests execute and in others."""
IN_TESTS, NOT_MENTIONED = 1.0, 4.0
"""Bits against names that only tests mention, and against those that nobody does."""
NOT_EXECUTED = 6.0


@dataclass(frozen=True, slots=True)
class Scenes:
    """Functions that can be exchanged while they live, and all that cannot."""

    live: tuple[Scene, ...]
    at_import: tuple[Scene, ...]
    used: dict[str, float] = field(default_factory=dict)
    """Names in the code that failing tests execute, each with the bits against the likeliest place."""
    binds: dict[str, dict[int, frozenset[str]]] = field(default_factory=dict)
    """Of each file's lines outside of functions the names that they bind."""


def find_scenes(
    place: Localisation, tree: Tree, failing: tuple[str, ...], known: Knowledge, mentioned: Collection[str]
) -> Scenes:
    live: list[Scene] = []
    at_import: list[Scene] = []
    used = dict.fromkeys(mentioned, IN_TESTS)
    binds: dict[str, dict[int, frozenset[str]]] = {}
    spectrum = place.spectrum
    files = [*spectrum.paths, *(path for path in place.imported if path not in spectrum.paths)]
    unseen = tuple(test for test in failing if test not in known.waiting and not spectrum.failing.get(test))
    for path in files[:MOST_FILES]:
        text = tree.text(path)
        for site in sites(path, text) if text is not None and tree.may_change(path) else ():
            first, last = _body(site)
            reaching = spectrum.reaching(path, first, last)
            target = tuple(test for test in failing if test in reaching)
            covering = spectrum.covering(path, first, last)
            if not site.name:
                target = target or unseen or failing
                bits = AT_IMPORT if path in spectrum.paths else ELSEWHERE_AT_IMPORT
                bits -= max(
                    (more for (where, _), more in spectrum.frames.items() if where == path), default=0.0
                )
                at_import.append(Scene(site, target, known.passing, bits))
                binds[path] = _bound(site.tree)
            elif target:
                bits = spectrum.penalty(path, first, last, len(target))
                live.append(Scene(site, target, covering, bits))
                for name in _names(site.node):
                    used[name] = min(bits, used.get(name, bits))
            elif f"{path}:{site.name}" in place.called_at_import:
                at_import.append(Scene(site, unseen or failing, known.passing, AT_IMPORT))
    live.sort(key=lambda scene: scene.penalty)
    hidden = [test for test in failing if test in place.starts_processes]
    if hidden or not (live or at_import):
        seen = {(scene.site.path, scene.site.name) for scene in (*live, *at_import)}
        at_import += _unseen_scenes(tree, tuple(hidden) or failing, known, frozenset(mentioned), seen)
    return Scenes(tuple(live[:MOST_SCENES]), tuple(at_import), used, binds)


def _unseen_scenes(
    tree: Tree,
    target: tuple[str, ...],
    known: Knowledge,
    words: frozenset[str],
    seen: set[tuple[str, str]],
) -> Iterable[Scene]:
    """What runs in processes that no trace sees: all of the project, what the tests speak of first."""
    found: list[Scene] = []
    for path in tree.sources()[:MOST_FILES]:
        named = path.rpartition("/")[2].removesuffix(".py") in words
        for site in sites(path, tree.text(path) or ""):
            if (path, site.name) not in seen:
                spoken_of = bool(words & set(site.name.split(".")))
                bits = 0.0 if spoken_of else 2.0 if named else 4.0
                found.append(Scene(site, target, known.passing, bits))
    return sorted(found, key=lambda scene: scene.penalty)[:MOST_SCENES]


def penalty(place: Localisation, scenes: Scenes, scene: Scene, edit: Edit) -> float | None:
    """Bits against one edit, told by its line; None when no failing test would see it."""
    spectrum, path, line = place.spectrum, edit.path, edit.line
    if scene.site.name:
        if (path, line) not in spectrum.scores:
            if not spectrum.reaching(path, scene.site.first_line, scene.site.last_line):
                return scene.penalty  # No test was seen in all of it: nothing is known of its lines.
            return None if place.complete else scene.penalty + NOT_EXECUTED
        return spectrum.penalty(path, line, line, len(scene.target))
    if not scene.site.tree.body:
        return scene.penalty
    names = scenes.binds.get(path, {}).get(line, frozenset())
    if not names:
        return scene.penalty
    using = min((scenes.used[name] for name in names if name in scenes.used), default=NOT_MENTIONED)
    named = spectrum.frames.get((path, line), 0.0)
    return using + (AT_IMPORT if path in spectrum.paths else ELSEWHERE_AT_IMPORT) - named


def _body(site: Site) -> tuple[int, int]:
    """The lines that run when it is called; of a file, all lines."""
    if isinstance(site.node, ast.Module):
        return site.first_line, site.last_line
    return site.node.body[0].lineno, site.last_line


def _names(node: ast.AST) -> set[str]:
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
    return found


def _bound(tree: ast.Module) -> dict[int, frozenset[str]]:
    """Names by the lines of the statements that bind them, in modules and classes."""
    found: dict[int, frozenset[str]] = {}
    for node in _outside_functions(tree.body):
        names = _names_bound(node)
        last = node.end_lineno or node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            last = max(node.lineno, node.body[0].lineno - 1)
        first = min((one.lineno for one in getattr(node, "decorator_list", ())), default=node.lineno)
        for line in range(first, last + 1):
            found[line] = found.get(line, frozenset()) | names
    return found


def _outside_functions(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in ("body", "orelse", "finalbody"):
                yield from _outside_functions(getattr(node, part, ()))


def _names_bound(node: ast.stmt) -> frozenset[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({node.name})
    if isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset((alias.asname or alias.name).split(".")[0] for alias in node.names)
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    return frozenset(
        name for target in targets for name in _names(target) if not isinstance(target, ast.Constant)
    )
