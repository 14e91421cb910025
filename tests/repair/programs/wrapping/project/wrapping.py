"""Text in columns: words are put on lines, and lines are filled, aligned and numbered."""

from __future__ import annotations

import re
from collections.abc import Iterator


def words_of(text: str) -> list[str]:
    return re.findall(r"\S+", text)


def wrap(text: str, width: int, indent: str = "", hanging: str | None = None) -> list[str]:
    """Lines that are at most `width` wide; a word that is longer is cut."""
    if width <= len(indent):
        raise ValueError("the width leaves no room for text")
    if hanging is None:
        hanging = indent
    lines: list[str] = []
    prefix, line = indent, ""
    for word in words_of(text):
        while len(prefix) + len(word) > width:
            if line:
                lines.append(prefix + line)
                prefix, line = hanging, ""
            else:
                room = width - len(prefix)
                lines.append(prefix + word[:room])
                word = word[room:]
                prefix = hanging
        if not line:
            line = word
        elif len(prefix) + len(line) + 1 + len(word) <= width:
            line += " " + word
        else:
            lines.append(prefix + line)
            prefix, line = hanging, word
    if line:
        lines.append(prefix + line)
    return lines


def justify(words: list[str], width: int) -> str:
    """The words with blanks between them so that they fill the width; the left gaps get the odd ones."""
    if len(words) == 1:
        return words[0].ljust(width)
    blanks = width - sum(len(word) for word in words)
    each, odd = divmod(blanks, len(words) - 1)
    filled = ""
    for n, word in enumerate(words[:-1]):
        filled += word + " " * each
        if n < odd:
            filled += " "
    return filled + words[-1]


def paragraphs(text: str) -> Iterator[str]:
    """Parts between blank lines, each on one line."""
    gathered: list[str] = []
    for line in text.splitlines():
        if line.strip():
            gathered.append(line.strip())
        elif gathered:
            yield " ".join(gathered)
            gathered = []
    if gathered:
        yield " ".join(gathered)


def table(rows: list[list[str]], gap: int = 2) -> list[str]:
    """Columns as wide as their widest cell; cells that are numbers stand on the right."""
    n_columns = max((len(row) for row in rows), default=0)
    widths = [0] * n_columns
    for row in rows:
        for n, cell in enumerate(row):
            widths[n] = max(widths[n], len(cell))
    lines = []
    for row in rows:
        cells = []
        for n, cell in enumerate(row):
            is_number = cell.lstrip("-").replace(".", "", 1).isdigit()
            cells.append(cell.rjust(widths[n]) if is_number else cell.ljust(widths[n]))
        lines.append((" " * gap).join(cells).rstrip())
    return lines


def numbered(lines: list[str], first: int = 1) -> list[str]:
    digits = len(str(first + len(lines) - 1))
    return [f"{n:>{digits}} {line}".rstrip() for n, line in enumerate(lines, first)]
