"""The prompts: files beside the code, so that they can be read and changed by themselves."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def words(name: str) -> str:
    """The text of one prompt."""
    file = resources.files("untilgreen.solvers.agent") / "prompts" / f"{name}.md"
    return file.read_text(encoding="utf-8").strip()
