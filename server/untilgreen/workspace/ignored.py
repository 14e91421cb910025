"""What git would ignore: the rules of one .gitignore file, and those of all files above a folder.

This follows git's own matching to the letter, quirks included, and is compared with `git check-ignore`.
A repository that nobody has to trust writes these rules: no pattern takes more than a moment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from untilgreen.workspace.globs import NeverMatches, expression

IGNORE_FILE = ".gitignore"
MAX_BYTES = 1 << 20
_SPECIAL = re.compile(r"[*?\[\\]")
_PLAIN_SUFFIX = re.compile(r"\*(\.[^.*?\[\\]+)")


@dataclass(frozen=True, slots=True)
class _Rule:
    order: int
    ignores: bool
    folders_only: bool
    glob: re.Pattern[str] | None = None


class IgnoreRules:
    """The rules of one file, sorted by what they look at so that most names cost two lookups."""

    def __init__(self, content: bytes) -> None:
        self._names: dict[str, list[_Rule]] = {}
        self._suffixes: dict[str, list[_Rule]] = {}
        self._paths: dict[str, list[_Rule]] = {}
        self._name_globs: list[_Rule] = []
        self._path_globs: list[_Rule] = []
        for order, line in enumerate(_lines(content)):
            self._add(order, line)

    def verdict(self, path: str, name: str, *, is_folder: bool) -> bool | None:
        """Whether the last rule that speaks of this path, relative to the rules' folder, ignores it."""
        found = self._names.get(name)
        rules = list(found) if found else []
        if self._suffixes and (dot := name.rfind(".")) >= 0:
            rules += self._suffixes.get(name[dot:], ())
        if self._paths:
            rules += self._paths.get(path, ())
        # A rule for folders has nothing to say about a file: git goes on to the rule before it.
        rules += [rule for rule in self._name_globs if rule.glob and rule.glob.fullmatch(name)]
        rules += [rule for rule in self._path_globs if rule.glob and rule.glob.fullmatch(path)]
        last = max(
            (rule for rule in rules if is_folder or not rule.folders_only),
            key=lambda rule: rule.order,
            default=None,
        )
        return None if last is None else last.ignores

    def _add(self, order: int, line: str) -> None:
        ignores = not line.startswith("!")
        pattern = line if ignores else line[1:]
        folders_only = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        anchored = "/" in pattern
        pattern = pattern.removeprefix("/")
        if not pattern:
            return
        if not _SPECIAL.search(pattern):
            table = self._paths if anchored else self._names
            table.setdefault(pattern, []).append(_Rule(order, ignores, folders_only))
        elif not anchored and (suffix := _PLAIN_SUFFIX.fullmatch(pattern)):
            self._suffixes.setdefault(suffix[1], []).append(_Rule(order, ignores, folders_only))
        else:
            try:
                glob = re.compile(expression(pattern, anchored=anchored))
            except NeverMatches:
                return
            globs = self._path_globs if anchored else self._name_globs
            globs.append(_Rule(order, ignores, folders_only, glob))


@dataclass(frozen=True, slots=True)
class Ignored:
    """All rules that hold in one folder; the nearest file that says something decides."""

    rules: tuple[tuple[str, IgnoreRules], ...] = ()
    """Folder of each file with a slash at its end, or empty for the root; the nearest comes last."""

    def below(self, folder: str, rules: IgnoreRules) -> Ignored:
        return Ignored((*self.rules, (f"{folder}/" if folder else "", rules)))

    def __call__(self, path: str, name: str, *, is_folder: bool) -> bool:
        """Whether an entry of a folder that is not ignored itself is."""
        for folder, rules in reversed(self.rules):
            verdict = rules.verdict(_as_git(path.removeprefix(folder)), _as_git(name), is_folder=is_folder)
            if verdict is not None:
                return verdict
        return False


def _as_git(path: str) -> str:
    """One character per byte: to git, `?` is a byte."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def _lines(content: bytes) -> Iterator[str]:
    for line in content.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"):
        if not line.startswith("#") and (trimmed := _without_spaces(line.removesuffix("\r"))):
            yield trimmed


def _without_spaces(line: str) -> str:
    """Spaces at the end do not count unless the first of them has a backslash."""
    bare = line.rstrip(" ")
    n_backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if bare != line and n_backslashes % 2 else bare
