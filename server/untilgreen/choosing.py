"""What of a verdict the user wants: all of it, some of its files, or a rival. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from untilgreen.errors import UsageError
from untilgreen.model import Patch, Verdict


@dataclass(frozen=True, slots=True)
class Choice:
    """All of the fix, unless it says otherwise."""

    rival: int | None = None
    """The number of a rival, from 1."""
    files: tuple[str, ...] = ()
    """Only these; empty means all."""


WHOLE = Choice()


def chosen_patch(verdict: Verdict, choice: Choice) -> Patch:
    """What to write; UsageError when there is no such rival or file."""
    patch = verdict.patch
    if choice.rival is not None:
        if not 1 <= choice.rival <= len(verdict.rivals):
            raise UsageError(f"There is no rival {choice.rival}; the fix has {len(verdict.rivals)}.")
        patch = verdict.rivals[choice.rival - 1]
    unknown = [path for path in choice.files if path not in patch.files]
    if unknown:
        raise UsageError(f"The fix does not change {', '.join(unknown)}.")
    if choice.files:
        patch = Patch({path: change for path, change in patch if path in choice.files})
    return patch
