"""Bugs as people make them, each with its fix: `⟦wrong▸right⟧` in the source of a small file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from untilgreen.solvers.offline.facts import Facts

_MARK = re.compile(r"⟦(.*?)▸(.*?)⟧", re.DOTALL)


@dataclass(frozen=True)
class Example:
    name: str
    before: str
    after: str
    facts: Facts


def examples() -> list[Example]:
    found = []
    for path in sorted((Path(__file__).parent / "examples").glob("*.txt")):
        for piece in path.read_text(encoding="utf-8").split("=== ")[1:]:
            header, _, source = piece.partition("\n")
            name, *told = header.split(" | ")
            found.append(Example(name, _MARK.sub(r"\1", source), _MARK.sub(r"\2", source), _facts(told)))
    return found


def _facts(told: list[str]) -> Facts:
    raised: list[tuple[str, str]] = []
    strings: list[str] = []
    names: list[str] = []
    for one in told:
        word, _, rest = one.partition(" ")
        if word == "raised":
            kind, _, message = rest.partition(": ")
            raised.append((kind, message))
        elif word == "strings":
            strings += rest.split(";")
        else:
            names += rest.split(";")
    return Facts(raised=tuple(raised), test_strings=frozenset(strings), test_names=frozenset(names))
