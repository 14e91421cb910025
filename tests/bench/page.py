"""`docs/benchmarks.md`: a head, and a part for each section, which is replaced when the section ran again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.measure import Check, Findings

INTRODUCTION = (
    "# Benchmarks\n\n"
    "This page is written by `make bench`; good and bad figures stay as they were measured.\n"
    "All methods of a section run in one process, in turns, with a quarter of a second between them: what "
    "one leaves to be cleared away, such as a container, is not to be paid by the next.\n"
    "Where tests run, each method runs twice in a row, and only the second time counts: nor is what others "
    "left in the processor's caches to be paid.\n"
    "Before each run of tests a file is edited so that the outcomes change; the edit is part of the time, "
    "and the outcomes are checked.\n"
    "Every run has the same interpreter, the same versions of packages and a warm disk; outside of our boxes "
    "bytecode is kept from run to run.\n"
    "`make bench ONLY=tiny,sync` repeats some sections and leaves the others as they are; `ROUNDS` says how "
    "often each method runs.\n"
    "How much is repaired without a model, and how rightly, is measured apart: [repair.md](repair.md).\n"
)


class Page:
    """The page as it is, section by section."""

    def __init__(self, path: Path, order: Sequence[str]) -> None:
        self._path = path
        self._order = order

    def write(self, machine: Sequence[str], sections: Mapping[str, str], *, some: bool = False) -> None:
        """Replace these sections; others stay when they were measured on the same machine and versions.

        With `some`, they stay in any case, and a section of another machine than the page's names its own.
        """
        own = "".join(f"- {line}\n" for line in machine)
        text = self._path.read_text() if self._path.exists() else ""
        before = "".join(re.findall(r"^- .*\n", text.partition("\n## ")[0], flags=re.MULTILINE))
        kept = self._kept() if before == own or some else {}
        if kept and before != own:
            sections = {
                name: f"{part}\nNot on the machine of this page:\n\n{own}" for name, part in sections.items()
            }
            own = before
        head = f"{INTRODUCTION}\n{own}"
        kept |= sections
        # What others have written comes last.
        names = [name for name in self._order if name in kept] + [n for n in kept if n not in self._order]
        parts = [kept[name] for name in names]
        self._path.write_text("\n".join([head, *parts]))

    def _kept(self) -> dict[str, str]:
        text = self._path.read_text() if self._path.exists() else ""
        parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
        return {part.split("\n", 1)[0].removeprefix("## "): part.rstrip("\n") + "\n" for part in parts}


def section(name: str, measured: str, findings: Findings) -> str:
    lines = [f"## {name}", "", *findings.lines]
    if findings.checks:
        lines += ["", "| wanted | found | holds |", "| --- | ---: | --- |"]
        lines += [f"| {check.wanted} | {check.found} | {said(check)} |" for check in findings.checks]
    return "\n".join([*lines, "", measured, ""])


def said(check: Check) -> str:
    return "yes" if check.holds else "**no**"
