"""Which Python a project asks for: `.python-version`, else `requires-python`. Both are a stranger's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from untilgreen.project.reading import Read, Unreadable, read_text

FILE = ".python-version"
OLDEST = 9
"""Minor version of the oldest Python 3 that the program inside a box runs on."""
# Our pytest runs from 3.11 on, so older ones come last; what is yet to come may be asked for, too.
SENSIBLE = (*range(11, 40), 10, OLDEST)
_VERSION = re.compile(
    r"(?:c?python[-@]?)?3(?:\.(?P<minor>\d{1,2})(?:\.\d{1,2})?(?:(?:a|b|rc)\d+|t)?)?(?:[-+][\w.+-]*)?",
    re.ASCII | re.IGNORECASE,
)
SHOWN = 40


@dataclass(frozen=True, slots=True)
class Wanted:
    """Pythons that will do."""

    source: str
    """The file or setting that says so, with what it says; for people."""
    minors: tuple[int, ...]
    """Of Python 3, the best one first; never empty."""

    def accepts(self, version: tuple[int, int]) -> bool:
        return version[0] == 3 and version[1] in self.minors


def find_wanted(reads: tuple[Read, ...], requires_python: str) -> tuple[Wanted | None, tuple[str, ...]]:
    """What is asked for, and one sentence for what cannot be understood. None: any Python will do."""
    problems: list[str] = []
    for read in reads:
        try:
            text = read_text(read, FILE)
        except Unreadable as error:
            problems.append(f"{FILE} is passed over, {error}.")
            continue
        for line in _lines(text or ""):
            if line == "system":
                return None, tuple(problems)
            if minors := _minors_of_line(line):
                return Wanted(f"{FILE} ({_shown(line)})", minors), tuple(problems)
            problems.append(
                f"{FILE}: `{_shown(line)}` is passed over, only CPython 3.{OLDEST} or later can run tests."
            )
    if not requires_python:
        return None, tuple(problems)
    minors = _satisfying(requires_python)
    if minors:
        return Wanted(f"requires-python ({_shown(requires_python)})", minors), tuple(problems)
    return None, (
        *problems,
        f"requires-python: `{_shown(requires_python)}` is passed over, "
        f"no Python from 3.{OLDEST} on is known to satisfy it.",
    )


def _minors_of_line(line: str) -> tuple[int, ...]:
    if match := _VERSION.fullmatch(line):
        if match["minor"] is None:
            return SENSIBLE
        return (int(match["minor"]),) if int(match["minor"]) >= OLDEST else ()
    return _satisfying(line) if line[0] in "<>=~!" else ()


def _satisfying(text: str) -> tuple[int, ...]:
    """Minor versions of which at least one release satisfies the text."""
    try:
        specifiers = SpecifierSet(text)
    except InvalidSpecifier:
        return ()
    # Only releases that are named, and their neighbours, can differ from the first and the last one.
    patches = {0, 99}
    for specifier in specifiers:
        if named := re.match(r"3\.\d+\.(\d{1,4})", specifier.version):
            patches |= {min(99, max(0, int(named[1]) + step)) for step in (-1, 0, 1)}
    return tuple(
        minor
        for minor in SENSIBLE
        if any(specifiers.contains(f"3.{minor}.{patch}", prereleases=True) for patch in patches)
    )


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        said = line.partition("#")[0].strip()
        # Several versions may stand in one line, too.
        yield from [said] if said.startswith(tuple("<>=~!")) else said.split()


def _shown(text: str) -> str:
    return repr(text)[1:-1][:SHOWN]
