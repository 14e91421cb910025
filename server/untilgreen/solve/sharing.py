"""The plan in two parts for two boxes at once, so that neither waits long for the other. Pure.

Whatever is guessed here decides only how long a turn takes: tests are shared once they say the same so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath

EACH_SECONDS, COLLECTING_SECONDS = 0.0003, 0.00015
"""What pytest itself does for each test takes so long, however quick the test is; and to collect it, which a
process that waits has done before, unless the test's file imports what is changed."""
MOST_OF_ALL = 0.75
"""When one part takes so much of the time, nothing is won."""

Shares = tuple[tuple[str, ...], ...]


def shares(plan: Iterable[str], seconds: Mapping[str, float], late: Collection[str] = ()) -> Shares:
    """Two parts that take about as long; tests of one file stay together and in order.

    `late` are files that import what is changed. They come last: a process waits before the first of them,
    and what comes after that is collected anew in each run. Empty when one file takes most of the time.
    """
    files: dict[str, list[str]] = {}
    for test_id in plan:
        files.setdefault(test_id.split("::")[0], []).append(test_id)
    costs = {
        file: sum(seconds.get(test_id, 0.0) + EACH_SECONDS for test_id in ids)
        + (COLLECTING_SECONDS * len(ids) if file in late else 0.0)
        for file, ids in files.items()
    }
    parts: tuple[list[str], list[str]] = ([], [])
    loads = [0.0, 0.0]
    for file in sorted(files, key=lambda file: -costs[file]):
        lighter = loads.index(min(loads))
        parts[lighter].append(file)
        loads[lighter] += costs[file]
    if max(loads) >= MOST_OF_ALL * sum(loads):
        return ()
    order = sorted(files, key=lambda file: file in late)
    return tuple(
        tuple(test_id for file in order if file in part for test_id in files[file]) for part in parts
    )


def importing(texts: Mapping[str, str], paths: Iterable[str]) -> frozenset[str]:
    """Files with an import that names a module at one of these paths, as far as a glance tells."""
    places = (PurePosixPath(path) for path in paths)
    names = {place.parent.name if place.name == "__init__.py" else place.stem for place in places}
    if not names:
        return frozenset()
    # Of a list in parentheses only the first line is looked at, which names the module.
    words = "|".join(map(re.escape, sorted(names)))
    named = re.compile(rf"^[ \t]*(?:from|import)\b[^#\n]*\b(?:{words})\b", re.MULTILINE)
    return frozenset(path for path, text in texts.items() if named.search(text))
