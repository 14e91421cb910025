"""Data for a model: cleaned, of limited size, between marks that nobody can guess. Pure but for chance."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable

from untilgreen_sandbox.text import clean

AROUND = 25
"""Lines before and after one that matters."""


def fenced(name: str, text: str, most: int, mark: Callable[[], str] = lambda: secrets.token_hex(6)) -> str:
    """What stands between is what a file or a program says, never what the user wants."""
    tag = f"data-{mark()}"
    return f'<{tag} of="{_label(name)}">\n{clipped(clean(text), most)}\n</{tag}>'


def clipped(text: str, most: int) -> str:
    """The first and the last part of what is too long, by whole lines where there are some."""
    if len(text) <= most:
        return text.rstrip("\n")
    head, tail = text[: most * 2 // 3], text[-(most // 3) :]
    head = head[: head.rfind("\n") + 1] if "\n" in head[len(head) // 2 :] else head
    tail = tail[tail.find("\n") + 1 :] if "\n" in tail[: len(tail) // 2] else tail
    left = len(text) - len(head) - len(tail)
    return f"{head.rstrip(chr(10))}\n[… {left:,} characters left out …]\n{tail.rstrip(chr(10))}"


def excerpt(text: str, numbers: Iterable[int]) -> str:
    """The lines around these, each piece with its place; without any, all of it."""
    lines = text.split("\n")
    wanted = sorted(
        {n for line in numbers for n in range(line - AROUND, line + AROUND + 1)} & set(_all(lines))
    )
    if not wanted:
        return text
    parts: list[str] = []
    for before, n in zip((0, *wanted), wanted, strict=False):
        if n != before + 1 or not parts:
            parts.append(f"[from line {n} of {len(lines)}]")
        parts.append(lines[n - 1])
    return "\n".join(parts)


def _all(lines: list[str]) -> range:
    return range(1, len(lines) + 1)


def _label(name: str) -> str:
    return clean(name).replace('"', "'").replace("\n", " ")[:200]
