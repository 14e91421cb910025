"""Runs in the test process: what was executed for one test, for one shared fixture, or while importing.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

from typing import Any, Dict, List, Set

Event = Dict[str, Any]

PATHS_PER_EVENT = 50
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_IS_FUNCTION = 1  # CO_OPTIMIZED: neither a module nor the body of a class.


class Place:
    """One code object of the workspace."""

    __slots__ = ("code", "function", "module", "observed", "path")

    def __init__(self, code: Any, path: str, qualname: str) -> None:
        self.code = code
        self.path = path
        parts = qualname.split(".")
        while parts and parts[-1] in _COMPREHENSIONS:
            # Newer versions have no function of their own for most of them.
            parts = parts[:-2]
        own = code.co_flags & _IS_FUNCTION and parts
        self.function = "%s:%s" % (path, ".".join(parts)) if own else ""
        self.module = code.co_name == "<module>"
        self.observed = self.function if code.co_name not in _COMPREHENSIONS else ""


class Bucket:
    """What was executed for one test, for one shared fixture, or while importing."""

    def __init__(self, of: str, name: str = "") -> None:
        self.of = of
        self.name = name
        self.lines: Dict[Place, Set[int]] = {}
        self.told: Dict[Place, int] = {}
        self.test = name if of == "test" else ""
        self.incomplete: Set[str] = set()
        self.shares: List[str] = []

    def add(self, place: Place, line: int) -> None:
        found = self.lines.get(place)
        if found is None:
            found = self.lines[place] = set()
        found.add(line)

    def news(self) -> List[Event]:
        """What was not told yet; a set never shrinks, so its size says whether there is more in it."""
        lines: Dict[str, Set[int]] = {}
        functions: Dict[str, Set[str]] = {}
        for place, found in list(self.lines.items()):
            if self.told.get(place) != len(found):
                self.told[place] = len(found)
                lines.setdefault(place.path, set()).update(list(found))
                functions.setdefault(place.path, set()).add(place.function)
        paths = sorted(lines)
        head = {"ev": "traced", "of": self.of, "id": self.name}
        return [
            {
                **head,
                "lines": {path: ranges(lines[path]) for path in paths[at : at + PATHS_PER_EVENT]},
                "functions": sorted(
                    name for path in paths[at : at + PATHS_PER_EVENT] for name in functions[path] if name
                ),
            }
            for at in range(0, len(paths), PATHS_PER_EVENT)
        ]


def ranges(lines: Set[int]) -> List[List[int]]:
    """First and last of each row of lines without a gap; an empty module has only the line nought."""
    found: List[List[int]] = []
    for line in sorted(lines - {0}):
        if found and found[-1][1] + 1 == line:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found
