"""`docs/repair.md`: what is measured, on what, and the figures of the last run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

INTRODUCTION = """\
# Repair without a model, measured

This page is written by `make bench-repair`; good and bad figures stay as they were measured.
Each bug is put into a fresh copy of a project whose tests passed, and `untilgreen solve --solver offline` \
has to find its way: it sees the project with the bug in it, and nothing else.

- *Own programs*: small programs in `tests/repair/programs`, with bugs that were put into them by hand.
- *Injected*: mistakes in the same programs that a seed chooses from many kinds; none of those by hand.
- *Packages*: releases of published packages with their own suites, with mistakes that a seed chooses from \
many kinds, on lines that their tests reach; kept are those that make a few tests fail, always the same ones.
- *Changed* code was written differently; *removed* code is not there any more.
- *Repaired*: the verdict is green, and the project's own suite passes without us, too, with its tests \
untouched.
- *Right*: the first and only patch that is shown equals the original but for layout, or it behaves like the \
original on random input that no solver sees. Where neither can be told it is *not judged*.
- *CPU* is the time of all processes, of the boxes, too, from the start of the command to its end with \
verification in a fresh box; its median is taken over the repaired ones. *Per CPU second* counts all bugs.

`make bench-repair SEED=2` takes other bugs of the packages; `ONLY=own`, `ONLY=injected` or \
`ONLY=packages` one set; `LIMIT=20` at most so many of each; `JOBS=2` two at a time. \
Each set and seed has its section.
"""


def write(page: Path, machine: Sequence[str], text: str) -> None:
    """The section takes the place of the one with its name; the others stay, each with its commit."""
    _, *kept = page.read_text().split("\n## ") if page.exists() else [""]
    sections = {one.partition("\n")[0]: one.rstrip() for one in kept}
    new = text.removeprefix("## ").rstrip()
    sections[new.partition("\n")[0]] = new
    head = "\n".join([INTRODUCTION, *(f"- {line}" for line in machine)])
    page.write_text("\n\n".join([head, *(f"## {sections[name]}" for name in sorted(sections))]) + "\n")
