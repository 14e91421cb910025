"""A failure without what changes from run to run, so that two of them can be compared. Pure."""

from __future__ import annotations

import re

from untilgreen_sandbox.report import Failure

_LONGEST = 200
# In this order: an address holds digits, and a path may, too.
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_PATH = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][\w.@+-]+){2,}|\b[\w.-]+(?:/[\w.@+-]+)+")
_NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


def failure_key(failure: Failure | None) -> str:
    """Type, message without numbers and paths, and the innermost place in the user's own code."""
    if failure is None:
        return ""
    lines = failure.message.strip().splitlines()
    message = normalised(lines[0]) if lines else ""
    own = [frame for frame in failure.frames if frame.path is not None]
    place = f"{own[-1].path}:{own[-1].function}" if own else ""
    return " | ".join((failure.type, message, place))


def normalised(message: str) -> str:
    """One line of a message, the same whenever the same thing went wrong."""
    for pattern, word in ((_ADDRESS, "#"), (_PATH, "…"), (_NUMBER, "#")):
        message = pattern.sub(word, message)
    return " ".join(message.split())[:_LONGEST]
