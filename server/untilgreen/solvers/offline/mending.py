"""Small changes that make a file parse again. Pure."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator
from difflib import get_close_matches

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.layout import Layout
from untilgreen.solvers.offline.offsets import Offsets
from untilgreen.solvers.offline.site import Site, parse

MOST_EDITS = 200
LINES_ABOVE, LINES_BELOW = 4, 8
_COMPOUND = re.compile(
    r"\s*(async\s+)?(def|class|if|elif|else|for|while|try|except|finally|with|match|case)\b"
)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def broken_site(path: str, text: str) -> Site:
    """A file that cannot be parsed, as a place to edit."""
    nothing = ast.Module([], [])
    return Site(path, "", Layout(text, nothing, Offsets(text)), nothing)


def mendings(path: str, text: str, line: int) -> Iterator[Edit]:
    """Edits near the line that the parser stumbled over; only those with which the file can be parsed."""
    lines = text.split("\n")
    starts = [0]
    for one in lines:
        starts.append(starts[-1] + len(one) + 1)
    seen: set[str] = set()
    near = range(max(1, line - LINES_ABOVE), min(len(lines), line + LINES_BELOW) + 1)
    for number in sorted(near, key=lambda number: (abs(number - line), number)):
        for new, cost, sentence in _versions(lines, number - 1):
            start = starts[number - 1]
            end = start + len(lines[number - 1])
            whole = text[:start] + new + text[end:]
            if whole not in seen and parse(whole) is not None:
                seen.add(whole)
                more = 0.5 * abs(number - line)
                yield Edit(path, start, end, new, "syntax/mend", 1, cost + more, 0.0, sentence, number)
                if len(seen) >= MOST_EDITS:
                    return


def _versions(lines: list[str], index: int) -> Iterator[tuple[str, float, str]]:
    """Other texts for one line, with a cost and a sentence."""
    old = lines[index]
    code = old.rstrip()
    if not code.strip():
        return
    if _COMPOUND.match(code) and not code.endswith(":"):
        yield code + ":", 1.0, "end the line with a colon"
    yield from _brackets(code)
    yield from _indentation(lines, index)
    yield from _words(code)
    for quote in "'\"":
        if code.count(quote) % 2:
            yield code + quote, 2.0, "close the text"
            for at in range(len(code), 0, -1):
                if code[at - 1] in ")],:":
                    yield code[: at - 1] + quote + code[at - 1 :], 2.5, "close the text"
    for found in re.finditer(r"(?<![=!<>:])=(?!=)", code):
        yield f"{code[: found.start()]}=={code[found.end() :]}", 2.0, "compare with `==`"
    for found in re.finditer(r"(?<=[\w\])'\"}])\s+(?=[\w\[('\"{])", code):
        yield f"{code[: found.start()]},{code[found.start() :]}", 3.0, "separate with a comma"
    for at, sign in enumerate(code):
        if sign in ",.:;=+-*/%)]}([{'\"\\":
            yield code[:at] + code[at + 1 :], 3.5, f"leave out `{sign}`"
    if (comma := re.match(r"(\s*except\s+[\w.]+)\s*,\s*(\w+\s*:.*)", code)) is not None:
        yield f"{comma[1]} as {comma[2]}", 1.0, "name the exception with `as`"
    if (shown := re.match(r"(\s*)print\s+(.+)", code)) is not None:
        yield f"{shown[1]}print({shown[2]})", 1.0, "call `print`"


def _brackets(code: str) -> Iterator[tuple[str, float, str]]:
    for opening, closing in _CLOSING.items():
        # It may have been opened some lines before.
        yield code + closing, 2.2, f"close the bracket with `{closing}`"
        if code.count(opening) > code.count(closing):
            bare = code.removesuffix(":")
            yield bare + closing + (":" if bare != code else ""), 1.5, f"close the bracket with `{closing}`"
            yield code + closing, 1.6, f"close the bracket with `{closing}`"
            for at in range(len(code), 0, -1):
                if code[at - 1] in ",:)]} .+-*/=<>":
                    new = f"{code[: at - 1]}{closing}{code[at - 1 :]}"
                    yield new, 3.0, f"close the bracket with `{closing}`"
        elif code.count(closing) > code.count(opening):
            for at, sign in enumerate(code):
                if sign == closing:
                    yield code[:at] + code[at + 1 :], 2.0, f"leave out `{closing}`"
            for found in _WORD.finditer(code):
                new = f"{code[: found.end()]}{opening}{code[found.end() :]}"
                yield new, 3.0, f"open the bracket with `{opening}`"
    for wrong, right in (("]", ")"), (")", "]"), ("}", ")"), (")", "}"), ("]", "}"), ("}", "]")):
        for at, sign in enumerate(code):
            if sign == wrong:
                yield code[:at] + right + code[at + 1 :], 2.5, f"close the bracket with `{right}`"


def _indentation(lines: list[str], index: int) -> Iterator[tuple[str, float, str]]:
    code = lines[index].strip()
    own = len(lines[index]) - len(lines[index].lstrip())
    above = [line for line in lines[max(0, index - 12) : index] if line.strip()]
    depths = {len(line) - len(line.lstrip()) for line in above}
    depths |= {depth + 4 for depth in depths} | {own + 4, max(0, own - 4)}
    if above:
        depths.add(len(above[-1]) - len(above[-1].lstrip()))
    for depth in sorted(depths - {own}, key=lambda depth: abs(depth - own)):
        yield " " * depth + code, 2.0 + abs(depth - own) / 16, "indent the line as its block"
    if above and above[-1].rstrip().endswith(":"):
        inside = " " * (len(above[-1]) - len(above[-1].lstrip()) + 4)
        yield f"{inside}pass\n{lines[index]}", 4.0, "give the block a body"


def _words(code: str) -> Iterator[tuple[str, float, str]]:
    for found in _WORD.finditer(code):
        if not keyword.iskeyword(found[0]):
            for word in get_close_matches(found[0], keyword.kwlist, 2, 0.6):
                new = f"{code[: found.start()]}{word}{code[found.end() :]}"
                yield new, 1.5, f"write `{word}` instead of `{found[0]}`"
