"""What a patch adds that needs eyes. Pure: trees are compared, nothing of them is executed."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from untilgreen.model import Finding, Patch, Verdict
from untilgreen.rules import REASONS, SAFETY, Choice, Rule
from untilgreen.solve.guard import TEST_FOLDERS, TEST_NAMES
from untilgreen.solve.parsing import parsed
from untilgreen.solve.scan.constant_functions import constant_functions
from untilgreen.solve.scan.data_rows import copied_rows
from untilgreen.solve.scan.equality import weaker_equality
from untilgreen.solve.scan.examples import Example, examples_in
from untilgreen.solve.scan.names import Names
from untilgreen.solve.scan.pinned import pinned_numbers
from untilgreen.solve.scan.sign import Sign
from untilgreen.solve.scan.signs import signs_in
from untilgreen.solve.scan.special_cases import special_cases
from untilgreen.solve.scan.unchanged import unchanged
from untilgreen.workspace import Snapshot

# Who did this once in a function may do it there again: another call is no new ability.
_HABITS = frozenset({"exit", "subprocess", "network", "file-writing", "file-deletion", "clock"})


@dataclass(frozen=True, slots=True)
class Changed:
    """One file of a patch, before and after; None where there is no file."""

    path: str
    old: bytes | None
    new: bytes | None


@dataclass(frozen=True, slots=True)
class _Seen:
    """A sign and the file that it was seen in."""

    path: str
    sign: Sign


def find(
    changes: Iterable[Changed], tests: Iterable[bytes], test_paths: Iterable[str] = ()
) -> tuple[Finding, ...]:
    """What these changes add, by path and line; code that only moved or was there before adds nothing."""
    tests, every = list(tests), list(changes)
    changes = [change for change in every if _is_python(change)]
    old_trees = {change.path: parsed(change.old) for change in changes if change.old is not None}
    new_trees = {change.path: parsed(change.new) for change in changes if change.new is not None}
    examples = tuple(_examples(tests))
    modules = frozenset(map(_module, test_paths))
    said = "\n".join(content.decode("utf-8", "replace") for content in tests)
    old_names, new_names = _names(old_trees), _names(new_trees)
    same = {
        path: unchanged(former, old_names[path], after, new_names[path])
        for path, after in new_trees.items()
        if after is not None and (former := old_trees.get(path)) is not None
    }
    old = _signs(old_trees, old_names, modules, {path: one for path, (one, _) in same.items()})
    new = _signs(new_trees, new_names, modules, {path: one for path, (_, one) in same.items()})
    added = _without_known_lines(_added(list(old), list(new)), changes, old_trees)
    added = [seen for seen in added if not (seen.sign.unless and re.search(seen.sign.unless, said))]
    before = [tree for tree in old_trees.values() if tree is not None]
    for path, tree in new_trees.items():
        if tree is None:
            added.append(_Seen(path, Sign("unread", "this file", 1, 1, "")))
        elif examples and not _is_test(path):
            skipped = same[path][1] if path in same else frozenset()
            signs = [
                *special_cases(tree, before, examples, skipped),
                *constant_functions(tree, before, examples, skipped),
            ]
            signs += weaker_equality(tree, before, said)
            named = {sign.where for sign in signs}
            pinned = pinned_numbers(tree, before, examples, skipped)
            signs += (sign for sign in pinned if sign.where not in named)
            copied = [_Seen(path, sign) for sign in signs]
            added += _without_known_lines(copied, changes, old_trees)
    for change in every:
        if change.new is not None and change not in changes:
            added += [_Seen(change.path, sign) for sign in copied_rows(change.new, change.old, examples)]
    found: dict[tuple[str, int, str], Finding] = {}
    for seen in sorted(added, key=lambda seen: (seen.path, seen.sign.line, seen.sign.rule)):
        path, sign = seen.path, seen.sign
        if sign.rule in SAFETY or not _is_test(path):
            reason = f"{sign.what}: {REASONS[sign.rule]}"
            found.setdefault((path, sign.line, sign.rule), Finding(path, sign.line, sign.rule, reason))
    return tuple(found.values())


class Eyes:
    """Keeps what was there before, from the moment it is known to matter: the user may edit it meanwhile."""

    def __init__(self, snapshot: Snapshot, test_ids: Iterable[str]) -> None:
        """Blocking. A cheat is made for tests that are red; what the others expect was met before."""
        self._snapshot = snapshot
        self._pristine: dict[str, bytes | None] = {}
        paths = sorted({test_id.split("::")[0] for test_id in test_ids})
        self._tests = {path: snapshot.read(path) for path in paths if snapshot.exists(path)}

    def keep(self, patch: Patch) -> None:
        """Blocking; before anything of the patch runs."""
        for path in patch.paths:
            if path not in self._pristine:
                self._pristine[path] = self._snapshot.read(path) if self._snapshot.exists(path) else None

    def before(self, path: str) -> bytes | None:
        """What was there of a file that was kept; None when there was none."""
        return self._pristine.get(path)

    def look(self, patch: Patch) -> tuple[Finding, ...]:
        """What needs eyes in a patch that was kept. Blocking."""
        changes = [Changed(path, self._pristine[path], change.content) for path, change in patch]
        return find(changes, self._tests.values(), (path for path in self._tests if _is_test(path)))


def chosen(verdict: Verdict, choices: Mapping[Rule, Choice]) -> Verdict:
    """Without what the user does not want to be told."""
    off = {rule for rule, choice in choices.items() if choice == "off"}
    kept = tuple(finding for finding in verdict.findings if finding.rule not in off)
    return dataclasses.replace(verdict, findings=kept) if kept != verdict.findings else verdict


def held_back(verdict: Verdict, choices: Mapping[Rule, Choice], *, accepted: bool) -> str:
    """Why this fix is not written, in a sentence; empty when nothing speaks against it."""
    blocked = {rule for rule, choice in choices.items() if choice == "block"}
    blocking = [finding for finding in verdict.findings if finding.rule in blocked]
    if blocking:
        first = blocking[0]
        why = f"your setting `findings` blocks {first.rule}, and {first.path}:{first.line} has it"
        return f"Nothing was written: {why} ({first.reason})."
    if verdict.findings and not accepted:
        n = len(verdict.findings)
        needs = "finding needs" if n == 1 else "findings need"
        return (
            f"Nothing was written: {n} {needs} your eyes; use --apply --accept-findings to write it anyway."
        )
    return ""


def new_findings(before: Verdict, after: Verdict) -> tuple[Finding, ...]:
    """What the user has not been told of; a line alone that moved is nothing new."""
    told = {(finding.path, finding.rule, finding.reason) for finding in before.findings}
    return tuple(
        finding for finding in after.findings if (finding.path, finding.rule, finding.reason) not in told
    )


def _added(old: list[_Seen], new: list[_Seen]) -> list[_Seen]:
    """Signs that the old trees do not account for: first in the same function, then anywhere in the patch."""
    here = Counter((seen.path, seen.sign.where, seen.sign.kind) for seen in old)
    habits = {place for place in here if place[2][0] in _HABITS}
    left: list[_Seen] = []
    for seen in new:
        place = (seen.path, seen.sign.where, seen.sign.kind)
        if here[place]:
            here[place] -= 1
        elif place not in habits:
            left.append(seen)
    # What is left of the old code went elsewhere, or is gone.
    elsewhere: Counter[tuple[str, str]] = Counter()
    for (_, _, kind), count in here.items():
        elsewhere[kind] += count
    added = []
    for seen in left:
        if elsewhere[seen.sign.kind]:
            elsewhere[seen.sign.kind] -= 1
        else:
            added.append(seen)
    return added


def _without_known_lines(
    added: list[_Seen], changes: list[Changed], old_trees: Mapping[str, ast.Module | None]
) -> list[_Seen]:
    """Where the old text was no Python, its lines have to do: those that stood there are not new."""
    kept = list(added)
    for change in changes:
        if change.old is None or change.new is None or old_trees[change.path] is not None:
            continue
        before = {line.strip() for line in change.old.splitlines()}
        lines = [line.strip() for line in change.new.splitlines()]
        kept = [
            seen
            for seen in kept
            if seen.path != change.path
            or not set(lines[seen.sign.line - 1 : max(seen.sign.end, seen.sign.line)]) <= before
        ]
    return kept


def _names(trees: Mapping[str, ast.Module | None]) -> dict[str, Names]:
    """Of all files together: one may import from another what has a harmless name there."""
    alone = {path: Names(tree) for path, tree in trees.items() if tree is not None}
    exported = {
        f"{PurePosixPath(path).stem}.{name}": meant
        for path, names in alone.items()
        for name, meant in names.exports().items()
    }
    if len(alone) < 2 or not exported:
        return alone
    return {path: Names(tree, exported) for path, tree in trees.items() if tree is not None}


def _signs(
    trees: Mapping[str, ast.Module | None],
    names: Mapping[str, Names],
    test_modules: frozenset[str],
    same: Mapping[str, frozenset[ast.AST]],
) -> Iterator[_Seen]:
    for path, tree in trees.items():
        if tree is not None:
            signs = signs_in(tree, names[path], test_modules, same.get(path, frozenset()))
            yield from (_Seen(path, sign) for sign in signs)


def _module(path: str) -> str:
    """The dotted name of a file, from the root of the workspace on."""
    return path.removesuffix(".py").replace("/", ".")


def _examples(tests: Iterable[bytes]) -> Iterable[Example]:
    for content in tests:
        if (tree := parsed(content)) is not None:
            yield from examples_in(tree)


def _is_python(change: Changed) -> bool:
    if change.path.endswith((".py", ".pyw")):
        return True
    first = (change.new or b"").split(b"\n", 1)[0]
    return first.startswith(b"#!") and b"python" in first


def _is_test(path: str) -> bool:
    parts = PurePosixPath(path).parts
    named = any(fnmatchcase(parts[-1].lower(), pattern) for pattern in TEST_NAMES)
    return named or any(part in TEST_FOLDERS for part in parts[:-1])
