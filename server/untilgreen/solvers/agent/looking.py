"""What a model sees of the workspace when it asks: names, lines, places. Blocking: files are read."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from fnmatch import fnmatchcase

from untilgreen.solvers.agent.drafts import Drafts
from untilgreen.solvers.agent.paths import inside
from untilgreen.solvers.agent.refusal import Refusal
from untilgreen.solvers.agent.requests import ListFiles, ReadFile, Search

MOST_NAMES = 200
MOST_FOUND = 60
MOST_CHARACTERS = 16_000
SEARCHED_BYTES = 20 << 20
LONGEST_LINE = 400
_ESCAPES = re.compile(r"\\.|\[(?:\\.|[^\]])*\]")


@dataclass(frozen=True, slots=True)
class Seen:
    """An answer: a sentence about it, and the data itself."""

    text: str
    data: str = ""
    of: str = ""
    """What the data is."""


def look(request: ListFiles | ReadFile | Search, drafts: Drafts) -> Seen:
    match request:
        case ListFiles(glob):
            return _listed(glob, drafts)
        case ReadFile(path, start, end):
            return _read(inside(path), start, end, drafts)
        case Search(pattern, glob):
            return _searched(pattern, glob, drafts)


def matches(path: str, glob: str) -> bool:
    """A glob without a slash means a name at any depth; `*` also crosses slashes."""
    plain = glob.strip().removeprefix("./").strip("/")
    anywhere = plain.removeprefix("**/")
    if plain in ("", ".", "*", "**"):
        return True
    if path.startswith(f"{plain}/"):
        return True
    names = (path, path.rsplit("/", 1)[-1]) if "/" not in anywhere else (path,)
    globs = {plain, anywhere, plain.replace("/**/", "/")}
    return any(fnmatchcase(name, one) for name in names for one in globs)


def _listed(glob: str, drafts: Drafts) -> Seen:
    names = [path for path in drafts.paths() if matches(path, glob)]
    if not names:
        return Seen(f"No file matches {glob[:100]!r}.")
    more = f" The first {MOST_NAMES} are shown; ask with a narrower glob." if len(names) > MOST_NAMES else ""
    count = "One file." if len(names) == 1 else f"{len(names)} files."
    return Seen(f"{count}{more}", "\n".join(names[:MOST_NAMES]), "list_files")


def _read(path: str, start: int, end: int | None, drafts: Drafts) -> Seen:
    lines = drafts.shown(path).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if not lines:
        return Seen(f"{path} is empty.")
    if start > len(lines):
        raise Refusal(f"{path} has only {len(lines)} lines.")
    last = min(end or len(lines), len(lines))
    shown: list[str] = []
    room = MOST_CHARACTERS
    for line in lines[start - 1 : max(last, start)]:
        room -= len(line) + 1
        if room < 0 and shown:
            break
        shown.append(line)
    until = start + len(shown) - 1
    more = f" Ask with start={until + 1} for more." if until < last else ""
    return Seen(f"Lines {start} to {until} of {len(lines)}.{more}", "\n".join(shown), path)


def _searched(pattern: str, glob: str, drafts: Drafts) -> Seen:
    expression, told = _expression(pattern)
    found: list[str] = []
    room = SEARCHED_BYTES
    for path in drafts.paths():
        if glob and not matches(path, glob):
            continue
        try:
            text = drafts.shown(path)
        except Refusal:
            continue
        room -= len(text)
        if room < 0:
            told += " Not all files were looked at; use a glob."
            break
        for n, line in enumerate(text.split("\n"), 1):
            if expression.search(line[:LONGEST_LINE]):
                found.append(f"{path}:{n}: {line.strip()[:200]}")
        if len(found) > MOST_FOUND:
            break
    if not found:
        return Seen(f"Nothing was found.{told}")
    more = f" Only the first {MOST_FOUND} are shown." if len(found) > MOST_FOUND else ""
    return Seen(f"{min(len(found), MOST_FOUND)} lines.{more}{told}", "\n".join(found[:MOST_FOUND]), "search")


def _expression(pattern: str) -> tuple[re.Pattern[str], str]:
    """What may take for ever, or is no expression, is searched for as plain text."""
    literal = re.compile(re.escape(pattern[:LONGEST_LINE]))
    simple = _ESCAPES.sub("x", pattern)
    # A repeated group, or many repetitions after each other, can take more steps than there are atoms.
    if len(pattern) > LONGEST_LINE or re.search(r"\)[*+{?]", simple) or len(re.findall(r"[*+{]", simple)) > 3:
        return literal, " The pattern was taken as plain text."
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern), ""
    except (re.error, RecursionError, OverflowError):
        return literal, " The pattern was taken as plain text."
