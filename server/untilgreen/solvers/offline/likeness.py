"""Which names and strings are easily mistaken for each other."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher


def nearest(word: str, others: Iterable[str], count: int = 5, least: float = 0.6) -> list[tuple[str, float]]:
    """The most alike first, each with how alike it is: 1 is the same."""
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(word)
    found = []
    for other in others:
        if other == word or abs(len(other) - len(word)) > max(3, len(word)):
            continue
        matcher.set_seq1(other)
        if matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least:
            ratio = matcher.ratio()
            if ratio >= least:
                found.append((other, ratio))
    found.sort(key=lambda one: (-one[1], one[0]))
    return found[:count]


def words(text: str) -> list[str]:
    """For tables of names."""
    return text.split()
